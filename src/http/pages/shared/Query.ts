/** What stands behind the question mark of an address. */
import { Schema } from "effect"

/** Of an address as a request has it. */
export const queryOf = (url: string): string => url.split("?").slice(1).join("?")

export const paramsOf = (url: string): URLSearchParams => new URLSearchParams(queryOf(url))

/** A field of a form that is sent by GET: one that was left empty is sent as well, and says nothing. */
export const orEmpty = <S extends Schema.Constraint>(schema: S) =>
  Schema.optionalKey(Schema.Union([Schema.Literal(""), schema]))
