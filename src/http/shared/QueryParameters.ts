/** Query strings of pages: what a page reads of its address, and what it refuses there (D48). */
import type { Result, Schema } from "effect"
import { argumentDecoder } from "../../domain/ArgumentDecoder.ts"
import type { ArgumentIssue } from "../../domain/ArgumentIssue.ts"
import * as SearchAddress from "../../domain/search/SearchAddress.ts"

/** The query of a request's path and query. */
export const queryOf = (url: string): string => url.split("?").slice(1).join("?")

/** The parameters of an address in their order. */
export const pairsOf = (url: string): SearchAddress.Pairs => SearchAddress.parse(queryOf(url))

/** A text of any length that an address can have. */
export const anyLength = 16_384

/**
 * A decoder of parameters. Its issues name each parameter that the schema does not have and each value that it does not
 * take. Empty values of its own parameters count as absent, since forms send all their fields, and repetitions of a
 * value count once.
 */
export const decoder = <S extends Schema.Constraint & Schema.ConstraintDecoder<unknown>>(
  schema: S & { readonly fields: Readonly<Record<string, unknown>> }
): ((pairs: SearchAddress.Pairs) => Result.Result<S["Type"], ReadonlyArray<ArgumentIssue>>) => {
  const decode = argumentDecoder<S>(schema)
  return (pairs) => {
    const given = pairs.filter(([name, value]) => value !== "" || !Object.hasOwn(schema.fields, name))
    const values = Map.groupBy(given, ([name]) => name)
    return decode(Object.fromEntries(Array.from(values, ([name, ofName]) => [name, single(ofName)]))).result
  }
}

/** Different values of one parameter stay an array, which no schema takes. */
const single = (pairs: SearchAddress.Pairs): unknown => {
  const [value, ...others] = new Set(pairs.map(([, each]) => each))
  return others.length === 0 ? value : [value, ...others]
}

/** The address of a page with these fields; `undefined` is left out. */
export const addressOf = (path: string, fields: Readonly<Record<string, string | number | undefined>>): string => {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) query.set(name, String(value))
  return query.size === 0 ? path : `${path}?${query.toString()}`
}
