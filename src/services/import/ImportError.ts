/** Why an import stops. Single bad records do not stop it: they are rejected. Every message says how to go on. */
import { Schema } from "effect"

/** The input cannot be read at all, or is of a kind that holds no records. */
export class UnreadableInput extends Schema.TaggedError<UnreadableInput>()("UnreadableInput", {
  message: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {}

/** The rejected records cannot be written down. */
export class UnwritableRejects extends Schema.TaggedError<UnwritableRejects>()("UnwritableRejects", {
  message: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {}

/** So many records are bad that the file is probably of another kind than was said. */
export class TooManyRejects extends Schema.TaggedError<TooManyRejects>()("TooManyRejects", {
  message: Schema.String
}) {}

/** Imports take turns. */
export class ImportRunning extends Schema.TaggedError<ImportRunning>()("ImportRunning", {
  message: Schema.String
}) {}

/** The database failed, and trying again did not help. */
export class ImportStopped extends Schema.TaggedError<ImportStopped>()("ImportStopped", {
  message: Schema.String,
  cause: Schema.Defect()
}) {}

export type ImportError = UnreadableInput | UnwritableRejects | TooManyRejects | ImportRunning | ImportStopped
