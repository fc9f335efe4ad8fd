/** `discovery track ...`: tracked stores and own brand stores of an account (D12). */
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { TrackedShops } from "../services/accounts/TrackedShops.ts"
import type { TrackedShop } from "../services/accounts/TrackedShops.ts"
import { accountOf, email } from "./AccountCommand.ts"
import * as Output from "./Output.ts"
import { asUserError } from "./UserErrors.ts"

const domain = Argument.String("domain").pipe(Argument.withDescription("Domain of the store"))

/** Such as `   12  tracked  shop.example.com`. */
const line = ({ domain, kind, shopId }: TrackedShop): string =>
  [String(shopId).padStart(5), kind.padEnd(7), domain].join("  ")

const add = Command.make(
  "add",
  {
    email,
    domain,
    own: Flag.Boolean("own").pipe(
      Flag.withDescription("It is a brand store of the account's own"),
      Flag.withDefault(false)
    )
  },
  ({ domain, email, own }) =>
    Effect.gen(function* () {
      const account = yield* accountOf(email)
      const shops = yield* TrackedShops
      yield* Output.line(line(yield* shops.add(account.id, domain, own ? "own" : "tracked")))
    }).pipe(asUserError)
).pipe(Command.withDescription("Track a store, or make it an own one"))

const remove = Command.make("remove", { email, domain }, ({ domain, email }) =>
  Effect.gen(function* () {
    const account = yield* accountOf(email)
    yield* Effect.flatMap(TrackedShops, (shops) => shops.remove(account.id, domain))
    yield* Output.line(`${domain} is no longer tracked or an own store.`)
  }).pipe(asUserError)
).pipe(Command.withDescription("Track a store no longer"))

const list = Command.make("list", { email }, ({ email }) =>
  Effect.gen(function* () {
    const account = yield* accountOf(email)
    const shops = yield* Effect.flatMap(TrackedShops, (shops) => shops.list(account.id))
    yield* Effect.forEach(shops, (shop) => Output.line(line(shop)), { discard: true })
  }).pipe(asUserError)
).pipe(Command.withDescription("List the tracked and own stores"))

export const trackCommand = Command.make("track").pipe(
  Command.withDescription("Tracked and own stores of an account: add, remove and list them"),
  Command.withSubcommands([add, remove, list])
)
