/** Parts of the pages that ask for a mail with a link, and of the pages that such links lead to. */
import { Redacted, Schema } from "effect"
import { refusal } from "../shared/Fields.ts"
import type { Refusal } from "../shared/Fields.ts"
import { html } from "../shared/Html.ts"
import type { Page } from "../shared/Layout.ts"
import type { LinkOver, Purpose } from "../../../services/accounts/AccountLinks.ts"
import type { Locale } from "../shared/Locale.ts"
import { anyLength } from "../../shared/QueryParameters.ts"

/** What makes a link work. Only ever in the query of an address, which no log and no trace has. */
export const Token = Schema.RedactedFromValue(Schema.String.check(Schema.isMaxLength(100)))

export const Email = Schema.String.check(Schema.isMaxLength(1000))

/** The parameter of a link's address. */
export const Link = Schema.Struct({
  token: Schema.optionalKey(Schema.String.check(Schema.isMaxCodePoints(anyLength)))
})

export const tokenOf = ({ token = "" }: typeof Link.Type): Redacted.Redacted => Redacted.make(token.slice(0, 100))

export const badEmail = (_: unknown, { text }: Locale): Refusal =>
  refusal(400, { field: "email", message: text("signUp.badEmail") })

/** The same whether a mail was sent or not. */
export const sent = (
  locale: Locale,
  purpose: "signUp" | "reset",
  /** Absent in an address without one. */
  email: string | undefined,
  again: string
): Page => ({
  heading: locale.text("mailLink.look"),
  locale,
  body: html`
    <p role="status">
      ${
        email === undefined
          ? locale.text(`mailLink.sent.${purpose}`)
          : locale.html(`mailLink.sentTo.${purpose}`, { email: html`<strong><bdi>${email}</bdi></strong>` })
      }
    </p>
    <p>${locale.text("mailLink.notThere")}</p>
    <p><a href="${again}">${locale.text("mailLink.again")}</a></p>
  `
})

/** The same for a link that was replaced or has expired, and for one that never was. One that was used says what it has done. */
export const over = (
  locale: Locale,
  { wasUsed = false }: LinkOver,
  { again, next, purpose }: { readonly purpose: Purpose; readonly again: string; readonly next: string }
): Page => ({
  heading: locale.text(wasUsed ? `mailLink.used.${purpose}` : "mailLink.over"),
  locale,
  status: 410,
  body: wasUsed
    ? html`
        <p role="status">${locale.text("mailLink.usedWhy")}</p>
        <p><a href="${next}">${locale.text(`mailLink.next.${purpose}`)}</a></p>
      `
    : html`
        <p>${locale.text("mailLink.overWhy")}</p>
        <p><a href="${again}">${locale.text("mailLink.again")}</a></p>
      `
})
