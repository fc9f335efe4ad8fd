/**
 * The accounts of the demo: Growth, Pro and unpaid. They exist only in the embedded PostgreSQL. Their secrets are random,
 * and kept in a file of the data folder that only its owner can read.
 */
import { Effect, FileSystem, Option, Path, Redacted, Schema } from "effect"
import { AppConfig } from "../../Config.ts"
import * as WholeFile from "../WholeFile.ts"
import { Accounts } from "./Accounts.ts"
import { ApiKeys } from "../credentials/ApiKeys.ts"
import { Passwords } from "../sessions/Passwords.ts"

const demoAccounts = [
  { email: "growth@demo.example", label: "growth, active", plan: "growth", status: "active" },
  { email: "pro@demo.example", label: "pro, active", plan: "pro", status: "active" },
  { email: "unpaid@demo.example", label: "growth, unpaid", plan: "growth", status: "unpaid" }
] as const

const Access = Schema.Struct({
  email: Schema.String,
  password: Schema.String,
  accounts: Schema.Array(Schema.Struct({ label: Schema.String, key: Schema.String }))
})
/** The sign-in of one account, and an API key of each. */
export type Access = typeof Access.Type

export const AccessJson = Schema.fromJsonString(Access)

const keyName = "Demo"
const maxFileBytes = 65_536

export class DemoAccountsError extends Schema.TaggedError<DemoAccountsError>()("DemoAccountsError", {
  message: Schema.String,
  cause: Schema.Defect()
}) {}

const file = Effect.gen(function* () {
  const path = yield* Path.Path
  const { dataDir } = yield* AppConfig
  return path.join(dataDir, "demo-access.json")
})

const saved = Effect.gen(function* () {
  return yield* Schema.decodeEffect(AccessJson)(yield* WholeFile.text(yield* file, maxFileBytes))
}).pipe(Effect.option)

const exist = Effect.gen(function* () {
  const accounts = yield* Accounts
  yield* Effect.forEach(demoAccounts, ({ email }) => accounts.find(email), { discard: true })
  return true
}).pipe(Effect.catchTag("AccountNotFound", () => Effect.succeed(false)))

const makeOne = Effect.fnUntraced(function* (
  { email, plan, status }: (typeof demoAccounts)[number],
  password: Redacted.Redacted
) {
  const accounts = yield* Accounts
  const keys = yield* ApiKeys
  // Keys need an active plan, so the unpaid account becomes unpaid last.
  const account = yield* accounts
    .resetPassword(email, password)
    .pipe(Effect.catchTag("AccountNotFound", () => accounts.create({ email, plan, status: "active", password })))
  yield* accounts.setPlan(email, plan)
  yield* accounts.setStatus(email, "active")
  for (const key of yield* keys.list(account.id)) {
    if (key.name === keyName) yield* keys.revoke(account.id, key.id)
  }
  const { secret } = yield* keys.create(account.id, keyName)
  yield* accounts.setStatus(email, status)
  return Redacted.value(secret)
})

const make = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const password = yield* Effect.flatMap(Passwords, ({ generate }) => generate)
  const access: Access = {
    email: demoAccounts[0].email,
    password: Redacted.value(password),
    accounts: yield* Effect.forEach(demoAccounts, (account) =>
      Effect.map(makeOne(account, password), (key) => ({ label: account.label, key }))
    )
  }
  yield* fs.writeFileString(yield* file, yield* Schema.encodeEffect(AccessJson)(access), { mode: 0o600 })
  return access
})

/** Creates the accounts if they do not exist; returns the same secrets at every start. */
export const ensure = Effect.gen(function* () {
  const existing = yield* saved
  return Option.isSome(existing) && (yield* exist) ? existing.value : yield* make
}).pipe(
  Effect.mapError(
    (cause) => new DemoAccountsError({ message: `The demo accounts could not be created: ${cause.message}`, cause })
  )
)
