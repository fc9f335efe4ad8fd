/**
 * The accounts of the demo: Growth, Pro and unpaid. They exist only in the embedded PostgreSQL. Their secrets are random,
 * and kept in a file of the data folder that only its owner can read.
 */
import { Context, Effect, FileSystem, Layer, Option, Path, Redacted, Schema } from "effect"
import { AppConfig } from "../../Config.ts"
import type { Plan, SubscriptionStatus } from "../../domain/access/Account.ts"
import { Accounts } from "./Accounts.ts"
import { ApiKeys } from "./ApiKeys.ts"
import { Passwords } from "./Passwords.ts"

const demoAccounts: ReadonlyArray<{
  readonly email: string
  readonly label: string
  readonly plan: Plan
  readonly status: SubscriptionStatus
}> = [
  { email: "growth@demo.example", label: "growth, active", plan: "growth", status: "active" },
  { email: "pro@demo.example", label: "pro, active", plan: "pro", status: "active" },
  { email: "unpaid@demo.example", label: "growth, unpaid", plan: "growth", status: "unpaid" }
]

const Access = Schema.Struct({
  email: Schema.String,
  password: Schema.String,
  accounts: Schema.Array(Schema.Struct({ label: Schema.String, key: Schema.String }))
})
/** The sign-in of one account, and an API key of each. */
export type Access = typeof Access.Type

const AccessJson = Schema.fromJsonString(Access)

const keyName = "Demo"

export class DemoAccountsError extends Schema.TaggedError<DemoAccountsError>()("DemoAccountsError", {
  message: Schema.String,
  cause: Schema.Defect()
}) {}

export class DemoAccounts extends Context.Service<
  DemoAccounts,
  {
    /** Creates the accounts if they do not exist; returns the same secrets at every start. */
    readonly ensure: Effect.Effect<Access, DemoAccountsError>
  }
>()("discovery/access/DemoAccounts") {
  static readonly layer = Layer.effect(
    DemoAccounts,
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const accounts = yield* Accounts
      const keys = yield* ApiKeys
      const passwords = yield* Passwords
      const { dataDir } = yield* AppConfig
      const file = path.join(dataDir, "demo-access.json")

      const saved = fs.readFileString(file).pipe(Effect.flatMap(Schema.decodeEffect(AccessJson)), Effect.option)

      const exist = Effect.forEach(demoAccounts, ({ email }) => accounts.find(email)).pipe(
        Effect.as(true),
        Effect.catchTag("AccountNotFound", () => Effect.succeed(false))
      )

      const make = Effect.gen(function* () {
        const password = yield* passwords.generate
        const made = yield* Effect.forEach(demoAccounts, ({ email, label, plan, status }) =>
          Effect.gen(function* () {
            // Keys need an active plan, so the unpaid account becomes unpaid last.
            const account = yield* accounts
              .resetPassword(email, password)
              .pipe(
                Effect.catchTag("AccountNotFound", () => accounts.create({ email, plan, status: "active", password }))
              )
            yield* accounts.setPlan(email, plan)
            yield* accounts.setStatus(email, "active")
            for (const key of yield* keys.list(account.id)) {
              if (key.name === keyName) yield* keys.revoke(account.id, key.id)
            }
            const { secret } = yield* keys.create(account.id, keyName)
            yield* accounts.setStatus(email, status)
            return { email, label, key: Redacted.value(secret) }
          })
        )
        const access: Access = {
          email: made[0]?.email ?? "",
          password: Redacted.value(password),
          accounts: made.map(({ key, label }) => ({ label, key }))
        }
        yield* fs.writeFileString(file, yield* Schema.encodeEffect(AccessJson)(access), { mode: 0o600 })
        return access
      })

      const ensure = Effect.gen(function* () {
        const kept = yield* saved
        return Option.isSome(kept) && (yield* exist) ? kept.value : yield* make
      }).pipe(
        Effect.mapError(
          (cause) =>
            new DemoAccountsError({ message: `The demo accounts could not be created: ${cause.message}`, cause })
        )
      )

      return { ensure }
    })
  )
}
