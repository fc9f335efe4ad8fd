/** The forms of kept items (D117): keeping one on a board, its note, and removing it. */
import { Effect, Layer, Option, Schema } from "effect"
import type { HttpRouter, HttpServerResponse } from "effect/http"
import { ItemKey, maxNoteCharacters, Note, noteOf } from "../../../domain/catalog/Board.ts"
import { Boards } from "../../../services/accounts/Boards.ts"
import type { KeptItem, Place } from "../../../services/accounts/Boards.ts"
import { CatalogAccess } from "../catalog/CatalogAccess.ts"
import * as Csrf from "../shared/Csrf.ts"
import { PageNotFound } from "../shared/ErrorPage.ts"
import type { PageError } from "../shared/ErrorPage.ts"
import { problemSummary, refusal } from "../shared/Fields.ts"
import type { Refusal } from "../shared/Fields.ts"
import { withDone } from "../shared/FlashNotice.ts"
import { html } from "../shared/Html.ts"
import { Layout } from "../shared/Layout.ts"
import { PageRoutes, seeOther } from "../shared/PageRoutes.ts"
import { PathId, pathId } from "../shared/PathId.ts"
import * as ReturnTo from "../shared/ReturnTo.ts"
import type { SignedIn } from "../shared/Visitors.ts"
import { boardPath, boardsPath, keepPath, notePath, removePath } from "./BoardPaths.ts"
import { keptId } from "./KeepControls.ts"

/** Without a board, the item gets a new one. */
const KeepForm = Schema.Struct({
  item: ItemKey,
  board: Schema.optionalKey(PathId),
  return_to: Schema.optionalKey(Schema.String)
})

/** A longer note makes the whole form invalid; a shorter one that is still too long gets a message. */
const NoteForm = Schema.Struct({ note: Schema.String.check(Schema.isMaxLength(20_000)) })

/** The board that has the form, and the page of it. */
const RemoveForm = Schema.Struct({ board: PathId, page: Schema.optionalKey(PathId) })

const decodeNote = Schema.decodeUnknownOption(Note)

type Answer = Effect.Effect<HttpServerResponse.HttpServerResponse, PageError, HttpRouter.RouteContext>

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const routes = yield* PageRoutes
    const access = yield* CatalogAccess
    const boards = yield* Boards
    const { page } = yield* Layout

    const keep = ({ board, item, return_to }: typeof KeepForm.Type, visitor: SignedIn): Answer => {
      const place: Place = board === undefined ? { newName: visitor.locale.text("boards.first") } : { boardId: board }
      // The fragment leads to what the page now says about the item, which takes the focus.
      const [back] = ReturnTo.parse(return_to)?.split("#") ?? []
      return boards.keep(visitor.session.accountId, item, place).pipe(
        Effect.map((id) => seeOther(back === undefined ? boardPath(id) : `${back}#${keptId(item)}`)),
        Effect.catchTags({
          BoardFull: ({ boardId }) => Effect.succeed(seeOther(withDone(boardPath(boardId), "boardFull"))),
          TooManyBoards: () => Effect.succeed(seeOther(withDone(boardsPath, "full"))),
          // It was deleted after the page was opened.
          BoardNotFound: () => Effect.succeed(seeOther(withDone(boardsPath, "missing"))),
          UnknownItem: noPage
        })
      )
    }

    const noteOn = (visitor: SignedIn, { boardId, id }: KeptItem, note: string, refused?: Refusal) => {
      const { text } = visitor.locale
      const error = refused?.problems[0]?.message
      return page({
        heading: text("boards.noteHeading"),
        refused,
        account: visitor,
        section: "boards",
        body: html`
          ${problemSummary(refused?.problems)}
          <form method="post" action="${notePath(id)}">
            ${Csrf.hidden(visitor)}
            <div class="field">
              <label for="note">${text("boards.note")}</label>
              <p class="hint" id="note-hint">${text("boards.noteHint", { most: maxNoteCharacters })}</p>
              ${error !== undefined && html`<p class="error" id="note-error">${error}</p>`}
              <textarea
                id="note"
                name="note"
                rows="6"
                dir="auto"
                aria-describedby="note-hint${error !== undefined && " note-error"}"
                ${error !== undefined && html`aria-invalid="true"`}
              >
${note}</textarea>
            </div>
            <button type="submit">${text("boards.saveNote")}</button>
          </form>
          <p><a href="${boardPath(boardId)}">${text("boards.toBoard")}</a></p>
        `
      })
    }

    const ask = Effect.fnUntraced(
      function* (visitor: SignedIn) {
        const item = yield* boards.item(visitor.session.accountId, yield* pathId)
        return noteOn(visitor, item, item.note)
      },
      Effect.catchTag("KeptItemNotFound", noPage)
    )

    const annotate = Effect.fnUntraced(
      function* (form: typeof NoteForm.Type, visitor: SignedIn) {
        const id = yield* pathId
        const { locale, session } = visitor
        const typed = noteOf(form.note)
        const note = decodeNote(typed)
        if (Option.isNone(note)) {
          const message = locale.text("boards.noteTooLong", {
            count: Array.from(typed).length,
            most: maxNoteCharacters
          })
          const item = yield* boards.item(session.accountId, id)
          return noteOn(visitor, item, form.note, refusal(400, { field: "note", message }))
        }
        const board = yield* boards.annotate(session.accountId, id, note.value)
        return seeOther(withDone(boardPath(board), "noted"))
      },
      Effect.catchTag("KeptItemNotFound", noPage)
    )

    // An item that is removed already, or belongs to another account, gets the same answer as one that is removed now.
    const remove = Effect.fnUntraced(function* ({ board, page = 1 }: typeof RemoveForm.Type, visitor: SignedIn) {
      yield* Effect.catchTag(
        boards.drop(visitor.session.accountId, yield* pathId),
        "KeptItemNotFound",
        () => Effect.void
      )
      return seeOther(withDone(page === 1 ? boardPath(board) : `${boardPath(board)}?page=${page}`, "removed"))
    })

    const allowed = (visitor: SignedIn, answer: Answer): Answer => access.allowUncounted(visitor, "boards", answer)

    yield* routes.signedInForm(keepPath, boardsPath, KeepForm, (form, visitor) => allowed(visitor, keep(form, visitor)))
    yield* routes.signedInPage(notePath(":id"), (visitor) => allowed(visitor, ask(visitor)))
    yield* routes.signedInForm(notePath(":id"), boardsPath, NoteForm, (form, visitor) =>
      allowed(visitor, annotate(form, visitor))
    )
    yield* routes.signedInForm(removePath(":id"), boardsPath, RemoveForm, (form, visitor) =>
      allowed(visitor, remove(form, visitor))
    )
  })
)

const noPage = () => Effect.fail(new PageNotFound())
