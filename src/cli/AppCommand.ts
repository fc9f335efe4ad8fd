/** `discovery app ...`: connected apps of an account (S94), and the server key of refresh tokens. */
import { DateTime, Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { ConnectedApps } from "../services/oauth/ConnectedApps.ts"
import type { ConnectedApp } from "../services/oauth/ConnectedApps.ts"
import { ServerKey } from "../services/oauth/ServerKey.ts"
import { availableOnce } from "../services/database/Availability.ts"
import { accountOf, email } from "./AccountCommand.ts"
import * as Output from "./Output.ts"
import { asUserError } from "./UserErrors.ts"

/** Such as `12  Claude  by claude.ai  connected 2026-03-01T09:00:00.000Z  last used never`. */
const line = ({ connectedAt, id, lastUsedAt, name, publisher }: ConnectedApp): string =>
  [
    String(id).padStart(5),
    name,
    publisher === null ? "by itself" : `by ${publisher}`,
    `connected ${DateTime.formatIso(connectedAt)}`,
    `last used ${lastUsedAt === null ? "never" : DateTime.formatIso(lastUsedAt)}`
  ].join("  ")

const list = Command.make("list", { email }, ({ email }) =>
  Effect.gen(function* () {
    const account = yield* accountOf(email)
    const apps = yield* Effect.flatMap(ConnectedApps, (apps) => apps.list(account.id))
    yield* Effect.forEach(apps, (app) => Output.line(line(app)), { discard: true })
  }).pipe(asUserError)
).pipe(Command.withDescription("List the connected apps"))

const revoke = Command.make(
  "revoke",
  { email, id: Argument.Int("id").pipe(Argument.withDescription("Number of the app, as listed")) },
  ({ email, id }) =>
    Effect.gen(function* () {
      const account = yield* accountOf(email)
      yield* Effect.flatMap(ConnectedApps, (apps) => apps.revoke(account.id, id))
      yield* Output.line(`App ${id} is disconnected; calls with its tokens get HTTP 401 from now on.`)
    }).pipe(asUserError)
).pipe(Command.withDescription("Disconnect an app, at once"))

const rotateKey = Command.make("rotate-key", {}, () =>
  Effect.gen(function* () {
    yield* Effect.flatMap(ServerKey, ({ rotate }) => availableOnce(rotate))
    yield* Output.line("There is a new key: every server uses it within five minutes. Connected apps stay connected.")
  }).pipe(asUserError)
).pipe(Command.withDescription("Make the refresh tokens to come with a new key"))

export const appCommand = Command.make("app").pipe(
  Command.withDescription("Connected apps: list and revoke them; rotate their key"),
  Command.withSubcommands([list, revoke, rotateKey])
)
