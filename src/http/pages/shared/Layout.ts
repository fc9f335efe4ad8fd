/** The document around every page (D52): head, navigation and response headers. */
import { Context, Effect, Layer } from "effect"
import { HttpServerResponse } from "effect/http"
import { AppConfig } from "../../../Config.ts"
import { iconPath } from "../../shared/ServerInfo.ts"
import { Assets } from "./Assets.ts"
import { quietForm } from "./ButtonForm.ts"
import { documentationPath } from "../../shared/DocumentationPaths.ts"
import type { Refusal } from "./Fields.ts"
import { html } from "./Html.ts"
import type { Html } from "./Html.ts"
import { languageSwitch } from "./LanguageChoice.ts"
import * as Locale from "./Locale.ts"
import * as PageHeaders from "./PageHeaders.ts"
import { signOutPath } from "./ReturnTo.ts"
import * as SessionCookie from "./SessionCookie.ts"
import type { SignedIn, Visitor } from "./Visitors.ts"

/** The first page after a sign-in. */
export const overviewPath = "/dashboard"

export const sections = {
  ads: "/dashboard/ads",
  products: "/dashboard/products",
  stores: "/dashboard/shops",
  market: "/dashboard/market",
  changes: "/dashboard/changes",
  searches: "/dashboard/searches",
  boards: "/dashboard/boards",
  integrations: "/dashboard/integrations",
  usage: "/dashboard/usage",
  account: "/dashboard/account",
  operator: "/dashboard/operator"
} as const
export type Section = keyof typeof sections

export interface Page {
  /** The title of the window, to which ` · Discovery` is added. The heading by default. */
  readonly title?: string
  /** Text, or HTML together with a `title` that has the same text. */
  readonly heading: string | Html
  /**
   * A form of the page that was refused: the status and headers of the response. The title begins with it, because screen readers
   * read the title first.
   */
  readonly refused?: Refusal | undefined
  readonly body: Html
  /** The language of the page's texts. That of the account by default, or English without one. */
  readonly locale?: Locale.Locale | undefined
  /**
   * The signed-in account. The header leads to it, with the navigation and the sign-out; the footer names it. Pages that name it
   * themselves leave it out.
   */
  readonly account?: SignedIn | undefined
  /** The section of the dashboard that the page belongs to. */
  readonly section?: Section
  /** Links in the header, for pages without an account. */
  readonly ways?: Navigation
  /** Whether the page runs our script. By default, if there is an account. */
  readonly scripts?: boolean
  /** Whether the page has forms that a passkey answers, which need a script of their own. */
  readonly passkeys?: boolean
  /** `narrow`, the default, for text and forms; `wide` for tables. */
  readonly width?: "narrow" | "wide"
  /** 200 by default. */
  readonly status?: number | undefined
  readonly policy?: PageHeaders.PagePolicy
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** The documents are in English on every server. */
export const toDocumentation = ({ text }: Locale.Locale): Html =>
  html`<a href="${documentationPath}" hreflang="en">${text("layout.documentation")}</a>`

interface NavigationLink {
  readonly href: string
  readonly label: string
}

export interface Navigation {
  /** The label of the navigation. */
  readonly name: string
  /** The target of the brand. */
  readonly home: string
  readonly links: ReadonlyArray<NavigationLink>
  /** The `href` of the current page. */
  readonly current: string
  readonly out: NavigationLink
}

/** A page as text, to be sent more than once. */
interface Written {
  readonly text: string
  readonly contentType: string
  readonly headers: Readonly<Record<string, string>>
}

export class Layout extends Context.Service<
  Layout,
  {
    /** The response with all headers of a page. */
    readonly page: (page: Page) => HttpServerResponse.HttpServerResponse
    /** A page with a form for a visitor who may have no session: it sets the cookie that the form is bound to. */
    readonly guestPage: (visitor: Visitor, page: Page) => HttpServerResponse.HttpServerResponse
    readonly written: (page: Page) => Written
  }
>()("discovery/http/pages/Layout") {
  static readonly layer = Layer.effect(
    Layout,
    Effect.gen(function* () {
      const { passkeys, script, style } = yield* Assets
      const cookie = SessionCookie.of(yield* AppConfig)
      const written = (page: Page): Written => {
        // Pages without navigation, such as the consent page, run no scripts; those before a sign-in only that of passkeys.
        const scripts = page.scripts ?? page.account !== undefined
        return {
          text: String(
            document(page, {
              stylePath: style.path,
              scriptPaths: [...(scripts ? [script.path] : []), ...(page.passkeys === true ? [passkeys.path] : [])]
            })
          ),
          contentType: "text/html; charset=utf-8",
          headers: {
            ...PageHeaders.of({ scripts, passkeys: page.passkeys === true, ...page.policy }),
            ...(page.refused ?? page).headers
          }
        }
      }
      const respond = (page: Page) => {
        const { contentType, headers, text } = written(page)
        return HttpServerResponse.text(text, { status: (page.refused ?? page).status ?? 200, contentType, headers })
      }
      return {
        written,
        page: respond,
        guestPage: ({ locale, secret }, page) => cookie.set(secret)(respond({ locale, ...page }))
      }
    })
  )
}

const brand = html`<img src="${iconPath}" alt="" width="28" height="28" />Discovery`

/** In the order of the navigation. */
export const inNavigation = [
  "ads",
  "products",
  "stores",
  "market",
  "changes",
  "searches",
  "boards",
  "integrations",
  "usage"
] as const satisfies ReadonlyArray<Section>

const way = (section: Section, current: Section | undefined, label: string): Html =>
  html`<a href="${sections[section]}" ${section === current && html`aria-current="page"`}>${label}</a>`

const account = (visitor: SignedIn, current: Section | undefined, locale: Locale.Locale) =>
  html` <ul class="sections">
      ${inNavigation.map((section) => html`<li>${way(section, current, locale.text(`layout.section.${section}`))}</li>`)}
      ${visitor.session.role === "operator" && html`<li>${way("operator", current, locale.text("layout.section.operator"))}</li>`}
    </ul>
    <ul class="who">
      <li class="account">${way("account", current, locale.text("layout.account"))}</li>
      <li>${quietForm(visitor, signOutPath, locale.text("layout.signOut"))}</li>
    </ul>`

const signedInAs = ({ session }: SignedIn, locale: Locale.Locale) =>
  html`<span>${locale.html("layout.signedInAs", { email: html`<bdi>${session.email}</bdi>` })}</span>`

const others = ({ current, out, links: ways }: Navigation) =>
  html` <ul class="sections">
      ${ways.map(({ href, label }) => html`<li><a href="${href}" ${href === current && html`aria-current="page"`}>${label}</a></li>`)}
    </ul>
    <ul class="who">
      <li><a href="${out.href}">${out.label}</a></li>
    </ul>`

const document = (
  page: Page,
  { scriptPaths, stylePath }: { readonly stylePath: string; readonly scriptPaths: ReadonlyArray<string> }
): Html => {
  const locale = page.locale ?? page.account?.locale ?? Locale.of(undefined)
  const { language, text } = locale
  const home = page.account === undefined ? page.ways?.home : overviewPath
  const title = page.title ?? String(page.heading)
  const name = page.account === undefined ? (page.ways?.name ?? "Discovery") : text("layout.sections")
  return html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${page.refused !== undefined ? text("layout.titleOfError", { title }) : title} · Discovery</title>
        <link rel="icon" href="${iconPath}" />
        <link rel="stylesheet" href="${stylePath}" />
        ${scriptPaths.map((path) => html`<script type="module" src="${path}"></script>`)}
      </head>
      <body class="${page.width ?? "narrow"}">
        <a class="skip" href="#main">${text("layout.skip")}</a>
        <header>
          <nav aria-label="${name}">
            <ul>
              <li>
                ${home === undefined ? html`<span class="brand">${brand}</span>` : html`<a class="brand" href="${home}">${brand}</a>`}
              </li>
            </ul>
            ${page.account !== undefined && account(page.account, page.section, locale)}
            ${page.ways !== undefined && others(page.ways)}
          </nav>
        </header>
        <main id="main" tabindex="-1">
          <h1>${page.heading}</h1>
          ${page.body}
        </main>
        ${
          (page.account !== undefined || locale.place !== undefined) &&
          html`<footer>
            ${page.account !== undefined && html`${toDocumentation(locale)} ${signedInAs(page.account, locale)}`}
            ${languageSwitch(locale)}
          </footer>`
        }
      </body>
    </html> `
}
