/** Query strings of pages. */
import { Schema } from "effect"

/** The query of a request's path and query. */
export const queryOf = (url: string): string => url.split("?").slice(1).join("?")

export const paramsOf = (url: string): URLSearchParams => new URLSearchParams(queryOf(url))

/** For a field of a GET form: browsers also send empty fields, which count as absent. */
export const orEmpty = <S extends Schema.Constraint>(schema: S) =>
  Schema.optionalKey(Schema.Union([Schema.Literal(""), schema]))
