/**
 * The requests to ClickHouse, by the official library. Nothing is repeated here: whoever asks knows whether that is safe.
 *
 * A query returns all of its rows or an error, never a part. A request that is interrupted or too late ends here at once, and
 * `KILL QUERY` ends it in the engine.
 */
import { Context, Duration, Effect, Layer, Predicate, Redacted, Schema, Stream } from "effect"
import type { Scope } from "effect"
import { randomUUID } from "node:crypto"
import type { Readable } from "node:stream"
import * as Answer from "./Answer.ts"
import * as ClickHouseErrors from "./ClickHouseErrors.ts"
import type { ClickHouseError, Request } from "./ClickHouseErrors.ts"
import * as InsertBody from "./InsertBody.ts"
import * as RequestSettings from "./RequestSettings.ts"

export interface ClickHouseSettings {
  /** `http:` or `https:`, without user, password or parameters. A path is that of a proxy. */
  readonly url: string
  readonly user: string
  readonly password: Redacted.Redacted
  readonly database: string
}

export interface Limits {
  /** For a request that names no time of its own. */
  readonly time: Duration.Duration
  /** Of the body of one answer. */
  readonly answerBytes: number
  /** Rows of one request of an insert. */
  readonly insertRows: number
}

const defaultLimits: Limits = {
  time: Duration.seconds(5),
  answerBytes: 16 * 1024 * 1024,
  insertRows: 50_000
}

/** A pool, so that one slow query does not delay the others, and many do not overload the engine. */
const connections = 16
const killTime = Duration.seconds(2)

type Param = string | number | bigint | boolean | null | ReadonlyArray<Param>

interface Options {
  /** For spans and errors. */
  readonly name: string
  readonly time?: Duration.Duration
  readonly settings?: RequestSettings.Settings
}

export interface Statement extends Options {
  /** Values are placeholders such as `{term:String}`. No format, and no semicolon at the end. */
  readonly sql: string
  /** They travel in the URL, which ClickHouse limits to 1 MiB. */
  readonly params?: Readonly<Record<string, Param>>
}

export interface Insert<E, R> extends Options {
  /** Names are part of the statement as they are. */
  readonly table: string
  readonly columns: ReadonlyArray<string>
  readonly rows: Stream.Stream<InsertBody.Row, E, R>
}

/** A whole number of 64 bits, where it is below 2^53. For others, use `Schema.BigIntFromString`. */
export const Int64 = Schema.FiniteFromString.check(Schema.isInt())

export class ClickHouse extends Context.Service<
  ClickHouse,
  {
    /** Rows have the names of the columns. Whole numbers of 64 bits and decimals are texts: {@link Int64}. */
    query<S extends Schema.ConstraintDecoder<unknown>>(
      statement: Statement,
      row: S
    ): Effect.Effect<ReadonlyArray<S["Type"]>, ClickHouseError>
    /** For what returns no rows. */
    command(statement: Statement): Effect.Effect<void, ClickHouseError>
    /**
     * Returns the number of rows. Each {@link Limits.insertRows} are a request, with the time of one: after a failure, those of the
     * requests before it are there, and those of the last may be.
     */
    insert<E, R>(rows: Insert<E, R>): Effect.Effect<number, ClickHouseError | E, R>
    /** Whether ClickHouse answers to this user. */
    readonly ping: Effect.Effect<void, ClickHouseError>
  }
>()("discovery/search/ClickHouse") {
  static readonly layer = (settings: ClickHouseSettings, limits?: Partial<Limits>) =>
    Layer.effect(ClickHouse, make(settings, limits))
}

/** Such as ECONNREFUSED or CERT_HAS_EXPIRED. The text of an error may have an address in it. */
const reasonOf = (cause: unknown): string =>
  Predicate.hasProperty(cause, "code") && Predicate.isString(cause.code) && /^[A-Z0-9_]{2,60}$/u.test(cause.code)
    ? cause.code
    : "the connection failed"

/** Loads the library only for servers that use it. Connects with the first request. */
export const make = Effect.fnUntraced(function* (
  settings: ClickHouseSettings,
  own: Partial<Limits> = {}
): Effect.fn.Return<ClickHouse["Service"], never, Scope.Scope> {
  const limits = { ...defaultLimits, ...own }
  const scope = yield* Effect.scope
  const { origin, pathname } = new URL(settings.url)
  const library = yield* Effect.promise(() => import("@clickhouse/client"))
  const client = yield* Effect.acquireRelease(
    Effect.sync(() =>
      library.createClient({
        url: origin,
        // The library would take the path of a URL for the database.
        pathname,
        username: settings.user,
        password: Redacted.value(settings.password),
        database: settings.database,
        application: "discovery",
        max_open_connections: connections,
        keep_alive: { enabled: true, eagerly_destroy_stale_sockets: true },
        // Effect's clock has the time of requests. The library's would be another, for sockets without traffic.
        request_timeout: 0,
        log: { level: library.ClickHouseLogLevel.OFF }
      })
    ),
    (client) => Effect.promise(() => client.close())
  )

  const send = (
    request: Request,
    sql: string,
    options: Omit<Statement, "sql"> & { readonly values?: () => Readable }
  ): Effect.Effect<Answer.Answer, ClickHouseError> => {
    const time = options.time ?? limits.time
    return Effect.suspend(() => {
      const values = options.values?.()
      return Effect.tryPromise({
        try: async (signal) => {
          const { http_status_code, response_headers, stream } = await client.exec({
            query: sql,
            ...(values === undefined ? {} : { values }),
            ...(options.params === undefined ? {} : { query_params: options.params }),
            query_id: request.queryId,
            clickhouse_settings: { ...RequestSettings.every, ...options.settings, ...RequestSettings.timeLimit(time) },
            abort_signal: signal,
            // The library would lose the status of an answer that is not ClickHouse's.
            ignore_error_response: true
          })
          const code = response_headers["x-clickhouse-exception-code"]
          return {
            status: http_status_code ?? 0,
            code: Array.isArray(code) ? code[0] : code,
            ...(await Answer.read(stream, limits.answerBytes, signal))
          }
        },
        catch: (cause) => ClickHouseErrors.unreachable(request, reasonOf(cause))
      })
    })
  }

  /** In the background: whoever gave up does not wait for it. Without it, the query ends with its time. */
  const kill = ({ queryId }: Request) => {
    const sql = "KILL QUERY WHERE query_id = {id:String} ASYNC"
    const request: Request = { operation: "kill", queryId: randomUUID() }
    return send(request, sql, { name: "kill", params: { id: queryId }, time: killTime }).pipe(
      Effect.timeout(killTime),
      Effect.ignore,
      Effect.forkIn(scope),
      Effect.asVoid
    )
  }

  const ask = (sql: string, options: Parameters<typeof send>[2]) =>
    Effect.suspend(() => {
      const request: Request = { operation: options.name, queryId: randomUUID() }
      return Effect.annotateCurrentSpan({ "db.system.name": "clickhouse", "db.query_id": request.queryId }).pipe(
        Effect.andThen(send(request, sql, options)),
        Effect.onInterrupt(() => kill(request)),
        Effect.timeoutOrElse({
          duration: options.time ?? limits.time,
          orElse: () => Effect.fail(ClickHouseErrors.late(request))
        }),
        Effect.tap(({ fault }) => (fault === "too large" ? kill(request) : Effect.void)),
        Effect.map((answer) => ({ request, answer }))
      )
    })

  const withSpan = (name: string) => Effect.withSpan(`ClickHouse.${name}`)

  const query = <S extends Schema.ConstraintDecoder<unknown>>(statement: Statement, row: S) => {
    const decode = Schema.decodeUnknownEffect(Schema.Array(row))
    // On a line of its own: the statement may end with a comment.
    return ask(`${statement.sql}\nFORMAT JSONCompact`, statement).pipe(
      Effect.flatMap(({ answer, request }) =>
        Effect.fromResult(Answer.rows(request, answer)).pipe(
          Effect.flatMap((rows) =>
            Effect.mapError(decode(rows), () => ClickHouseErrors.broken(request, "rows of another form"))
          )
        )
      ),
      withSpan(statement.name)
    )
  }

  const execute = (sql: string, options: Parameters<typeof send>[2]) =>
    Effect.flatMap(ask(sql, options), ({ answer, request }) => Effect.fromResult(Answer.done(request, answer)))

  return {
    query,
    command: (statement) => execute(statement.sql, statement).pipe(withSpan(statement.name)),
    insert: ({ columns, rows, table, ...options }) =>
      rows.pipe(
        Stream.grouped(limits.insertRows),
        Stream.runFoldEffect(
          () => 0,
          (inserted, batch) =>
            execute(`INSERT INTO ${table} (${columns.join(", ")}) FORMAT JSONCompactEachRow`, {
              ...options,
              values: () => InsertBody.of(batch)
            }).pipe(Effect.as(inserted + batch.length))
        ),
        withSpan(options.name)
      ),
    ping: Effect.asVoid(query({ name: "ping", sql: "SELECT 1 AS one" }, Schema.Struct({ one: Schema.Literal(1) })))
  }
})
