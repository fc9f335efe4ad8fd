/**
 * The controls that keep items of the catalog on a board (D117): a button at each item, and one form for all buttons of a page, which
 * has the board to choose. The board that was used last is chosen; without one, the first item makes one.
 */
import { Effect } from "effect"
import { keyOf } from "../../../domain/catalog/Board.ts"
import type { ItemRef } from "../../../domain/catalog/Board.ts"
import type { ServiceUnavailable } from "../../../domain/ToolError.ts"
import type { Boards, Holding } from "../../../services/accounts/Boards.ts"
import * as Csrf from "../shared/Csrf.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import type { SignedIn } from "../shared/Visitors.ts"
import { boardPath, keepPath } from "./BoardPaths.ts"

export interface KeepControls {
  /** To be on the page once, beside the controls. It is seen only if there are boards to choose from. */
  readonly form: Html
  /** `name` is what the item is called. */
  readonly of: (item: ItemRef, name: string) => Html
}

/** The id of the element that says on which boards an item is. The answer to the form leads there. */
export const keptId = ({ id, kind }: ItemRef): string => `kept-${kind}-${id}`

const formId = "keep"

const form = (visitor: SignedIn, boards: ReadonlyArray<Holding>, returnTo: string): Html => {
  const { text } = visitor.locale
  const [first] = boards
  return html`<form method="post" action="${keepPath}" id="${formId}" class="keep-on">
    ${Csrf.hidden(visitor, { return_to: returnTo, board: boards.length === 1 ? first?.id : undefined })}
    ${
      boards.length > 1 &&
      html`<label for="keep-on">${text("boards.keepOn")}</label>
        <select id="keep-on" name="board">
          ${boards.map(({ id, name }) => html`<option value="${id}">${name}</option>`)}
        </select>`
    }
  </form>`
}

const control = (item: ItemRef, name: string, boards: ReadonlyArray<Holding>, { locale }: SignedIn): Html => {
  const { text } = locale
  const key = keyOf(item)
  const on = boards.filter(({ kept }) => kept.includes(key))
  const links = on.map(
    ({ id, name }, index) => html`${index > 0 && ", "}<a href="${boardPath(id)}"><bdi>${name}</bdi></a>`
  )
  return html`<p class="keep">
    ${
      (on.length === 0 || on.length < boards.length) &&
      html`<button
        type="submit"
        form="${formId}"
        name="item"
        value="${key}"
        class="quiet"
        aria-label="${text("boards.keepOf", { name })}"
      >
        ${text("boards.keep")}
      </button>`
    }
    ${on.length > 0 && html`<span id="${keptId(item)}" tabindex="-1">${locale.html("boards.keptOn", { board: html`${links}` })}</span>`}
  </p>`
}

/** For the items of a page at `returnTo`. */
export const make =
  (boards: Boards["Service"]) =>
  (
    visitor: SignedIn,
    items: ReadonlyArray<ItemRef>,
    returnTo: string
  ): Effect.Effect<KeepControls, ServiceUnavailable> =>
    Effect.map(boards.holding(visitor.session.accountId, items), (holding) => ({
      form: form(visitor, holding, returnTo),
      of: (item, name) => control(item, name, holding, visitor)
    }))
