/** The requests of ClickHouse's HTTP interface, as far as the official client makes them. */
import type { IncomingMessage } from "node:http"
import * as zlib from "node:zlib"
import { Exception, type Statement } from "./Engine.ts"
import * as Messages from "./Messages.ts"

/** Parameters that are no settings of the engine. */
const ofInterface = new Set([
  "query",
  "query_id",
  "database",
  "default_format",
  "session_id",
  "user",
  "password",
  "role",
  "wait_end_of_query",
  "buffer_size",
  "enable_http_compression",
  "compress",
  "decompress"
])

const maxBody = 512 * 1024 * 1024

const bodyOf = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBody) throw new Exception(307, "Code: 307. DB::Exception: The body is too large. (TOO_MANY_BYTES)")
    chunks.push(chunk)
  }
  const body = Buffer.concat(chunks)
  const encoding = request.headers["content-encoding"]
  if (encoding === "gzip") return zlib.gunzipSync(body)
  if (encoding === "zstd") return zlib.zstdDecompressSync(body)
  return body
}

const credentialsOf = (request: IncomingMessage, url: URL): readonly [user: string, password: string] => {
  const basic = /^Basic (.+)$/u.exec(request.headers.authorization ?? "")?.[1]
  if (basic !== undefined) {
    const [user = "", ...rest] = Buffer.from(basic, "base64").toString("utf8").split(":")
    return [user, rest.join(":")]
  }
  const header = (name: string) => String(request.headers[name] ?? "")
  return request.headers["x-clickhouse-user"] === undefined
    ? [url.searchParams.get("user") ?? "default", url.searchParams.get("password") ?? ""]
    : [header("x-clickhouse-user"), header("x-clickhouse-key")]
}

/** Throws what ClickHouse says to a user that it does not know, or to a wrong password. */
export const authenticate = (request: IncomingMessage, url: URL): void => {
  const [user, password] = credentialsOf(request, url)
  if (user === Messages.user && password === Messages.password) return
  throw new Exception(
    516,
    `Code: 516. DB::Exception: ${user}: Authentication failed: password is incorrect, or there is no user with such name. ` +
      "(AUTHENTICATION_FAILED) (version 26.7.2.1)"
  )
}

const isInsert = /^\s*INSERT\s[^]*\sFORMAT\s+\w+\s*$/iu

export const read = async (request: IncomingMessage, url: URL): Promise<Omit<Statement, "isReadOnly">> => {
  const body = await bodyOf(request)
  const query = url.searchParams.get("query")
  const entries = [...url.searchParams].filter(([name]) => !ofInterface.has(name))
  const isParam = (name: string) => name.startsWith("param_")
  const sql = query ?? body.toString("utf8")
  return {
    queryId: url.searchParams.get("query_id") ?? "",
    sql,
    database: url.searchParams.get("database") ?? "",
    settings: Object.fromEntries(entries.filter(([name]) => !isParam(name))),
    params: Object.fromEntries(
      entries.filter(([name]) => isParam(name)).map(([name, value]) => [name.slice("param_".length), value])
    ),
    ...(query !== null && isInsert.test(sql) ? { body } : {})
  }
}

/** The id in `KILL QUERY WHERE query_id = {id:String}` or with a text instead of the parameter. */
export const killed = ({ params, sql }: Pick<Statement, "params" | "sql">): string | undefined => {
  const [, name, text] = /^\s*KILL\s+QUERY\s+WHERE\s+query_id\s*=\s*(?:\{(\w+):String\}|'([^']*)')/iu.exec(sql) ?? []
  return name === undefined ? text : params[name]
}

const statuses: Readonly<Record<number, number>> = {
  27: 400,
  36: 400,
  47: 404,
  60: 404,
  62: 400,
  81: 404,
  159: 408,
  194: 401,
  209: 503,
  307: 413,
  516: 403
}
/** As ClickHouse maps a few of its codes; all others are failures of the server. */
export const statusOf = (code: number): number => statuses[code] ?? 500
