import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import { Console, Effect, Layer, Option } from "effect"
import { Command } from "effect/cli"
import { billingCommand } from "../../src/cli/BillingCommand.ts"
import { Billing } from "../../src/services/billing/Billing.ts"
import * as Access from "../support/Access.ts"
import { customer, standing } from "../support/BillingAccounts.ts"
import * as ServerProcess from "../support/ServerProcess.ts"
import { SetClock } from "../support/SetClock.ts"
import { StripeDouble } from "../support/StripeDouble.ts"
import { TestDatabase } from "../support/TestDatabase.ts"

const execute = Command.runWith(Command.make("discovery").pipe(Command.withSubcommands([billingCommand])), {
  version: "0"
})

const run = Effect.gen(function* () {
  const live = yield* Console.Console
  const printed: Array<string> = []
  const keep = (...parts: ReadonlyArray<unknown>) => void printed.push(parts.join(" "))
  const console: Console.Console = Object.setPrototypeOf({ log: keep, error: keep }, live)
  const ended = yield* execute(["billing", "reconcile"]).pipe(
    Effect.provideService(Console.Console, console),
    Effect.provide(NodeServices.layer),
    Effect.exit
  )
  return { ended: ended._tag, text: printed.join("\n") }
})

const Services = StripeDouble.billing().pipe(
  Layer.provideMerge(Layer.merge(Access.layerUnhashed, StripeDouble.layer)),
  Layer.provideMerge(TestDatabase.layer),
  Layer.provideMerge(SetClock.layer("2026-03-10T12:00:00Z"))
)

layer(Services, { excludeTestServices: true })("billing reconcile", (it) => {
  it.effect("D76 corrects what an event was missed for, prints it, and fails while Stripe does not answer", () =>
    Effect.gen(function* () {
      const double = yield* StripeDouble
      const { accountId, customerId, email } = yield* customer()
      yield* customer()
      double.subscribe(customerId, { status: "past_due", price: "price_pro" })
      double.faults.all = "error"
      const down = yield* run
      double.faults.all = undefined
      assert.strictEqual(down.ended, "Failure")
      assert.include(down.text, "2 of 2 accounts could not be compared")
      const first = yield* run
      assert.strictEqual(first.ended, "Success")
      assert.include(first.text, `${accountId}  ${email}  starter active -> pro unpaid`)
      assert.include(first.text, "2 accounts are what their subscriptions say; 1 were corrected.")
      assert.strictEqual(yield* standing(email), "pro unpaid")
      assert.notInclude((yield* run).text, email)
    })
  )

  it.effect("runs as a program of its own, with the variables alone", () =>
    Effect.gen(function* () {
      const double = yield* StripeDouble
      const { connection } = yield* TestDatabase
      const { customerId, email } = yield* customer()
      double.subscribe(customerId)
      const environment = { ...double.environment, DATABASE_URL: ServerProcess.urlOf(connection) }
      const { code, err, out } = yield* ServerProcess.command(environment, "billing", "reconcile")
      assert.strictEqual(code, 0, err)
      assert.include(out, `${email}  starter active -> growth active`)
      assert.strictEqual(yield* standing(email), "growth active")
    })
  )

  it.effect("says how billing is turned on where it is off", () =>
    Effect.gen(function* () {
      const { ended, text } = yield* run.pipe(Effect.provideService(Billing, { stripe: Option.none() }))
      assert.strictEqual(ended, "Failure")
      assert.include(text, "Set STRIPE_SECRET_KEY")
    })
  )
})
