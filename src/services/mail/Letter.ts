/**
 * The mails that people get, as plain text and as HTML, in the language of the page that they come from. Their texts come from
 * `locales/*.json` alone, so that nobody can have words of their own sent to others. Alerts name the saved searches of their account.
 */
import { Context, Redacted } from "effect"
import { html } from "hono/html"
import type { HtmlEscapedString } from "hono/utils/html"
import type { AlertNews, SearchNews } from "../../domain/search/SearchAlert.ts"
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
const webhook = ({ baseUrl }: Service) => `${baseUrl}/dashboard/integrations/webhook`
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
  closed: help,
  /** Nothing is delivered to it any more (D114). */
  webhookDisabled: webhook
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
/** Has news, and a link that turns off such mails. */
export type Alert = "alerts"
export type Kind = Linked | Unlinked | Alert

export const isLinked = (kind: Kind): kind is Linked => kind in pages

const isKind = (kind: string): kind is Kind => kind in pages || kind in places || kind === "alerts"

/** Those that this version can write. */
export const kinds: ReadonlyArray<Kind> = [...Object.keys(pages), ...Object.keys(places), "alerts"].filter(isKind)

export type Letter =
  | { readonly kind: Linked; readonly secret: Redacted.Redacted }
  | { readonly kind: Unlinked }
  | { readonly kind: Alert; readonly secret: Redacted.Redacted; readonly news: AlertNews }

export const linkTo = (baseUrl: string, kind: Linked, secret: Redacted.Redacted): string =>
  `${baseUrl}${pages[kind]}?token=${Redacted.value(secret)}`

const searches = ({ baseUrl }: Service) => `${baseUrl}/dashboard/searches`

/** Where alerts are turned off without a sign-in. */
export const unsubscribePath = "/alerts/unsubscribe"
const unsubscribe = ({ baseUrl }: Service, secret: Redacted.Redacted) =>
  `${baseUrl}${unsubscribePath}?token=${Redacted.value(secret)}`

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
  /** Turns off mails of this kind by a POST (RFC 8058). */
  readonly unsubscribe?: string
}

/** What is new in a search, in the words of a language. */
const newsOf = ({ changes, results }: SearchNews, { text }: Messages.Messages): ReadonlyArray<string> => [
  ...(results > 0 ? [text("mail.alerts.results", { count: results })] : []),
  ...changes.map(({ count, kind }) => text(`mail.alerts.changes.${kind}`, { count }))
]

/** The parts of a mail. */
interface Parts {
  readonly subject: string
  readonly sentence: string
  /** As text and as HTML, before the link. */
  readonly more?: { readonly text: ReadonlyArray<string>; readonly html: Html }
  readonly action: string
  readonly link: string
  readonly last?: string | undefined
  /** Turns off such mails. */
  readonly off?: { readonly action: string; readonly link: string }
}

type Html = ReturnType<typeof html>

const framed = (parts: Parts, language: Language, service: Service): Written => {
  const { action, last, link, more, off, sentence, subject } = parts
  const sentBy = Messages.of(language).text("mail.sentBy", { service: service.baseUrl })
  const paragraphs = [
    sentence,
    ...(more?.text ?? []),
    `${action}:\n${link}`,
    ...(last === undefined ? [] : [last]),
    ...(off === undefined ? [] : [`${off.action}:\n${off.link}`]),
    `-- \n${sentBy}`
  ]
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
            ${more === undefined ? "" : more.html}
            <p><a href="${link}">${action}</a></p>
            ${last === undefined ? "" : html`<p>${last}</p>`}
            ${off === undefined ? "" : html`<p><a href="${off.link}">${off.action}</a></p>`}
            <hr />
            <p><small>${sentBy}</small></p>
          </body>
        </html>` as HtmlEscapedString
    ).valueOf()
  }
}

const alerts = (
  { news, secret }: Extract<Letter, { readonly kind: Alert }>,
  language: Language,
  service: Service
): Written => {
  const messages = Messages.of(language)
  const { text } = messages
  const listed = news.searches.map((search) => ({
    ...search,
    link: `${searches(service)}/${search.id}`,
    title: text("mail.alerts.search", { name: search.name, subject: text(`layout.section.${search.subject}`) }),
    lines: newsOf(search, messages)
  }))
  const off = unsubscribe(service, secret)
  const written = framed(
    {
      subject: text("mail.subject.alerts", { count: listed.length }),
      sentence: text("mail.text.alerts"),
      more: {
        text: listed.map(({ lines, link, title }) => [title, ...lines.map((line) => `- ${line}`), link].join("\n")),
        html: html`${listed.map(
          ({ lines, link, title }) =>
            html`<p><a href="${link}">${title}</a></p>
              <ul>
                ${lines.map((line) => html`<li>${line}</li>`)}
              </ul>`
        )}`
      },
      action: text("mail.action.alerts"),
      link: searches(service),
      off: { action: text("mail.alerts.off"), link: off }
    },
    language,
    service
  )
  return { ...written, unsubscribe: off }
}

export const write = (letter: Letter, language: Language, service: Service): Written => {
  if (letter.kind === "alerts") return alerts(letter, language, service)
  const { kind } = letter
  const messages = Messages.of(language)
  const { text } = messages
  const about = isChange(kind) ? "signInChanged" : kind
  return framed(
    {
      subject: text(`mail.subject.${kind}`),
      sentence: text(`mail.text.${about}`),
      action: text(`mail.action.${about}`),
      link: "secret" in letter ? linkTo(service.baseUrl, letter.kind, letter.secret) : places[letter.kind](service),
      last: lastOf(kind, service, messages)
    },
    language,
    service
  )
}
