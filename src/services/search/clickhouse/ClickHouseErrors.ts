/**
 * What can go wrong between this server and ClickHouse. Messages name the operation, the query id and ClickHouse's code only: its
 * own text quotes the statement with what a customer searched for, so it is kept where no log shows it.
 */
import { Redacted, Schema } from "effect"

const fields = {
  message: Schema.String,
  /** Of this request. ClickHouse lists it in `system.query_log`, with the statement and the whole text of the error. */
  queryId: Schema.String
}

const answered = {
  ...fields,
  /** ClickHouse's number for the error, if it has said one. */
  code: Schema.optional(Schema.Int)
}

/** No connection, a connection that broke before an answer began, or a proxy or a shard that says so. */
export class EngineUnreachable extends Schema.TaggedError<EngineUnreachable>()("EngineUnreachable", answered) {}

/** Nothing within the time of the request, which is the limit of the query in ClickHouse, too. */
export class EngineTimeout extends Schema.TaggedError<EngineTimeout>()("EngineTimeout", answered) {}

/** The query, the user or the whole server has no memory left. */
export class EngineOutOfMemory extends Schema.TaggedError<EngineOutOfMemory>()("EngineOutOfMemory", answered) {}

/** The table, the replica or the user takes no writes, or the user may not change settings. */
export class EngineReadOnly extends Schema.TaggedError<EngineReadOnly>()("EngineReadOnly", answered) {}

/** The user or the password is wrong, or the user lacks a right. */
export class EngineRefused extends Schema.TaggedError<EngineRefused>()("EngineRefused", answered) {}

/** An answer that is not whole, too large, or of another form. None of its rows count. */
export class EngineBrokenAnswer extends Schema.TaggedError<EngineBrokenAnswer>()("EngineBrokenAnswer", fields) {}

/** Any other error of ClickHouse, such as one about the statement. */
export class EngineFailed extends Schema.TaggedError<EngineFailed>()("EngineFailed", {
  ...fields,
  code: Schema.Int,
  /** ClickHouse's text, for tests and debuggers. */
  detail: Schema.Redacted(Schema.String)
}) {}

export type ClickHouseError =
  | EngineUnreachable
  | EngineTimeout
  | EngineOutOfMemory
  | EngineReadOnly
  | EngineRefused
  | EngineBrokenAnswer
  | EngineFailed

/** Who asked for what. */
export interface Request {
  readonly operation: string
  readonly queryId: string
}

const kinds = {
  // Socket timeout, network error, no ZooKeeper, aborted by a shutdown, all replicas failed, all replicas are stale, Keeper.
  [209]: EngineUnreachable,
  [210]: EngineUnreachable,
  [225]: EngineUnreachable,
  [236]: EngineUnreachable,
  [279]: EngineUnreachable,
  [369]: EngineUnreachable,
  [999]: EngineUnreachable,
  // Timeout exceeded, and an estimate that it would be.
  [159]: EngineTimeout,
  [160]: EngineTimeout,
  // Cannot allocate memory, memory limit exceeded.
  [173]: EngineOutOfMemory,
  [241]: EngineOutOfMemory,
  // The user, and the replica.
  [164]: EngineReadOnly,
  [242]: EngineReadOnly,
  // Unknown user, wrong password, no password, access denied, authentication failed.
  [192]: EngineRefused,
  [193]: EngineRefused,
  [194]: EngineRefused,
  [497]: EngineRefused,
  [516]: EngineRefused
} as const

const kindOf = (code: number) => (Object.hasOwn(kinds, code) ? kinds[code as keyof typeof kinds] : undefined)

const messageOf = ({ operation, queryId }: Request, reason: string) =>
  `ClickHouse, ${operation}: ${reason} (query ${queryId})`

const maxDetail = 2_000

export const ofCode = (request: Request, code: number, text: string): ClickHouseError => {
  // The last name in capitals is that of the code; those before it are of errors that it wraps.
  const name = Array.from(text.matchAll(/\(([A-Z][A-Z0-9_]{2,80})\)/gu)).at(-1)?.[1]
  const message = messageOf(request, name === undefined ? `code ${code}` : `code ${code} ${name}`)
  const Kind = kindOf(code)
  const { queryId } = request
  return Kind === undefined
    ? new EngineFailed({ message, queryId, code, detail: Redacted.make(text.slice(0, maxDetail)) })
    : new Kind({ message, queryId, code })
}

/** For a status that is not ClickHouse's: something between here and it has answered. */
export const ofStatus = (request: Request, status: number): ClickHouseError => {
  const message = messageOf(request, `status ${status} without a code`)
  const { queryId } = request
  if (status === 401 || status === 403) return new EngineRefused({ message, queryId })
  const isTemporary = status === 429 || status >= 502
  return isTemporary ? new EngineUnreachable({ message, queryId }) : new EngineBrokenAnswer({ message, queryId })
}

export const unreachable = (request: Request, reason: string) =>
  new EngineUnreachable({ message: messageOf(request, reason), queryId: request.queryId })

export const late = (request: Request) =>
  new EngineTimeout({ message: messageOf(request, "no answer in time"), queryId: request.queryId })

export const broken = (request: Request, reason: string) =>
  new EngineBrokenAnswer({ message: messageOf(request, reason), queryId: request.queryId })
