/** At the edge of a command, every typed failure is a line for whoever typed it, and an exit code that is not 0. */
import { Effect } from "effect"
import { CliError } from "effect/cli"

/** A failure whose message says what is wrong and how to mend it. */
interface Told {
  readonly message: string
  readonly hint?: string | undefined
}

export const asUserError = <A, E extends Told, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.mapError(
    effect,
    (error) =>
      new CliError.UserError({
        cause: error,
        userMessage: error.hint === undefined ? error.message : `${error.message} ${error.hint}`
      })
  )
