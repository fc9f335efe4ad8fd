/**
 * The mails that people get, as plain text and as HTML, in the language of the page that they come from. Their texts come from
 * `locales/*.json` alone, so that nobody can have words of their own sent to others.
 */
import { Context, Redacted } from "effect"
import { html } from "hono/html"
import type { HtmlEscapedString } from "hono/utils/html"
import * as Messages from "../../domain/Messages.ts"
import type { Language } from "../../domain/Messages.ts"

/** The language of the request that a mail comes from; pages set it. */
export const MailLanguage = Context.Reference<Language>("discovery/mail/Language", { defaultValue: () => "en" })

interface Service {
  readonly baseUrl: string
  readonly supportUrl: string
}

const account = ({ baseUrl }: Service) => `${baseUrl}/dashboard/account`
const signIn = ({ baseUrl }: Service) => `${baseUrl}/sign-in`
const reset = ({ baseUrl }: Service) => `${baseUrl}/reset-password`
const help = ({ supportUrl }: Service) => supportUrl

/** Where a mail leads whose link is no secret. */
const places = {
  /** An account was asked for, and the address has one. */
  exists: signIn,
  /** The address was to be proved for an account that has another, and belongs to a third. */
  addressTaken: signIn,
  /** The password was set by a link in a mail. */
  passwordSet: reset,
  /** The password was changed by who knew the one before. */
  passwordChanged: reset,
  passkey_added: account,
  passkey_removed: account,
  second_step_on: account,
  second_step_off: account,
  codes_replaced: account,
  code_used: account,
  /** The command line has replaced the password, or removed the passkeys. */
  passwordReset: help,
  passkeysReset: help,
  /** To the address that the account had before. */
  addressChanged: help,
  closed: help
} as const

/**
 * Where a mail leads whose link has a secret: the address is to be proved for a new account, a new password is to be chosen, or
 * an account gets another address.
 */
const pages = {
  confirm: "/sign-up/confirm",
  reset: "/reset-password/new",
  newAddress: "/dashboard/account/email/confirm"
} as const

export type Linked = keyof typeof pages
export type Unlinked = keyof typeof places
export type Kind = Linked | Unlinked

export const isLinked = (kind: Kind): kind is Linked => kind in pages

/** Those that this version can write. */
export const kinds: ReadonlyArray<Kind> = [...Object.keys(pages), ...Object.keys(places)].filter(
  (kind): kind is Kind => kind in pages || kind in places
)

export type Letter = { readonly kind: Linked; readonly secret: Redacted.Redacted } | { readonly kind: Unlinked }

export const linkTo = (baseUrl: string, kind: Linked, secret: Redacted.Redacted): string =>
  `${baseUrl}${pages[kind]}?token=${Redacted.value(secret)}`

/** Sent because somebody entered the address, who may not be its owner. */
const askedFor: ReadonlySet<Kind> = new Set(["confirm", "exists", "reset", "newAddress", "addressTaken"])

export const isAskedFor = (kind: Kind): boolean => askedFor.has(kind)

/** What was done in a session of the account. Their texts differ by the subject alone. */
export const changes = [
  "passkey_added",
  "passkey_removed",
  "second_step_on",
  "second_step_off",
  "codes_replaced",
  "code_used"
] as const

export const isChange = (kind: Kind): kind is (typeof changes)[number] => changes.some((each) => each === kind)

const isAboutPassword = (kind: Kind): boolean =>
  kind === "passwordSet" || kind === "passwordChanged" || kind === "passwordReset"

/** After the link. */
const lastOf = (kind: Kind, service: Service, { text }: Messages.Messages): string | undefined => {
  if (askedFor.has(kind)) return text("mail.ignore")
  if (isChange(kind)) return text("mail.helpAt", { help: help(service) })
  return isAboutPassword(kind) ? text("mail.stays", { account: account(service) }) : undefined
}

export interface Written {
  readonly subject: string
  readonly text: string
  readonly html: string
}

export const write = (letter: Letter, language: Language, service: Service): Written => {
  const { kind } = letter
  const messages = Messages.of(language)
  const { text } = messages
  const about = isChange(kind) ? "signInChanged" : kind
  const subject = text(`mail.subject.${kind}`)
  const sentence = text(`mail.text.${about}`)
  const action = text(`mail.action.${about}`)
  const link = "secret" in letter ? linkTo(service.baseUrl, letter.kind, letter.secret) : places[letter.kind](service)
  const last = lastOf(kind, service, messages)
  const sentBy = text("mail.sentBy", { service: service.baseUrl })
  const paragraphs = [sentence, `${action}:\n${link}`, ...(last === undefined ? [] : [last]), `-- \n${sentBy}`]
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
            <p>${sentence}</p>
            <p><a href="${link}">${action}</a></p>
            ${last === undefined ? "" : html`<p>${last}</p>`}
            <hr />
            <p><small>${sentBy}</small></p>
          </body>
        </html>` as HtmlEscapedString
    ).valueOf()
  }
}
