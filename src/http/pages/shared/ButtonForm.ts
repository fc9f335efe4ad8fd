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
    /** Those of what cannot be undone are `danger`. */
    readonly look?: "quiet" | "quiet danger" | "" | "secondary outline" | "danger"
    readonly about?: string | undefined
    readonly fields?: Fields | undefined
  } = {}
): Html => {
  const { about, fields, look = "secondary outline" } = options
  return html` <form method="post" action="${action}" class="${look.startsWith("quiet") ? "quiet" : "button"}">
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
export const quietForm = (
  visitor: Visitor,
  action: string,
  label: string,
  about?: string,
  fields?: Fields,
  look?: "danger"
): Html => buttonForm(visitor, action, label, { look: look === undefined ? "quiet" : "quiet danger", about, fields })

/** Confirms what the page says, or leads back. */
export const confirmForm = (
  visitor: Visitor,
  {
    action,
    back,
    label,
    look,
    hidden
  }: {
    readonly action: string
    readonly label: string
    readonly look?: "danger"
    readonly back: { readonly href: string; readonly label: string }
    readonly hidden?: Fields
  }
): Html =>
  html`<form method="post" action="${action}">
    ${Csrf.hidden(visitor, hidden)}
    <div class="actions">
      <button type="submit" ${look !== undefined && html`class="${look}"`}>${label}</button>
      <a href="${back.href}" role="button" class="secondary">${back.label}</a>
    </div>
  </form>`
