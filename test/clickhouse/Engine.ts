/**
 * ClickHouse in this process, by chdb. Each statement gets a session of its own, so that its settings and parameters end with it.
 * Sessions of one folder run beside each other.
 */
import * as fs from "node:fs"
import { createRequire } from "node:module"
import * as path from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { cluster } from "./Messages.ts"

/** The few parts of chdb that are used. Its own types are missing until the package is installed. */
interface Session {
  query(sql: string): string
  queryAsync(sql: string): Promise<{ bytes(): Uint8Array }>
  close(): void
}
interface Chdb {
  readonly Session: new (folder: string, options: { readonly connectionArgs: ReadonlyArray<string> }) => Session
  readonly drainPending: () => Promise<void>
}

// The require of Node has no types.
const { Session, drainPending } = createRequire(import.meta.url)("chdb") as Chdb

export interface Statement {
  readonly queryId: string
  readonly sql: string
  readonly settings: Readonly<Record<string, string>>
  /** In the escaped form of the HTTP interface. */
  readonly params: Readonly<Record<string, string>>
  readonly database: string
  readonly isReadOnly: boolean
  /** The rows of an insert. */
  readonly body?: Uint8Array
}

/** An error of ClickHouse, with its text. */
export class Exception extends Error {
  readonly code: number
  constructor(code: number, text: string) {
    super(text)
    this.code = code
  }
}

const exceptionOf = (cause: unknown): Exception => {
  const text = (cause instanceof Error ? cause.message : String(cause)).replace(/^Query failed: /u, "")
  return new Exception(Number(/^Code: (\d+)/u.exec(text)?.[1] ?? 1002), text)
}

/** chdb reads a statement to its first U+0000. */
const quoted = (text: string): string =>
  `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'").replaceAll("\0", "\\0")}'`

const identifier = /^[A-Za-z_][\w]{0,100}$/u
const assignment = ([name, value]: readonly [string, string]): string => {
  if (!identifier.test(name))
    throw new Exception(115, `Code: 115. DB::Exception: Unknown setting ${quoted(name)}. (UNKNOWN_SETTING)`)
  return `${name} = ${quoted(value)}`
}

const shard = "<shard><replica><host>127.0.0.1</host><port>9000</port></replica></shard>"
/** A shard is local if it has the address and the port of this process, on which nothing listens. */
const configuration =
  `<clickhouse><tcp_port>9000</tcp_port><remote_servers><${cluster}>${shard}${shard}</${cluster}></remote_servers>` +
  `</clickhouse>`

export interface Engine {
  /** Rejects with an {@link Exception}. */
  readonly run: (statement: Statement) => Promise<Uint8Array>
  /** Ends a statement that runs. Returns whether there was one. */
  readonly kill: (queryId: string) => Promise<boolean>
  readonly close: () => Promise<void>
}

export const open = (folder: string, database: string): Engine => {
  const file = path.join(folder, "configuration.xml")
  const data = path.join(folder, "data")
  fs.writeFileSync(file, configuration)
  const connect = () => new Session(data, { connectionArgs: [`--config-file=${file}`] })
  const first = connect()
  first.query(`CREATE DATABASE IF NOT EXISTS ${database}`)
  let bodies = 0
  const active = new Set<string>()

  const execute = async (session: Session, { body, sql }: Statement): Promise<Uint8Array> => {
    if (body === undefined) return (await session.queryAsync(sql)).bytes()
    const rows = path.join(folder, `rows-${bodies++}`)
    fs.writeFileSync(rows, body)
    try {
      const from = ` FROM INFILE ${quoted(rows)} FORMAT `
      return (await session.queryAsync(sql.replace(/\s+FORMAT\s+(?=\w+\s*$)/iu, () => from))).bytes()
    } finally {
      fs.rmSync(rows, { force: true })
    }
  }

  return {
    run: async (statement) => {
      const session = connect()
      try {
        session.query(`USE ${statement.database === "" ? database : statement.database}`)
        const params = Object.entries(statement.params).map(([name, value]) => [`param_${name}`, value] as const)
        // The id of a query cannot be chosen in chdb, so it is where `kill` finds it.
        const own = [["log_comment", statement.queryId] as const, ...Object.entries(statement.settings), ...params]
        session.query(`SET ${own.map(assignment).join(", ")}`)
        if (statement.isReadOnly) session.query("SET readonly = 2")
        active.add(statement.queryId)
        return await execute(session, statement)
      } catch (cause) {
        throw cause instanceof Exception ? cause : exceptionOf(cause)
      } finally {
        active.delete(statement.queryId)
        session.close()
      }
    },
    kill: async (queryId) => {
      const sql = `KILL QUERY WHERE Settings['log_comment'] = ${quoted(queryId)} ASYNC`
      // A thread may not have begun with the statement yet.
      while (active.has(queryId)) {
        if (first.query(sql) !== "") return true
        await delay(5)
      }
      return false
    },
    close: async () => {
      await drainPending()
      first.close()
    }
  }
}
