/** `discovery credits verify`: compares every balance with the ledger (D14). */
import { Effect, Schema, Stream } from "effect"
import { Command } from "effect/cli"
import * as LedgerCheck from "../services/credits/LedgerCheck.ts"
import type { Disagreement } from "../services/credits/LedgerCheck.ts"
import * as Output from "./Output.ts"
import { asUserError } from "./UserErrors.ts"

class LedgerDisagrees extends Schema.TaggedError<LedgerDisagrees>()("LedgerDisagrees", { message: Schema.String }) {}

const line = (found: Disagreement): string =>
  `account ${found.accountId}, period from ${found.periodStart}: ` +
  `balance ${found.balanceUsed ?? "none"} of ${found.balanceAllowance ?? "none"} used, ` +
  `ledger ${found.ledgerUsed ?? "none"} of ${found.ledgerAllowance ?? "none"}`

const verify = Command.make("verify", {}, () =>
  Effect.gen(function* () {
    const total = yield* LedgerCheck.run.pipe(
      Stream.tap(({ disagreements }) =>
        Effect.forEach(disagreements, (found) => Output.line(line(found)), { discard: true })
      ),
      Stream.runFold(
        () => ({ periods: 0, disagreements: 0 }),
        (total, step) => ({
          periods: total.periods + step.periods,
          disagreements: total.disagreements + step.disagreements.length
        })
      )
    )
    if (total.disagreements > 0) {
      return yield* new LedgerDisagrees({
        message: `${total.disagreements} of ${total.periods} balances do not match the ledger.`
      })
    }
    yield* Output.line(`All ${total.periods} balances match the ledger.`)
  }).pipe(asUserError)
).pipe(Command.withDescription("Compare every balance with the fold of its ledger; fails when one differs"))

export const creditsCommand = Command.make("credits").pipe(
  Command.withDescription("Credits: prove that balances and ledger agree"),
  Command.withSubcommands([verify])
)
