/**
 * Rules of fields, each stated once. A schema decodes by them, and RecordDecoder finds them as plain functions in its annotations: a
 * schema decodes each value through a chain of effects, which millions of records would wait for.
 */
import { Effect, Schema, SchemaTransformation } from "effect"
import type { SchemaIssue } from "effect"
import type { Problem } from "./ArgumentIssue.ts"

declare module "effect/Schema" {
  namespace Annotations {
    interface Annotations {
      /** Cleans a field's raw value as its schema does when decoding. A list is cleaned after its items. */
      readonly clean?: ((value: unknown) => unknown) | undefined
      /** The value of an absent field. */
      readonly absent?: { readonly value: unknown } | undefined
      /** What a check finds out, as a plain function: to run a check makes an outcome for each value. */
      passes?(this: void, value: unknown): boolean
      /** How many characters of a text, or entries of a list, are kept of an optional value that is longer. */
      readonly cutTo?: number | undefined
    }
  }
}

type Checks = Parameters<typeof Schema.String.check>

const ofText =
  (clean: (text: string) => unknown) =>
  (value: unknown): unknown =>
    typeof value === "string" ? clean(value) : value

/** A text of `base` that `clean` changes when it is decoded: values in the catalog are clean. The checks are of the clean text. */
export const cleaned = (clean: (text: string) => string, base: Schema.String, ...checks: Checks | []) => {
  const decoded = base.pipe(Schema.decode(SchemaTransformation.transform({ decode: clean, encode: (text) => text })))
  const [first, ...others] = checks
  return (first === undefined ? decoded : decoded.check(first, ...others)).annotate({ clean: ofText(clean) })
}

/** As {@link cleaned}; absent, `null` and text of which nothing is left are unknown. The check is of the clean text. */
export const cleanedOrNull = (clean: (text: string) => string, check: Checks[0]) => {
  const decode = (text: string): string | null => clean(text) || null
  return Schema.NullOr(Schema.String.check(check))
    .pipe(
      Schema.encodeTo(
        Schema.NullOr(Schema.String),
        SchemaTransformation.transform({
          decode: (text: string | null) => (text === null ? null : decode(text)),
          encode: (text) => text
        })
      ),
      Schema.withDecodingDefaultKey(Effect.succeed(null))
    )
    .annotate({ clean: ofText(decode), absent: { value: null } })
}

/** A check by a plain function. `problem` is of a value that does not pass; `issues` finds out which of several it is. */
export const check = <T>(
  passes: (value: T) => boolean,
  problem: Problem | ((value: T) => SchemaIssue.Issue | ReadonlyArray<SchemaIssue.Issue>)
) =>
  typeof problem === "function"
    ? Schema.makeFilter((value: T) => passes(value) || problem(value), { passes })
    : Schema.makeFilter(passes, { passes, problem })

/** Absent means the value. */
export const withDefault = <S extends Schema.Constraint>(schema: S, value: S["Encoded"]) =>
  Schema.withDecodingDefaultKey<S>(Effect.succeed(value))(schema).annotate({ absent: { value } })
