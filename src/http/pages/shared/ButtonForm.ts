/** Forms without fields: one button, or a confirmation. */
import * as Csrf from "./Csrf.ts"
import { html } from "./Html.ts"
import type { Html } from "./Html.ts"
import type { Visitor } from "./Visitors.ts"

/** Those that are hidden. */
type Fields = Readonly<Record<string, string | number>>

export const buttonForm = (
  visitor: Visitor,
  action: string,
  label: string,
  options: {
    readonly look?: "quiet" | "" | "secondary outline"
    readonly about?: string | undefined
    readonly fields?: Fields | undefined
  } = {}
): Html => {
  const { about, fields, look = "secondary outline" } = options
  return html` <form method="post" action="${action}" class="${look === "quiet" ? look : "button"}">
    ${Csrf.hidden(visitor, fields)}
    <button
      type="submit"
      ${look !== "" && html` class="${look}"`}${about !== undefined && html` aria-label="${about}"`}
    >
      ${label}
    </button>
  </form>`
}

/** A button that looks like a link. `about` is what it does, where others on the page have the same label. */
export const quietForm = (visitor: Visitor, action: string, label: string, about?: string, fields?: Fields): Html =>
  buttonForm(visitor, action, label, { look: "quiet", about, fields })

/** Confirms what the page says, or leads back. */
export const confirmForm = (
  visitor: Visitor,
  {
    action,
    back,
    label,
    hidden
  }: {
    readonly action: string
    readonly label: string
    readonly back: { readonly href: string; readonly label: string }
    readonly hidden?: Fields
  }
): Html =>
  html`<form method="post" action="${action}">
    ${Csrf.hidden(visitor, hidden)}
    <div class="actions">
      <button type="submit">${label}</button>
      <a href="${back.href}" role="button" class="secondary">${back.label}</a>
    </div>
  </form>`
