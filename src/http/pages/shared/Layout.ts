/** The document around every page: head, navigation and response headers. */
import { Context, Effect, Layer } from "effect"
import { HttpServerResponse } from "effect/http"
import { iconPath } from "../../mcp/ServerInfo.ts"
import { Assets } from "./Assets.ts"
import { html } from "./Html.ts"
import type { Html } from "./Html.ts"
import * as Locale from "./Locale.ts"
import * as PageHeaders from "./PageHeaders.ts"
import { signOutForm } from "./SignOutForm.ts"
import type { SignedIn } from "./Visitors.ts"

/** The first page after a sign-in. */
export const overviewPath = "/dashboard"

/** The sections of the dashboard. */
export const sections = {
  ads: "/dashboard/ads",
  products: "/dashboard/products",
  stores: "/dashboard/shops",
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
  readonly body: Html
  /** The language of the page's texts; English by default. */
  readonly locale?: Locale.Locale | undefined
  /**
   * The signed-in account. The header names it, with the navigation and the sign-out. Pages that name it themselves leave
   * it out.
   */
  readonly account?: SignedIn | undefined
  /** The section of the dashboard that the page belongs to. */
  readonly section?: Section
  /** `narrow`, the default, for text and forms; `wide` for tables. */
  readonly width?: "narrow" | "wide"
  /** 200 by default. */
  readonly status?: number
  readonly policy?: PageHeaders.PagePolicy
  readonly headers?: Readonly<Record<string, string>>
}

export class Layout extends Context.Service<
  Layout,
  {
    /** The response with all headers of a page. */
    readonly page: (page: Page) => HttpServerResponse.HttpServerResponse
  }
>()("discovery/http/pages/Layout") {
  static readonly layer = Layer.effect(
    Layout,
    Effect.map(Assets, ({ script, style }) => ({
      page: (page: Page) => {
        // Pages without navigation, such as the consent page, run no scripts.
        const scripts = page.account !== undefined
        return HttpServerResponse.text(
          String(document(page, { stylePath: style.path, scriptPath: scripts ? script.path : undefined })),
          {
            status: page.status ?? 200,
            contentType: "text/html; charset=utf-8",
            headers: { ...PageHeaders.of({ scripts, ...page.policy }), ...page.headers }
          }
        )
      }
    }))
  )
}

const brand = html`<img src="${iconPath}" alt="" width="28" height="28" />Discovery`

/** In the order of the navigation. */
export const inNavigation = [
  "ads",
  "products",
  "stores",
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
      <li class="email">${way("account", current, visitor.session.email)}</li>
      <li>${signOutForm({ visitor, label: locale.text("layout.signOut"), look: "quiet" })}</li>
    </ul>`

const document = (
  page: Page,
  { scriptPath, stylePath }: { readonly stylePath: string; readonly scriptPath: string | undefined }
): Html => {
  const locale = page.locale ?? Locale.of(undefined)
  const { tag, text } = locale
  return html`<!doctype html>
    <html lang="${tag}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${page.title ?? page.heading} · Discovery</title>
        <link rel="icon" href="${iconPath}" type="image/svg+xml" />
        <link rel="stylesheet" href="${stylePath}" />
        ${scriptPath !== undefined && html`<script type="module" src="${scriptPath}"></script>`}
      </head>
      <body class="${page.width ?? "narrow"}">
        <a class="skip" href="#main">${text("layout.skip")}</a>
        <header>
          <nav aria-label="${page.account === undefined ? "Discovery" : text("layout.sections")}">
            <ul>
              <li>
                ${page.account === undefined ? html`<span class="brand">${brand}</span>` : html`<a class="brand" href="${overviewPath}">${brand}</a>`}
              </li>
            </ul>
            ${page.account !== undefined && account(page.account, page.section, locale)}
          </nav>
        </header>
        <main id="main" tabindex="-1">
          <h1>${page.heading}</h1>
          ${page.body}
        </main>
      </body>
    </html> `
}
