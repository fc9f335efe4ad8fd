/** What the process of a test and the process of the engine say to each other. Imports nothing. */

/** What the engine is to do with statements from now on, except `KILL QUERY`. */
export type Fault =
  | { readonly kind: "none" }
  /** It answers with an error instead of running the statement. */
  | { readonly kind: "exception"; readonly code: number; readonly name: string }
  /**
   * It runs the statement, answers 200 and the first half, and then the error: between the markers of ClickHouse 25.11 or as text.
   * The body ends well, or not, as both versions may do it.
   */
  | {
      readonly kind: "late exception"
      readonly code: number
      readonly name: string
      readonly isMarked: boolean
      readonly isCut: boolean
    }
  /** It sends the first half, and the connection breaks; or the body ends as if it were whole, as a proxy may do it. */
  | { readonly kind: "cut"; readonly endsWell: boolean }
  /** It reads the statement, and says nothing before `release`; or only the first half of the answer. */
  | { readonly kind: "hold"; readonly after: "statement" | "half" }
  /** Something between answers. */
  | { readonly kind: "proxy"; readonly status: number; readonly body: string }
  /** The user may not write. The engine itself refuses it. */
  | { readonly kind: "read-only" }
  /** Nothing listens. */
  | { readonly kind: "closed" }

export interface Order {
  readonly id: number
  readonly order: { readonly fault: Fault } | "release"
}

export interface Seen {
  readonly queryId: string
  readonly sql: string
  readonly settings: Readonly<Record<string, string>>
}

export type Report =
  | { readonly report: "listening"; readonly port: number }
  | { readonly report: "done"; readonly id: number }
  /** The statement has arrived. */
  | ({ readonly report: "began" } & Seen)
  /** A fault holds it now. */
  | { readonly report: "held"; readonly queryId: string }
  /** With the code of the error, if it ended with one. */
  | { readonly report: "ended"; readonly queryId: string; readonly code: number | undefined }

/** The user of the engine. Anyone else is refused. */
export const user = "catalog"
export const password = 'an engine\'s "password" & 100% secret'

/** Two shards that are both this engine, for `Distributed` tables and `cluster(...)`. */
export const cluster = "two"
