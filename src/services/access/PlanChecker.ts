/** Whether an account may call tools at all: an active Growth or Pro subscription (seed, "What the service does"). */
import { Context } from "effect"
import type { Effect } from "effect"
import type { Caller } from "../../domain/access/Account.ts"
import type { PlanUpgradeRequired } from "../../domain/ToolError.ts"

export class PlanChecker extends Context.Service<
  PlanChecker,
  {
    check(caller: Caller): Effect.Effect<void, PlanUpgradeRequired>
  }
>()("discovery/access/PlanChecker") {}
