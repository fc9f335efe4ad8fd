import { Schema } from "effect"

/** The embedded PostgreSQL cannot be used. The message says what is wrong and how to fix it. */
export class EmbeddedPostgresError extends Schema.TaggedError<EmbeddedPostgresError>()("EmbeddedPostgresError", {
  message: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {}
