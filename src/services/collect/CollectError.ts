/** Errors of the whole command, or of one store. */
import { Schema } from "effect"

/** The command cannot run; the message says what to do. */
export class CollectError extends Schema.TaggedError<CollectError>()("CollectError", { message: Schema.String }) {}

/** An address has no usable answer. `message` continues a sentence that begins with the address. */
export class NotFetched extends Schema.TaggedError<NotFetched>()("NotFetched", {
  /**
   * `passing`: a later attempt may succeed. `elsewhere`: the address is of another owner, or not public. `missing`: the server
   * answers with a status from 400 to 499. `no`: another answer that is not usable. `disallowed`: robots.txt disallows it.
   * `no_name`: the name has no address.
   */
  reason: Schema.Literals(["passing", "elsewhere", "missing", "no", "disallowed", "no_name"]),
  message: Schema.String
}) {}
