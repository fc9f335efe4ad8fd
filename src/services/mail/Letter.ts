/**
 * The mails that people get, as plain text and as HTML, in the language of who asked for them. Their texts come from
 * `locales/*.json` alone, so that nobody can have words of their own sent to others.
 */
import { html } from "hono/html"
import type { HtmlEscapedString } from "hono/utils/html"
import * as Messages from "../../domain/Messages.ts"
import type { Language } from "../../domain/Messages.ts"

export type Kind =
  /** The address is to be proved, for a new account. */
  | "confirm"
  /** An account was asked for, and the address has one. */
  | "exists"
  | "reset"
  /** The password was set by such a link. */
  | "passwordSet"
  /** The address is to be proved, for an account that has another. */
  | "newAddress"
  /** That was asked for, and the address has another account. */
  | "addressTaken"
  /** To the address that the account had before. */
  | "addressChanged"
  | "closed"

export interface Letter {
  readonly kind: Kind
  readonly to: string
  readonly language: Language
  /** The address of the page that the mail leads to. */
  readonly link: string
}

/** Sent because somebody entered the address, who may not be its owner. */
const askedFor: ReadonlySet<Kind> = new Set(["confirm", "exists", "reset", "newAddress", "addressTaken"])

export interface Written {
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** `service` is the address of the service. */
export const write = ({ kind, language, link }: Letter, service: string): Written => {
  const { text } = Messages.make(language)
  const subject = text(`mail.subject.${kind}`)
  const said = text(`mail.text.${kind}`)
  const action = text(`mail.action.${kind}`)
  const ignore = askedFor.has(kind) ? text("mail.ignore") : undefined
  const sentBy = text("mail.sentBy", { service })
  const paragraphs = [said, `${action}:\n${link}`, ...(ignore === undefined ? [] : [ignore]), `-- \n${sentBy}`]
  return {
    subject,
    text: `${paragraphs.join("\n\n")}\n`,
    // A promise only if a value is one, and none is.
    html: (
      html`<!doctype html>
        <html lang="${language}">
          <head>
            <meta charset="utf-8" />
            <title>${subject}</title>
          </head>
          <body style="font-family: sans-serif; line-height: 1.5; max-width: 36em">
            <h1 style="font-size: 1.25em">${subject}</h1>
            <p>${said}</p>
            <p><a href="${link}">${action}</a></p>
            ${ignore === undefined ? "" : html`<p>${ignore}</p>`}
            <hr />
            <p><small>${sentBy}</small></p>
          </body>
        </html>` as HtmlEscapedString
    ).valueOf()
  }
}
