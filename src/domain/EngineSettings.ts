/** Which engine answers the searches, and where it is. */
import { Redacted, Schema } from "effect"

/** Names are part of statements. */
const name = /^[A-Za-z_]\w{0,63}$/u

/** The database is the path: `default` without one. */
const databaseOf = ({ pathname }: URL): string | undefined => {
  const database = pathname === "/" ? "default" : pathname.slice(1)
  return name.test(database) ? database : undefined
}

/** `undefined` for a `%` that begins no encoded character. */
const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

export const EngineAddress = Schema.String.check(
  Schema.makeFilter(
    (text: string) => {
      const url = URL.parse(text)
      return (
        url !== null &&
        /^https?:$/u.test(url.protocol) &&
        databaseOf(url) !== undefined &&
        decoded(url.username) !== undefined &&
        decoded(url.password) !== undefined &&
        url.search === "" &&
        url.hash === ""
      )
    },
    { expected: "an address such as https://user:password@clickhouse.example.com:8443/discovery, without a query" }
  )
)

export const ClusterName = Schema.String.check(
  Schema.isPattern(name, { expected: "a name of letters, digits and underscores, as in remote_servers of ClickHouse" })
)

export interface EngineSettings {
  /** Without user, password and path. */
  readonly url: string
  readonly user: string
  readonly password: Redacted.Redacted
  readonly database: string
}

/** Of an {@link EngineAddress}. */
export const engineSettingsOf = (address: Redacted.Redacted): EngineSettings => {
  const url = new URL(Redacted.value(address))
  return {
    url: url.origin,
    user: decoded(url.username) || "default",
    password: Redacted.make(decoded(url.password) ?? ""),
    database: databaseOf(url) ?? "default"
  }
}

/** What searches needs an address. */
export const Engine = Schema.Struct({
  searchEngine: Schema.Literals(["memory", "clickhouse"]),
  clickhouseUrl: Schema.Option(Schema.Redacted(Schema.String))
}).check(
  Schema.makeFilter(({ clickhouseUrl, searchEngine }) =>
    searchEngine === "clickhouse" && clickhouseUrl._tag === "None"
      ? {
          path: ["CLICKHOUSE_URL"],
          issue: "SEARCH_ENGINE=clickhouse needs it: an address such as https://user:password@host:8443/discovery"
        }
      : undefined
  )
)
