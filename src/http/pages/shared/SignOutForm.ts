/** A sign-out button. With `returnTo`, the visitor can sign in as another account and continue there. */
import * as Csrf from "./Csrf.ts"
import { html } from "./Html.ts"
import type { Html } from "./Html.ts"
import type { SignedIn } from "./Visitors.ts"

export const signOutPath = "/sign-out"

export const signOutForm = (options: {
  readonly visitor: SignedIn
  readonly label: string
  /** `quiet` looks like a link in text; otherwise a secondary button. */
  readonly look?: "quiet" | "button"
  readonly returnTo?: string
}): Html =>
  html` <form method="post" action="${signOutPath}" class="${options.look ?? "button"}">
    ${Csrf.hidden(options.visitor)}
    ${options.returnTo !== undefined && html`<input type="hidden" name="return_to" value="${options.returnTo}" />`}
    <button type="submit" class="${options.look === "quiet" ? "quiet" : "secondary"}">${options.label}</button>
  </form>`
