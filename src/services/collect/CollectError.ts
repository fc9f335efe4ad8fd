/** Why nothing can be collected at all, or not from one store. */
import { Schema } from "effect"

/** The command cannot run; the message says what to do. */
export class CollectError extends Schema.TaggedError<CollectError>()("CollectError", { message: Schema.String }) {}

/** There is no answer to use of one address. `message` continues a sentence that begins with the address. */
export class NotFetched extends Schema.TaggedError<NotFetched>()("NotFetched", {
  /**
   * `passing` may be otherwise at another time; `elsewhere` is another domain's, which is to be collected by itself, or a
   * private network's; `no` is the server's answer; `disallowed` is that of its robots.txt, and `no_name` the name servers'.
   */
  reason: Schema.Literals(["passing", "elsewhere", "no", "disallowed", "no_name"]),
  message: Schema.String
}) {}
