/** Query strings of pages. */
import { UrlParams } from "effect/http"

/** The query of a request's path and query. */
export const queryOf = (url: string): string => url.split("?").slice(1).join("?")

export const paramsOf = (url: string): URLSearchParams => new URLSearchParams(queryOf(url))

/** The fields of a GET form, by name. Browsers also send empty fields, which count as absent. */
export const fieldsOf = (url: string) =>
  UrlParams.toRecord(UrlParams.fromInput(Array.from(paramsOf(url)).filter(([, value]) => value !== "")))

/** The address of a page with these fields; `undefined` is left out. */
export const addressOf = (path: string, fields: Readonly<Record<string, string | number | undefined>>): string => {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) query.set(name, String(value))
  return query.size === 0 ? path : `${path}?${query.toString()}`
}
