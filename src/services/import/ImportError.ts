/** Errors that stop an import; bad records are rejected instead. Every message says what to do. */
import { Schema } from "effect"

/** The input cannot be read, or its format is not supported. */
export class UnreadableInput extends Schema.TaggedError<UnreadableInput>()("UnreadableInput", {
  message: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {}

/** The file of rejected records cannot be written. */
export class UnwritableRejects extends Schema.TaggedError<UnwritableRejects>()("UnwritableRejects", {
  message: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {}

/** So many records are bad that the file probably has another format. */
export class TooManyRejects extends Schema.TaggedError<TooManyRejects>()("TooManyRejects", {
  message: Schema.String
}) {}

/** An import, or the removal of a source, is running. */
export class ImportRunning extends Schema.TaggedError<ImportRunning>()("ImportRunning", {
  message: Schema.String
}) {}

/** The database failed, also after retries. */
export class ImportStopped extends Schema.TaggedError<ImportStopped>()("ImportStopped", {
  message: Schema.String,
  cause: Schema.Defect()
}) {}

export type ImportError = UnreadableInput | UnwritableRejects | TooManyRejects | ImportRunning | ImportStopped
