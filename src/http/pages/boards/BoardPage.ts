/** `/dashboard/boards/:id`: what is kept on a board, as the cards of the searches, with notes (D117). */
import { DateTime, Effect, Layer, Schema } from "effect"
import { AppConfig } from "../../../Config.ts"
import * as AdItem from "../../../domain/catalog/AdItem.ts"
import { maxKeptItems } from "../../../domain/catalog/Board.ts"
import { links } from "../../../domain/catalog/DashboardUrl.ts"
import * as ProductItem from "../../../domain/catalog/ProductItem.ts"
import { Boards } from "../../../services/accounts/Boards.ts"
import { BoardReader, keptPerPage } from "../../../services/search/BoardReader.ts"
import type { BoardItem } from "../../../services/search/BoardReader.ts"
import { adCard } from "../catalog/AdCard.ts"
import { CatalogAccess } from "../catalog/CatalogAccess.ts"
import { compareBox, compareForm } from "../catalog/CompareControls.ts"
import { pageField, pageLinks } from "../catalog/PageLinks.ts"
import { productCard } from "../catalog/ProductCard.ts"
import { storeCard } from "../catalog/StoreCard.ts"
import { buttonForm, quietForm } from "../shared/ButtonForm.ts"
import { PageNotFound } from "../shared/ErrorPage.ts"
import { doneField, doneNotice } from "../shared/FlashNotice.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import { Layout } from "../shared/Layout.ts"
import { addressOf } from "../../shared/QueryParameters.ts"
import { NoFields, PageRoutes, reads, seeOther } from "../shared/PageRoutes.ts"
import { pathId } from "../shared/PathId.ts"
import { thirdPartyText } from "../shared/ThirdParty.ts"
import type { SignedIn } from "../shared/Visitors.ts"
import { boardPath, boardsPath, deletePath, notePath, removeGonePath, removePath, renamePath } from "./BoardPaths.ts"

/** Results of forms, which are shown once (BoardsPage, KeptItemPages). */
const flashNotices = ["created", "renamed", "noted", "removed", "boardFull"] as const

const Query = Schema.Struct({ ...pageField(Math.ceil(maxKeptItems / keptPerPage)), ...doneField(flashNotices) })
type Query = typeof Query.Type

/** What the item is called; `undefined` if its record is gone. */
const nameOf = (item: BoardItem): string | undefined => {
  switch (item.kind) {
    case "ad":
      return item.record?.page_name
    case "product":
      return item.record?.title
    case "store":
      return item.record?.name
  }
}

/** The note, and what can be done with the item, at the end of its card. */
const below = (item: BoardItem, visitor: SignedIn, place: { readonly board: number; readonly page: number }): Html => {
  const { locale } = visitor
  const { text } = locale
  const name = nameOf(item) ?? text(`boards.gone.${item.kind}`)
  const change = item.note === "" ? "add" : "edit"
  const at = html`<time datetime="${DateTime.formatIso(item.keptAt)}">${locale.date(item.keptAt)}</time>`
  return html`<div class="kept">
    ${item.note !== "" && html`<p class="note"><span class="unseen">${text("boards.note")}: </span><bdi>${item.note}</bdi></p>`}
    <p class="aside">${locale.html("boards.keptAt", { date: at })}</p>
    <div class="kept-actions">
      <a href="${notePath(item.id)}" aria-label="${text(`boards.noteActionOf.${change}`, { name })}"
        >${text(`boards.noteAction.${change}`)}</a
      >
      ${quietForm(visitor, removePath(item.id), text("saved.remove"), text("saved.removeOf", { name }), place, "danger")}
    </div>
  </div>`
}

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const routes = yield* PageRoutes
    const access = yield* CatalogAccess
    const boards = yield* Boards
    const reader = yield* BoardReader
    const { page } = yield* Layout
    const context = links(yield* AppConfig)

    const card = (
      item: BoardItem,
      visitor: SignedIn,
      {
        isCompared,
        today,
        ...place
      }: Parameters<typeof below>[2] & { readonly isCompared: boolean; readonly today: string }
    ): Html => {
      const { locale } = visitor
      const options = { shop: true, below: below(item, visitor, place) }
      if (item.record === undefined) {
        return html`<li class="card gone" data-kept-id="${item.id}">
          <p>${locale.text(`boards.gone.${item.kind}`)}</p>
          ${options.below}
        </li>`
      }
      switch (item.kind) {
        case "ad":
          return adCard(AdItem.present(item.record, { ...context, today }), locale, options)
        case "product":
          return productCard(ProductItem.present(item.record, context), locale, options)
        case "store":
          return storeCard(item.record, locale, {
            ...options,
            ...(isCompared ? { beside: compareBox(item.record, locale) } : {})
          })
      }
    }

    const show = Effect.fnUntraced(
      function* (visitor: SignedIn, { done, page: shown = 1 }: Query) {
        const { locale, session } = visitor
        const { text } = locale
        const board = yield* boards.get(session.accountId, yield* pathId)
        const { gone, items, total } = yield* reader.page(session.accountId, board.id, shown)
        const last = Math.max(1, Math.ceil(total / keptPerPage))
        const hrefOf = (to: number) => addressOf(boardPath(board.id), { page: to === 1 ? undefined : to })
        // The only item of the last page may just have been removed.
        if (shown > last) return seeOther(hrefOf(last))
        const today = DateTime.formatIsoDateUtc(yield* DateTime.now)
        const isCompared = items.filter(({ kind, record }) => kind === "store" && record !== undefined).length > 1
        return page({
          title: board.name,
          heading: thirdPartyText(board.name),
          account: visitor,
          section: "boards",
          width: "wide",
          policy: { images: true },
          body: html`
            ${doneNotice(done, flashNotices, (word) => text(`boards.done.${word}`, { most: maxKeptItems }), ["boardFull"])}
            <div class="board-head">
              <p class="aside">${text("boards.items", { count: total })}</p>
              <a href="${renamePath(board.id)}">${text("saved.rename")}</a>
              <a href="${deletePath(board.id)}" class="danger">${text("boards.delete")}</a>
              <a href="${boardsPath}">${text("boards.toBoards")}</a>
            </div>
            ${
              gone > 0 &&
              html`<div class="notice gone-items" role="note">
                <p>${text("boards.goneCount", { count: gone })}</p>
                ${buttonForm(visitor, removeGonePath(board.id), text("boards.removeGone", { count: gone }), { look: "danger" })}
              </div>`
            }
            ${
              total === 0
                ? html`<div class="empty"><p>${text("boards.nothing", { keep: text("boards.keep") })}</p></div>`
                : html`<ul class="cards">
                    ${items.map((item) => card(item, visitor, { board: board.id, page: shown, isCompared, today }))}
                  </ul>`
            }
            ${isCompared && compareForm(locale)} ${pageLinks({ page: shown, last, hrefOf, locale })}
          `
        })
      },
      Effect.catchTag("BoardNotFound", () => Effect.fail(new PageNotFound()))
    )

    const removeGone = Effect.fnUntraced(
      function* (visitor: SignedIn) {
        const id = yield* pathId
        yield* boards.dropGone(visitor.session.accountId, id)
        return seeOther(`${boardPath(id)}?done=removed`)
      },
      Effect.catchTag("BoardNotFound", () => Effect.fail(new PageNotFound()))
    )

    yield* routes.signedInPage(
      boardPath(":id"),
      reads(Query, (visitor, query) => access.allow(visitor, "boards", show(visitor, query)))
    )
    yield* routes.signedInForm(removeGonePath(":id"), boardsPath, NoFields, (_, visitor) =>
      access.allowUncounted(visitor, "boards", removeGone(visitor))
    )
  })
)
