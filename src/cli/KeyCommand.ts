/** `discovery key ...`: API keys of an account (seed, "API keys"). */
import { Console, DateTime, Effect, Redacted } from "effect"
import { Argument, Command } from "effect/cli"
import { mask } from "../domain/access/Credential.ts"
import { Accounts } from "../services/access/Accounts.ts"
import { ApiKeys } from "../services/access/ApiKeys.ts"
import type { ApiKey } from "../services/access/ApiKeys.ts"
import { email } from "./AccountCommand.ts"
import { asUserError } from "./UserErrors.ts"

/** Such as `12  dsk_…x7Qa  nightly job  made 2026-03-01T09:00:00.000Z  last used never`. */
const line = ({ createdAt, id, lastFour, lastUsedAt, name }: ApiKey): string =>
  [
    String(id).padStart(5),
    mask("api_key", lastFour),
    name,
    `made ${DateTime.formatIso(createdAt)}`,
    `last used ${lastUsedAt === null ? "never" : DateTime.formatIso(lastUsedAt)}`
  ].join("  ")

const create = Command.make(
  "create",
  { email, name: Argument.String("name").pipe(Argument.withDescription("What the key is for, 1 to 60 characters")) },
  ({ email, name }) =>
    Effect.gen(function* () {
      const account = yield* Effect.flatMap(Accounts, (accounts) => accounts.find(email))
      const { key, secret } = yield* Effect.flatMap(ApiKeys, (keys) => keys.create(account.id, name))
      yield* Console.log(line(key))
      yield* Console.log(`key  ${Redacted.value(secret)}   (shown this once)`)
    }).pipe(asUserError)
).pipe(Command.withDescription("Make a key"))

const list = Command.make("list", { email }, ({ email }) =>
  Effect.gen(function* () {
    const account = yield* Effect.flatMap(Accounts, (accounts) => accounts.find(email))
    const keys = yield* Effect.flatMap(ApiKeys, (keys) => keys.list(account.id))
    yield* Effect.forEach(keys, (key) => Console.log(line(key)), { discard: true })
  }).pipe(asUserError)
).pipe(Command.withDescription("List the active keys"))

const revoke = Command.make(
  "revoke",
  { email, id: Argument.Int("id").pipe(Argument.withDescription("Number of the key, as listed")) },
  ({ email, id }) =>
    Effect.gen(function* () {
      const account = yield* Effect.flatMap(Accounts, (accounts) => accounts.find(email))
      yield* Effect.flatMap(ApiKeys, (keys) => keys.revoke(account.id, id))
      yield* Console.log(`Key ${id} is revoked; calls with it get HTTP 401 from now on.`)
    }).pipe(asUserError)
).pipe(Command.withDescription("Revoke a key, at once"))

export const keyCommand = Command.make("key").pipe(
  Command.withDescription("API keys: make, list and revoke them"),
  Command.withSubcommands([create, list, revoke])
)
