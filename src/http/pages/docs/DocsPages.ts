/**
 * `/docs` (D92): the public documents as pages and as Markdown, `/llms.txt` (llmstxt.org) for agents, and what robots
 * look for. They are equal for all visitors and in English, so they are sent from memory.
 */
import { DateTime, Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http"
import manifest from "../../../../package.json" with { type: "json" }
import { AppConfig } from "../../../Config.ts"
import * as Cacheable from "../../shared/Cacheable.ts"
import * as Cors from "../../shared/Cors.ts"
import { documents, markdownPathOf, pathOf, published, read } from "./Documents.ts"
import type { Document } from "./Documents.ts"
import { documentationPath } from "../../shared/DocumentationPaths.ts"
import { passwordPath } from "../account/PasswordPage.ts"
import { PageNotFound } from "../shared/ErrorPage.ts"
import { html } from "../shared/Html.ts"
import { Layout, overviewPath } from "../shared/Layout.ts"
import * as Locale from "../shared/Locale.ts"
import * as PageHeaders from "../shared/PageHeaders.ts"
import { plansPath } from "../shared/OutwardLinks.ts"
import { PageRoutes, readsAll } from "../shared/PageRoutes.ts"
import { render } from "./Rendering.ts"

const cached = { "cache-control": "public, max-age=300" }

/** The first pages take some 80 milliseconds each, since the parser is cold: they wait for the end of the start, and for others. */
const beforePages = "1 second"
const betweenPages = "100 millis"

const utf8 = new TextEncoder()

const llms = (baseUrl: string, mcpUrl: string): string =>
  [
    "# Discovery",
    "",
    `> ${manifest.description}`,
    "",
    `The service is reached at one address, ${mcpUrl}, by the Model Context Protocol (Streamable HTTP, no sessions). A plain JSON-RPC`,
    "POST of `tools/call` works as well. Interactive clients sign in by OAuth; scripts send `Authorization: Bearer <API key>`.",
    "",
    "## Docs",
    "",
    ...documents.map((document) => `- [${document.label}](${baseUrl}${markdownPathOf(document)}): ${document.about}`),
    ""
  ].join("\n")

/** What is for everyone may be read by robots, which have no account for anything else. */
const robots = (baseUrl: string): string =>
  [
    "User-agent: *",
    `Allow: ${documentationPath}`,
    "Allow: /llms",
    "Disallow: /",
    "",
    `# What agents may read: ${baseUrl}/llms.txt`,
    ""
  ].join("\n")

/** RFC 9116. It is made for each request, so that a server that runs for long names no day that is over. */
const securityTxt = (
  { baseUrl, supportUrl }: { readonly baseUrl: string; readonly supportUrl: string },
  now: DateTime.Utc
): string =>
  [
    `Contact: ${supportUrl}`,
    `Expires: ${DateTime.formatIso(DateTime.startOf(DateTime.add(now, { days: 180 }), "day"))}`,
    "Preferred-Languages: en",
    `Canonical: ${baseUrl}/.well-known/security.txt`,
    ""
  ].join("\n")

export const layer = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const { baseUrl, mcpUrl, supportUrl } = yield* AppConfig
    const { written } = yield* Layout
    const routes = yield* PageRoutes
    const locale = Locale.of(undefined)
    const ways = documents.map((document) => ({ href: pathOf(document), label: document.label }))

    const page = (document: Document, markdown: string) => {
      const { body, sections, title } = render(published(document, markdown, { baseUrl, toDocument: pathOf }), locale)
      return written({
        locale,
        title: title === "Discovery" ? "Documentation" : title,
        heading: title,
        width: "wide",
        scripts: true,
        ways: {
          name: "Documentation",
          home: documentationPath,
          links: [...ways, { href: plansPath, label: "Plans" }],
          current: pathOf(document),
          out: { href: overviewPath, label: "Sign in" }
        },
        headers: cached,
        body: html`
          <div class="document">
            <details class="contents">
              <summary>On this page</summary>
              <nav aria-label="On this page">
                <ul>
                  ${sections.map(({ id, text }) => html`<li><a href="#${id}">${text}</a></li>`)}
                </ul>
              </nav>
              <p class="aside"><a href="${markdownPathOf(document)}" type="text/markdown">As Markdown</a></p>
            </details>
            <div class="prose">${body}</div>
          </div>
        `
      })
    }

    const handlers: Array<Effect.Effect<unknown>> = []

    /** Made soon after the start, or at the first request if that is earlier, and kept. */
    const add = Effect.fnUntraced(function* (
      path: `/${string}`,
      make: () => {
        readonly text: string
        readonly contentType: string
        readonly headers: Readonly<Record<string, string>>
      }
    ) {
      const handler = yield* Effect.cached(
        Effect.sync(() => {
          const { contentType, headers, text } = make()
          return Cacheable.handler({ content: utf8.encode(text), contentType, headers })
        })
      )
      handlers.push(handler)
      yield* router.add("GET", path, (request: HttpServerRequest.HttpServerRequest) =>
        Effect.flatMap(handler, (answer) => answer(request))
      )
    })

    const plain = { ...PageHeaders.of(), ...cached, ...Cors.headers }
    for (const document of documents) {
      const markdown = read(document)
      yield* add(pathOf(document), () => page(document, markdown))
      yield* add(markdownPathOf(document), () => ({
        text: published(document, markdown, { baseUrl, toDocument: (linked) => `${baseUrl}${markdownPathOf(linked)}` }),
        contentType: "text/markdown; charset=utf-8",
        headers: plain
      }))
    }
    yield* add("/llms.txt", () => ({
      text: llms(baseUrl, mcpUrl),
      contentType: "text/plain; charset=utf-8",
      headers: plain
    }))
    yield* add("/llms-full.txt", () => ({
      text: documents
        .map((document) =>
          published(document, read(document), {
            baseUrl,
            toDocument: (linked) => `${baseUrl}${markdownPathOf(linked)}`
          })
        )
        .join("\n\n"),
      contentType: "text/plain; charset=utf-8",
      headers: plain
    }))
    yield* add("/robots.txt", () => ({
      text: robots(baseUrl),
      contentType: "text/plain; charset=utf-8",
      headers: plain
    }))
    // https://w3c.github.io/webappsec-change-password-url: password managers lead their users here.
    yield* router.add("GET", "/.well-known/change-password", HttpServerResponse.redirect(passwordPath, { status: 302 }))
    yield* router.add("GET", "/.well-known/security.txt", () =>
      Effect.map(DateTime.now, (now) =>
        HttpServerResponse.text(securityTxt({ baseUrl, supportUrl }, now), {
          contentType: "text/plain; charset=utf-8",
          headers: plain
        })
      )
    )
    yield* Effect.forEach(handlers, (each) => Effect.andThen(each, Effect.sleep(betweenPages)), { discard: true }).pipe(
      Effect.delay(beforePages),
      Effect.forkScoped
    )
    // Clients show the origin as the website of the server.
    yield* router.add("GET", "/", HttpServerResponse.redirect(documentationPath, { status: 302 }))
    // With `/docs/*`, the router would take `/docs` itself as well.
    yield* routes.page(
      `${documentationPath}/:place/*`,
      readsAll(() => Effect.fail(new PageNotFound()))
    )
  })
)
