/** `/docs` and `/llms.txt`: what anyone may read before connecting (D65). */
import { assert, layer, vi } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Parser } from "marked"
import { documents, markdownPathOf, pathOf } from "../../../../src/http/pages/docs/Documents.ts"
import { SetClock } from "../../../support/SetClock.ts"
import { clientsPath } from "../../../../src/http/shared/DocumentationPaths.ts"
import * as InstallLinks from "../../../../src/http/shared/InstallLinks.ts"
import { baseUrl, TestServer } from "../../../support/TestServer.ts"

const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  Effect.flatMap(TestServer, (server) =>
    server.send({ method: "GET", path, headers: { authorization: undefined, "content-type": undefined, ...headers } })
  )

const attributes = (text: string, name: string) =>
  Array.from(text.matchAll(new RegExp(` ${name}="([^"]*)"`, "gu")), ([, value = ""]) => value)

const addresses = [
  ...documents.flatMap((document) => [pathOf(document), markdownPathOf(document)]),
  "/llms.txt",
  "/llms-full.txt",
  "/robots.txt"
]

const parse = vi.spyOn(Parser, "parse")

const services = TestServer.layer().pipe(Layer.provideMerge(SetClock.layer("2026-03-10T15:00:00Z")))

layer(services, { excludeTestServices: true })("documents", (it) => {
  it.effect("are made once, soon after the start, before anyone asks", () =>
    Effect.gen(function* () {
      while (parse.mock.calls.length < documents.length) yield* Effect.sleep("50 millis")
      for (const path of addresses) yield* get(path)
      assert.lengthOf(parse.mock.calls, documents.length)
    })
  )

  it.effect("R30 are for anyone, with the headers of pages, and no secret needs to be kept out of caches", () =>
    Effect.gen(function* () {
      for (const path of addresses) {
        const { headers, status } = yield* get(path)
        assert.strictEqual(status, 200, path)
        const isPage = !/\.(?:md|txt)$/u.test(path)
        assert.strictEqual(
          headers.get("content-type"),
          isPage ? "text/html; charset=utf-8" : `text/${path.endsWith(".md") ? "markdown" : "plain"}; charset=utf-8`
        )
        assert.strictEqual(
          headers.get("content-security-policy"),
          `default-src 'none'; style-src 'self';${isPage ? " script-src 'self';" : ""} img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`
        )
        assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
        assert.strictEqual(headers.get("x-frame-options"), "DENY")
        assert.strictEqual(headers.get("cache-control"), "public, max-age=300")
        assert.strictEqual(headers.get("access-control-allow-origin"), isPage ? null : "*")
        assert.isNull(headers.get("set-cookie"))
      }
    })
  )

  it.effect("are not sent again to clients that have them, and are distinguished by their tags", () =>
    Effect.gen(function* () {
      const tags = new Set<string>()
      for (const path of addresses) {
        const tag = (yield* get(path)).headers.get("etag") ?? assert.fail(path)
        tags.add(tag)
        for (const kept of [tag, `W/"other", ${tag}`, "*"]) {
          const { headers, status, text } = yield* get(path, { "if-none-match": kept })
          assert.deepStrictEqual([status, text, headers.get("etag")], [304, "", tag], path)
        }
        assert.strictEqual((yield* get(path, { "if-none-match": 'W/"other"' })).status, 200)
      }
      assert.strictEqual(tags.size, addresses.length)
    })
  )

  it.effect("link only to what is there: pages, their sections, and addresses elsewhere", () =>
    Effect.gen(function* () {
      const ids = new Map<string, ReadonlySet<string>>()
      for (const path of addresses) ids.set(path, new Set(attributes((yield* get(path)).text, "id")))
      for (const document of documents) {
        const path = pathOf(document)
        const { text } = yield* get(path)
        for (const href of attributes(text, "href")) {
          if (/^https:|^\/(?:assets|icon|dashboard|plans)/u.test(href)) continue
          const { hash, pathname } = new URL(href, `${baseUrl}${path}`)
          assert.isTrue(ids.has(pathname), `${path} links to ${href}`)
          if (hash !== "") assert.isTrue(ids.get(pathname)?.has(hash.slice(1)), `${path} links to ${href}`)
        }
        const named = attributes(text, "id")
        assert.strictEqual(new Set(named).size, named.length, `${path} has an id twice`)
        // Every document has a table of contents.
        assert.isNotEmpty(Array.from(text.matchAll(/<h2 id=/gu)), path)
      }
    })
  )

  it.effect(
    "have the address of this server where the repository has a placeholder, and nothing of the repository",
    () =>
      Effect.gen(function* () {
        for (const path of addresses) {
          const { text } = yield* get(path)
          assert.notMatch(text, /discovery\.example\.com|\{base_url\}|<!--|&lt;!--/u, path)
          for (const [, target = ""] of text.matchAll(/\]\(([^)]+)\)/gu)) assert.match(target, /^(?:https:|#)/u, path)
        }
        const overview = yield* get("/docs")
        assert.include(overview.text, `<pre id="code-1">${baseUrl}/mcp</pre>`)
        assert.include(overview.text, '<a href="/docs/clients">')
      })
  )

  it.effect("D95 the page about clients has the install links, which lead where they should", () =>
    Effect.gen(function* () {
      const links = attributes((yield* get(clientsPath)).text, "href").filter((href) => href.includes("/install/"))
      assert.deepStrictEqual(links, [
        `${baseUrl}/install/claude`,
        `${baseUrl}/install/cursor`,
        `${baseUrl}/install/vscode`
      ])
      const locations = yield* Effect.forEach(links, (link) =>
        Effect.map(get(new URL(link).pathname), ({ headers }) => headers.get("location"))
      )
      assert.deepStrictEqual(locations, Object.values(InstallLinks.targets(`${baseUrl}/mcp`)))
    })
  )

  it.effect("llms.txt names the service, says what it is, and lists every document as Markdown", () =>
    Effect.gen(function* () {
      const { text } = yield* get("/llms.txt")
      const [title = "", , summary = ""] = text.split("\n")
      assert.strictEqual(title, "# Discovery")
      assert.match(summary, /^> \S/u)
      const linked = Array.from(text.matchAll(/^- \[[^\]]+\]\((\S+)\): \S/gmu), ([, address]) => address)
      assert.deepStrictEqual(
        linked,
        documents.map((document) => `${baseUrl}${markdownPathOf(document)}`)
      )
    })
  )

  it.effect("D92 llms-full.txt has every document, robots may read them and nothing else", () =>
    Effect.gen(function* () {
      const whole = (yield* get("/llms-full.txt")).text
      for (const document of documents) assert.include(whole, (yield* get(markdownPathOf(document))).text.trim())
      const robots = (yield* get("/robots.txt")).text
      assert.match(robots, /^User-agent: \*\nAllow: \/docs\nAllow: \/llms\nDisallow: \/\n/u)
    })
  )

  it.effect("D92 security.txt names the contact, and expires in half a year", () =>
    Effect.gen(function* () {
      const { status, text } = yield* get("/.well-known/security.txt")
      assert.strictEqual(status, 200)
      const fields = new Map(
        text
          .trim()
          .split("\n")
          .map((line) => line.split(": ") as [string, string])
      )
      assert.match(fields.get("Contact") ?? "", /^https?:\/\/\S+\/dashboard$/u)
      assert.strictEqual(fields.get("Canonical"), `${baseUrl}/.well-known/security.txt`)
      assert.strictEqual(fields.get("Expires"), "2026-09-06T00:00:00.000Z")
    })
  )

  it.effect("D92 password managers find the page that changes the password", () =>
    Effect.gen(function* () {
      const { headers, status } = yield* get("/.well-known/change-password")
      assert.deepStrictEqual([status, headers.get("location")], [302, "/dashboard/account/password"])
    })
  )

  it.effect("are linked from the pages where visitors expect them", () =>
    Effect.gen(function* () {
      const nowhere = yield* get("/docs/nowhere")
      assert.strictEqual(nowhere.status, 404)
      assert.include(nowhere.text, 'href="/docs"')
      assert.include((yield* get("/sign-in")).text, 'href="/docs"')
      assert.include((yield* get("/nowhere")).text, "/docs")
      const front = yield* get("/")
      assert.deepStrictEqual([front.status, front.headers.get("location")], [302, "/docs"])
    })
  )
})
