/** What all pages have in common: the document around them, and its headers. */
import { Context, Effect, Layer } from "effect"
import { HttpServerResponse } from "effect/http"
import { iconPath } from "../mcp/ServerInfo.ts"
import { Assets } from "./Assets.ts"
import { html } from "./Html.ts"
import type { Html } from "./Html.ts"
import * as PageHeaders from "./PageHeaders.ts"
import { signOutForm } from "./SignOutForm.ts"
import type { SignedIn } from "./Visitors.ts"

export interface Page {
  /** Of the window; without it, the heading. ` · Discovery` is added. */
  readonly title?: string
  /** Text; or HTML, and then `title` says the same without it. */
  readonly heading: string | Html
  readonly body: Html
  /** Who is signed in, to be named in the page's head with a way out; left out where the page itself says so. */
  readonly account?: SignedIn | undefined
  /** One column of text and fields, as wide as they need; `wide` for tables. */
  readonly width?: "narrow" | "wide"
  /** 200 without it. */
  readonly status?: number
  readonly policy?: PageHeaders.PagePolicy
  readonly headers?: Readonly<Record<string, string>>
}

export class Layout extends Context.Service<
  Layout,
  {
    /** With all headers of a page. */
    readonly page: (page: Page) => HttpServerResponse.HttpServerResponse
  }
>()("discovery/http/pages/Layout") {
  static readonly layer = Layer.effect(
    Layout,
    Effect.map(Assets, ({ stylePath }) => ({
      page: (page: Page) =>
        HttpServerResponse.text(String(document(page, stylePath)), {
          status: page.status ?? 200,
          contentType: "text/html; charset=utf-8",
          headers: { ...PageHeaders.of(page.policy), ...page.headers }
        })
    }))
  )
}

const brand = html`<img src="${iconPath}" alt="" width="28" height="28" />Discovery`

const account = (visitor: SignedIn) =>
  html` <ul>
    <li class="email">${visitor.session.email}</li>
    <li>${signOutForm({ visitor, label: "Sign out", look: "quiet" })}</li>
  </ul>`

const document = (page: Page, stylePath: string): Html =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${page.title ?? page.heading} · Discovery</title>
        <link rel="icon" href="${iconPath}" type="image/svg+xml" />
        <link rel="stylesheet" href="${stylePath}" />
      </head>
      <body class="${page.width ?? "narrow"}">
        <a class="skip" href="#main">Skip to the content</a>
        <header>
          <nav aria-label="Discovery">
            <ul>
              <li>
                ${page.account === undefined ? html`<span class="brand">${brand}</span>` : html`<a class="brand" href="/dashboard">${brand}</a>`}
              </li>
            </ul>
            ${page.account !== undefined && account(page.account)}
          </nav>
        </header>
        <main id="main" tabindex="-1">
          <h1>${page.heading}</h1>
          ${page.body}
        </main>
      </body>
    </html> `
