/** `/dashboard/boards`: the boards of the account, and the forms that create, rename and delete one (D117). */
import { Effect, Layer, Schema } from "effect"
import type { HttpRouter, HttpServerResponse } from "effect/http"
import { BoardName, maxBoards, maxNameCharacters } from "../../../domain/catalog/Board.ts"
import { Boards } from "../../../services/accounts/Boards.ts"
import type { Board } from "../../../services/accounts/Boards.ts"
import { CatalogAccess } from "../catalog/CatalogAccess.ts"
import { nameForm } from "../catalog/SearchActions.ts"
import type { NameForm } from "../catalog/SearchActions.ts"
import { confirmForm } from "../shared/ButtonForm.ts"
import { PageNotFound } from "../shared/ErrorPage.ts"
import type { PageError } from "../shared/ErrorPage.ts"
import { problemSummary, refusal } from "../shared/Fields.ts"
import { doneField, doneNotice, withDone } from "../shared/FlashNotice.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import { Layout } from "../shared/Layout.ts"
import { NoFields, PageRoutes, reads, seeOther } from "../shared/PageRoutes.ts"
import { pathId } from "../shared/PathId.ts"
import type { SignedIn } from "../shared/Visitors.ts"
import { boardPath, boardsPath, deletePath, renamePath } from "./BoardPaths.ts"

/** A longer name makes the whole form invalid; a shorter one that is still too long gets a message. */
const NameField = Schema.Struct({ name: Schema.String.check(Schema.isMaxLength(10_000)) })

const isName = Schema.is(BoardName)

const flashNotices = ["deleted", "full", "missing"] as const

const Query = Schema.Struct(doneField(flashNotices))

type Answer = Effect.Effect<HttpServerResponse.HttpServerResponse, PageError, HttpRouter.RouteContext>

const row = ({ id, items, name }: Board, { locale: { text } }: SignedIn): Html =>
  html`<li data-board-id="${id}">
    <p>
      <a href="${boardPath(id)}"><bdi>${name}</bdi></a>
      <span class="badge">${text("boards.items", { count: items })}</span>
    </p>
    <div class="manage">
      <a href="${renamePath(id)}" aria-label="${text("saved.renameOf", { name })}">${text("saved.rename")}</a>
      <a href="${deletePath(id)}" class="danger" aria-label="${text("boards.deleteOf", { name })}"
        >${text("boards.delete")}</a
      >
    </div>
  </li>`

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const routes = yield* PageRoutes
    const access = yield* CatalogAccess
    const boards = yield* Boards
    const { page } = yield* Layout

    const list = Effect.fnUntraced(function* (visitor: SignedIn, { done }: typeof Query.Type) {
      const { text } = visitor.locale
      const all = yield* boards.list(visitor.session.accountId)
      return page({
        heading: text("boards.heading"),
        account: visitor,
        section: "boards",
        width: "wide",
        body: html`
          ${doneNotice(done, flashNotices, (word) => text(`boards.done.${word}`, { most: maxBoards }), ["full"])}
          <section class="panel">
            <p>${text("boards.about", { keep: text("boards.keep") })}</p>
            ${
              all.length === 0
                ? html`<p class="empty">${text("boards.empty")}</p>`
                : html`<p class="aside">${text("boards.count", { count: all.length, most: maxBoards })}</p>
                    <ul class="kept-searches">
                      ${all.map((board) => row(board, visitor))}
                    </ul>`
            }
          </section>
          ${
            all.length < maxBoards &&
            html`<section class="panel" aria-labelledby="create">
              <h2 id="create">${text("boards.createHeading")}</h2>
              ${nameForm(visitor, { action: boardsPath, button: text("boards.create") })}
            </section>`
          }
        `
      })
    })

    /** A page with only the form of a name: to rename, and after a name was refused. */
    const nameOn = (visitor: SignedIn, heading: string, isBad: boolean, form: NameForm) => {
      const { text } = visitor.locale
      const error = isBad ? text("saved.badName", { most: maxNameCharacters }) : undefined
      const refused = error === undefined ? undefined : refusal(400, { field: "name", message: error })
      return page({
        heading,
        refused,
        account: visitor,
        section: "boards",
        body: html`
          ${problemSummary(refused?.problems)} ${nameForm(visitor, { ...form, error })}
          <p><a href="${boardsPath}">${text("boards.toBoards")}</a></p>
        `
      })
    }

    const create = ({ name }: typeof NameField.Type, visitor: SignedIn): Answer => {
      const { text } = visitor.locale
      if (!isName(name)) {
        const form = { action: boardsPath, button: text("boards.create"), name }
        return Effect.succeed(nameOn(visitor, text("boards.createHeading"), true, form))
      }
      return boards.create(visitor.session.accountId, name).pipe(
        Effect.map((id) => seeOther(withDone(boardPath(id), "created"))),
        Effect.catchTag("TooManyBoards", () => Effect.succeed(seeOther(withDone(boardsPath, "full"))))
      )
    }

    const renaming = (visitor: SignedIn, id: number, name: string, isBad: boolean) =>
      nameOn(visitor, visitor.locale.text("boards.renameHeading"), isBad, {
        action: renamePath(id),
        button: visitor.locale.text("saved.rename"),
        name
      })

    const ask = Effect.fnUntraced(
      function* (visitor: SignedIn) {
        const id = yield* pathId
        const { name } = yield* boards.get(visitor.session.accountId, id)
        return renaming(visitor, id, name, false)
      },
      Effect.catchTag("BoardNotFound", noPage)
    )

    const rename = Effect.fnUntraced(
      function* ({ name }: typeof NameField.Type, visitor: SignedIn) {
        const id = yield* pathId
        const { accountId } = visitor.session
        if (!isName(name)) {
          yield* boards.get(accountId, id)
          return renaming(visitor, id, name, true)
        }
        yield* boards.rename(accountId, id, name)
        return seeOther(withDone(boardPath(id), "renamed"))
      },
      Effect.catchTag("BoardNotFound", noPage)
    )

    const confirm = Effect.fnUntraced(
      function* (visitor: SignedIn) {
        const { locale, session } = visitor
        const { text } = locale
        const { id, items, name } = yield* boards.get(session.accountId, yield* pathId)
        return page({
          heading: text("boards.deleteHeading"),
          account: visitor,
          section: "boards",
          body: html`
            <p>
              ${locale.html("boards.deleteAbout", { name: html`<strong><bdi>${name}</bdi></strong>`, count: items })}
            </p>
            ${confirmForm(visitor, {
              action: deletePath(id),
              label: text("boards.delete"),
              look: "danger",
              back: { href: boardPath(id), label: text("boards.deleteNot") }
            })}
          `
        })
      },
      Effect.catchTag("BoardNotFound", noPage)
    )

    // A board that is deleted already, or belongs to another account, gets the same answer as one that is deleted now.
    const remove = Effect.fnUntraced(function* (visitor: SignedIn) {
      yield* Effect.catchTag(
        boards.remove(visitor.session.accountId, yield* pathId),
        "BoardNotFound",
        () => Effect.void
      )
      return seeOther(withDone(boardsPath, "deleted"))
    })

    const allowed = (visitor: SignedIn, answer: Answer): Answer => access.allowUncounted(visitor, "boards", answer)

    yield* routes.signedInPage(
      boardsPath,
      reads(Query, (visitor, query) => allowed(visitor, list(visitor, query)))
    )
    yield* routes.signedInForm(boardsPath, boardsPath, NameField, (form, visitor) =>
      allowed(visitor, create(form, visitor))
    )
    yield* routes.signedInPage(renamePath(":id"), (visitor) => allowed(visitor, ask(visitor)))
    yield* routes.signedInForm(renamePath(":id"), boardsPath, NameField, (form, visitor) =>
      allowed(visitor, rename(form, visitor))
    )
    yield* routes.signedInPage(deletePath(":id"), (visitor) => allowed(visitor, confirm(visitor)))
    yield* routes.signedInForm(deletePath(":id"), boardsPath, NoFields, (_, visitor) =>
      allowed(visitor, remove(visitor))
    )
  })
)

const noPage = () => Effect.fail(new PageNotFound())
