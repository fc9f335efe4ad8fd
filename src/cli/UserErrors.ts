/** Prints the typed failures of commands, with an exit code other than 0. */
import { Effect } from "effect"
import { CliError } from "effect/cli"
import * as Output from "./Output.ts"

/** A failure whose message says what is wrong and what to do. */
export interface CommandFailure {
  readonly message: string
  readonly hint?: string | undefined
}

export const asUserError = <A, E extends CommandFailure, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.mapError(
    effect,
    (error) =>
      new CliError.UserError({
        cause: error,
        userMessage: Output.printable(error.hint === undefined ? error.message : `${error.message} ${error.hint}`)
      })
  )
