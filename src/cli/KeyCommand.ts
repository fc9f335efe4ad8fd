/** `discovery key ...`: API keys of an account (S96 to S105). */
import { DateTime, Effect, Option, Redacted } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { mask } from "../domain/access/Credential.ts"
import { keyEnds } from "../domain/access/KeyEnd.ts"
import { ApiKeys } from "../services/credentials/ApiKeys.ts"
import type { ApiKey, NewKey } from "../services/credentials/ApiKeys.ts"
import { accountOf, email } from "./AccountCommand.ts"
import * as Output from "./Output.ts"
import { asUserError } from "./UserErrors.ts"

/**
 * Such as `12  dsk_…x7Qa  nightly job  made 2026-03-01T09:00:00.000Z  last used never`; a replaced key also shows its
 * end.
 */
const line = ({ createdAt, endsAt, id, lastFour, lastUsedAt, name }: ApiKey): string =>
  [
    String(id).padStart(5),
    mask("api_key", lastFour),
    name,
    `made ${DateTime.formatIso(createdAt)}`,
    `last used ${lastUsedAt === null ? "never" : DateTime.formatIso(lastUsedAt)}`,
    ...(endsAt === null ? [] : [`ends ${DateTime.formatIso(endsAt)}`])
  ].join("  ")

const tell = ({ key, secret }: NewKey) =>
  Effect.andThen(Output.line(line(key)), Output.line(`key  ${Redacted.value(secret)}   (shown this once)`))

const id = Argument.Int("id").pipe(Argument.withDescription("Number of the key, as listed"))

const create = Command.make(
  "create",
  { email, name: Argument.String("name").pipe(Argument.withDescription("What the key is for, 1 to 60 characters")) },
  ({ email, name }) =>
    Effect.gen(function* () {
      const account = yield* accountOf(email)
      yield* tell(yield* Effect.flatMap(ApiKeys, (keys) => keys.create(account.id, name)))
    }).pipe(asUserError)
).pipe(Command.withDescription("Make a key"))

const list = Command.make("list", { email }, ({ email }) =>
  Effect.gen(function* () {
    const account = yield* accountOf(email)
    const keys = yield* Effect.flatMap(ApiKeys, (keys) => keys.list(account.id))
    yield* Effect.forEach(keys, (key) => Output.line(line(key)), { discard: true })
  }).pipe(asUserError)
).pipe(Command.withDescription("List the active keys"))

const replace = Command.make(
  "replace",
  {
    email,
    id,
    ends: Flag.Literals("ends", keyEnds).pipe(Flag.withDescription("When the old key stops working; required")),
    name: Flag.String("name").pipe(
      Flag.withDescription("What the new key is for, 1 to 60 characters; default: as the old one"),
      Flag.optional
    )
  },
  ({ email, ends, id, name }) =>
    Effect.gen(function* () {
      const account = yield* accountOf(email)
      const made = yield* Effect.flatMap(ApiKeys, (keys) =>
        keys.replace(account.id, id, { ends, ...(Option.isSome(name) ? { name: name.value } : {}) })
      )
      yield* tell(made)
      yield* Output.line(
        ends === "now"
          ? `Key ${id} has ended; calls with it get HTTP 401 from now on.`
          : `Key ${id} works until ${DateTime.formatIso(made.replaced.endsAt)}; then calls with it get HTTP 401.`
      )
    }).pipe(asUserError)
).pipe(Command.withDescription("Make a key in place of another, which ends now or works on for a while"))

const revoke = Command.make("revoke", { email, id }, ({ email, id }) =>
  Effect.gen(function* () {
    const account = yield* accountOf(email)
    yield* Effect.flatMap(ApiKeys, (keys) => keys.revoke(account.id, id))
    yield* Output.line(`Key ${id} is revoked; calls with it get HTTP 401 from now on.`)
  }).pipe(asUserError)
).pipe(Command.withDescription("Revoke a key, at once"))

export const keyCommand = Command.make("key").pipe(
  Command.withDescription("API keys: make, list, replace and revoke them"),
  Command.withSubcommands([create, list, replace, revoke])
)
