/** Whether an account may call tools at all: an active Growth or Pro subscription (S8, D6). */
import { Context, Effect, Layer } from "effect"
import { AppConfig } from "../../Config.ts"
import type { Caller } from "../../domain/access/Account.ts"
import * as Plan from "../../domain/access/Plan.ts"
import type { PlanUpgradeRequired } from "../../domain/ToolError.ts"

export class PlanChecker extends Context.Service<
  PlanChecker,
  {
    check(caller: Caller): Effect.Effect<void, PlanUpgradeRequired>
  }
>()("discovery/access/PlanChecker") {
  static readonly layer = Layer.effect(
    PlanChecker,
    Effect.gen(function* () {
      const { billingUrl } = yield* AppConfig
      return {
        check: (caller) => {
          const missing = Plan.missing(caller, billingUrl)
          return missing === undefined ? Effect.void : Effect.fail(missing)
        }
      }
    })
  )
}
