/** The forms for tracking a store and for ending it, on its own page and on the list of stores. */
import { Effect, Layer, Schema } from "effect"
import type { AccountId } from "../../../domain/access/Account.ts"
import type { ServiceUnavailable } from "../../../domain/ToolError.ts"
import { TrackedShops } from "../../../services/accounts/TrackedShops.ts"
import type { UnknownStore } from "../../../services/accounts/TrackedShops.ts"
import { CatalogAccess } from "./CatalogAccess.ts"
import { PageNotFound } from "../shared/ErrorPage.ts"
import { PageRoutes, seeOther } from "../shared/PageRoutes.ts"
import { PathId, pathId } from "../shared/PathId.ts"
import * as ReturnTo from "../shared/ReturnTo.ts"
import type { Done } from "./StorePage.ts"
import { storePath, storesPath } from "./StorePaths.ts"

/** `list_page`: the page of the list that has the form; absent on the store's own page. */
const Form = Schema.Struct({ list_page: Schema.optionalKey(PathId) })

type Change = (accountId: AccountId, shopId: number) => Effect.Effect<Done, UnknownStore | ServiceUnavailable>

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const routes = yield* PageRoutes
    const access = yield* CatalogAccess
    const tracked = yield* TrackedShops

    const changes: Readonly<Record<"track" | "untrack", Change>> = {
      track: (accountId, shopId) =>
        tracked
          .track(accountId, shopId)
          .pipe(Effect.catchTag("TooManyTrackedShops", () => Effect.succeed("full" as const))),
      untrack: (accountId, shopId) =>
        Effect.map(tracked.untrack(accountId, shopId), (standing) => standing ?? ("untracked" as const))
    }

    for (const [name, change] of Object.entries(changes)) {
      yield* routes.signedInForm(
        `${storesPath}/:id/${name}`, // The page of the store that has the form.
        ({ url }) => ReturnTo.parse(url.slice(0, url.lastIndexOf("/"))),
        Form,
        ({ list_page: listPage }, visitor) =>
          access.allow(
            visitor,
            "stores",
            Effect.gen(function* () {
              const id = yield* pathId
              const done = yield* change(visitor.session.accountId, id).pipe(
                Effect.catchTag("UnknownStore", () => Effect.fail(new PageNotFound()))
              )
              return seeOther(
                listPage === undefined ? `${storePath(id)}?done=${done}` : `${storesPath}?page=${listPage}&done=${done}`
              )
            })
          )
      )
    }
  })
)
