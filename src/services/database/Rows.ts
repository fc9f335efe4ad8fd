/** Decodes the rows of a statement. Rows that do not fit their schema are a defect. */
import { Effect, Schema } from "effect"

export const rowsOf = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  const decode = Schema.decodeUnknownEffect(Schema.Array(schema))
  return (rows: ReadonlyArray<unknown>): Effect.Effect<ReadonlyArray<S["Type"]>> => Effect.orDie(decode(rows))
}

/** The first row, for statements that always have one. */
export const rowOf = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  const decode = Schema.decodeUnknownEffect(Schema.NonEmptyArray(schema))
  return (rows: ReadonlyArray<unknown>): Effect.Effect<S["Type"]> =>
    Effect.orDie(Effect.map(decode(rows), ([row]) => row))
}
