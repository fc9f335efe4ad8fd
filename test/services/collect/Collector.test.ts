/** Storefronts on a real HTTP server: well-behaved, broken and hostile ones. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Fiber, FileSystem, Option, Result, Stream } from "effect"
import { TestClock } from "effect/testing"
import { gzipSync } from "node:zlib"
import * as Records from "../../../src/domain/catalog/Records.ts"
import * as Collector from "../../../src/services/collect/Collector.ts"
import type { CollectOptions } from "../../../src/services/collect/Collector.ts"
import * as Signatures from "../../../src/services/collect/Signatures.ts"
import * as FileReader from "../../../src/services/import/FileReader.ts"
import * as Storefronts from "../../support/Storefronts.ts"
import { page, redirect, status, store } from "../../support/Storefronts.ts"

const contact = "ops@example.com"

const setUp = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const web = yield* Storefronts.make()
  const folder = `${yield* fs.makeTempDirectoryScoped()}/out`
  const signatures = yield* Signatures.load(undefined)
  const run = (domains: ReadonlyArray<string>, more: Partial<CollectOptions> = {}) =>
    Collector.run({
      domains,
      folder,
      contact,
      delayMillis: 1_000,
      hosts: 4,
      maxPages: 100,
      signatures,
      onProgress: () => Effect.void,
      ...more
    }).pipe(Effect.provide(web.layer))
  /** Runs to the end. */
  const collect = (domains: ReadonlyArray<string>, more: Partial<CollectOptions> = {}) =>
    Effect.map(Storefronts.inTime(web, run(domains, more)), Option.getOrThrow)
  const read = (file: string) => fs.readFileString(`${folder}/${file}`)
  const inside = (domain: string) =>
    Effect.map(
      Effect.orElseSucceed(fs.readDirectory(`${folder}/${domain}`), (): Array<string> => []),
      (names) => names.sort()
    )
  const paths = (host: string) =>
    web.asked.filter((asked) => asked.host === host).map(({ what }) => what.slice(host.length))
  return { fs, web, folder, run, collect, read, inside, paths }
})

const whole = ["meta.json", "page-1.json", "page-2.json", "shop.ndjson"]
const all = (pages: number) => [
  "/robots.txt",
  "/meta.json",
  ...Array.from({ length: pages }, (_, index) => page(index + 1)),
  "/"
]

layer(NodeServices.layer)("collecting", (it) => {
  describe("from a storefront that behaves well", () => {
    it.effect("fetches meta.json, all pages and the home page, one per second, and identifies itself", () =>
      Effect.gen(function* () {
        const { collect, inside, paths, read, web } = yield* setUp
        web.hosts.set("a-shop.com", store("a-shop.com", [250, 3]))
        const report = yield* collect(["a-shop.com"])
        assert.deepStrictEqual(report.collected, [{ domain: "a-shop.com", products: 253, notes: [] }])
        assert.lengthOf(report.failed, 0)
        assert.strictEqual(report.requests, 6)
        assert.deepStrictEqual(paths("a-shop.com"), all(3))
        assert.deepStrictEqual(yield* inside("a-shop.com"), [
          "meta.json",
          "page-1.json",
          "page-2.json",
          "page-3.json",
          "shop.ndjson"
        ])
        assert.strictEqual(yield* read("a-shop.com/page-3.json"), `{"products":[]}`)
        assert.lengthOf((JSON.parse(yield* read("a-shop.com/page-1.json")) as { products: [] }).products, 250)
        assert.deepStrictEqual(JSON.parse(yield* read("a-shop.com/shop.ndjson")), {
          type: "partial_shop",
          domain: "a-shop.com",
          theme: "Dawn",
          languages: ["German"],
          apps: ["Klaviyo"],
          pixels: ["Facebook"],
          social_networks: ["Instagram"]
        })
        for (const [index, { atMillis, headers }] of web.asked.entries()) {
          assert.match(headers["user-agent"] ?? "", /^discovery\/\d+\.\d+\.\d+ \(collect; ops@example\.com\)$/)
          const before = web.asked[index - 1]?.atMillis
          if (before !== undefined) assert.isAtLeast(atMillis - before, 1_000)
        }
      })
    )

    it.effect("collects files that the import accepts as complete stores", () =>
      Effect.gen(function* () {
        const { collect, folder, web } = yield* setUp
        web.hosts.set("a-shop.com", store("a-shop.com", [30]))
        web.hosts.set("b-shop.com", store("b-shop.com", [250, 250]))
        yield* collect(["a-shop.com", "b-shop.com"])
        const set = yield* FileReader.read([folder], {
          format: undefined,
          mapping: undefined,
          store: { metaPath: undefined, domain: undefined, name: undefined, country: undefined, currency: undefined },
          asOf: "2026-07-01",
          isComplete: false,
          onFile: () => Effect.void
        })
        const chunks = yield* Stream.runCollect(set.chunks)
        assert.deepStrictEqual(
          chunks.flatMap(({ rejects }) => rejects),
          []
        )
        const records = chunks.flatMap(({ rows }) => rows.map(({ record }) => record))
        assert.lengthOf(
          records.filter(({ type }) => type === "product"),
          530
        )
        assert.includeDeepMembers(records, [
          {
            type: "partial_shop",
            domain: "b-shop.com",
            name: "Oakline",
            country: "DE",
            currency: "EUR",
            products_count: 500
          },
          {
            type: "partial_shop",
            domain: "b-shop.com",
            theme: "Dawn",
            languages: ["German"],
            apps: ["Klaviyo"],
            pixels: ["Facebook"],
            social_networks: ["Instagram"]
          }
        ])
        assert.sameMembers([...set.outcome().wholeStores], ["a-shop.com", "b-shop.com"])
      })
    )

    it.effect("sends requests to several owners at once, and to hosts of one owner one after the other", () =>
      Effect.gen(function* () {
        const { collect, web } = yield* setUp
        const names = Array.from({ length: 6 }, (_, index) => `shop-${index}.com`)
        const domains = [...names, "de.shop-0.com", "fr.shop-0.com"]
        for (const domain of domains) web.hosts.set(domain, store(domain, [2]))
        const { collected } = yield* collect(domains, { hosts: 3 })
        assert.lengthOf(collected, 8)
        assert.isAtMost(web.most.all, 3)
        assert.isAbove(web.most.all, 1)
        assert.strictEqual(web.most.ofOneHost, 1)
        const ofOwner = web.asked.filter(({ host }) => host.endsWith("shop-0.com")).map(({ atMillis }) => atMillis)
        for (const [index, at] of ofOwner.entries())
          if (index > 0) assert.isAtLeast(at - (ofOwner[index - 1] ?? 0), 1_000)
      })
    )

    it.effect("accepts compressed answers, and reports its progress", () =>
      Effect.gen(function* () {
        const { collect, read, web } = yield* setUp
        const packed = gzipSync(`{"products":[]}`)
        web.hosts.set(
          "a-shop.com",
          store("a-shop.com", [1], {
            [page(2)]: (response, headers) => {
              assert.strictEqual(headers["accept-encoding"], "gzip")
              response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" }).end(packed)
            }
          })
        )
        const told: Array<Collector.Progress> = []
        yield* collect(["a-shop.com"], { onProgress: (progress) => Effect.sync(() => void told.push(progress)) })
        assert.strictEqual(yield* read("a-shop.com/page-2.json"), `{"products":[]}`)
        assert.deepStrictEqual(told.at(0), { stores: 0, requests: 1 })
        assert.deepStrictEqual(told.at(-1), { stores: 1, requests: 5 })
      })
    )

    it.effect("fetches what has changed, and keeps the rest", () =>
      Effect.gen(function* () {
        const { collect, inside, read, web } = yield* setUp
        const sent: Array<string> = []
        let last = "1"
        const kept =
          (what: string, etag: () => string, body: () => object): Storefronts.Page =>
          (response, headers) => {
            if (headers["if-none-match"] === etag()) return void response.writeHead(304).end()
            sent.push(what)
            response.writeHead(200, { "content-type": "application/json", etag: etag() }).end(JSON.stringify(body()))
          }
        const pages = store("a-shop.com", [250])
        web.hosts.set("a-shop.com", {
          ...pages,
          [page(1)]: kept(
            "1",
            () => `"a"`,
            () => pages[page(1)] as object
          ),
          [page(2)]: kept(
            "2",
            () => `"${last}"`,
            () => ({ products: [Storefronts.product(Number(last))] })
          ),
          [page(3)]: (response, headers) => {
            if (headers["if-modified-since"] !== undefined) return void response.writeHead(304).end()
            sent.push("3")
            const date = "Sun, 01 Mar 2026 00:00:00 GMT"
            response
              .writeHead(200, { "content-type": "application/json", "last-modified": date })
              .end(`{"products":[]}`)
          }
        })
        yield* collect(["a-shop.com"])
        assert.deepStrictEqual(sent.splice(0), ["1", "2", "3"])
        const before = yield* read("a-shop.com/page-1.json")
        last = "7"
        const { collected } = yield* collect(["a-shop.com"])
        assert.deepStrictEqual(sent.splice(0), ["2"])
        assert.strictEqual(collected[0]?.products, 251)
        assert.strictEqual(yield* read("a-shop.com/page-1.json"), before)
        assert.include(yield* read("a-shop.com/page-2.json"), "Lamp 7")
        // Once more: the validators of kept files are still known.
        yield* collect(["a-shop.com"])
        assert.deepStrictEqual(sent, [])
        assert.lengthOf(yield* inside("a-shop.com"), 5)
      })
    )

    it.effect("refuses a second run in a folder at the same time, but not after one that was killed", () =>
      Effect.gen(function* () {
        const { collect, folder, fs, web } = yield* setUp
        web.hosts.set("a-shop.com", store("a-shop.com", [3]))
        const running = `${folder}/.collect/running`
        yield* fs.makeDirectory(`${folder}/.collect`, { recursive: true })
        yield* fs.writeFileString(running, String(process.ppid))
        assert.match((yield* Effect.flip(collect(["a-shop.com"]))).message, /Another collect is running into .*--to/)
        assert.lengthOf(web.asked, 0)
        // Larger than any process id; this process's own id, which one in a container before it had as well; no id.
        for (const killed of ["2000000000", String(process.pid), "0", ""]) {
          yield* fs.writeFileString(running, killed)
          assert.lengthOf((yield* collect(["a-shop.com"])).collected, 1, killed)
          assert.isFalse(yield* fs.exists(running))
        }
      })
    )

    it.effect("resumes an interrupted run", () =>
      Effect.gen(function* () {
        const { collect, folder, fs, inside, paths, run, web } = yield* setUp
        web.hosts.set("a-shop.com", store("a-shop.com", [2]))
        web.hosts.set("b-shop.com", store("b-shop.com", [250, 250, 4]))
        const domains = ["a-shop.com", "b-shop.com"]
        const stopped = yield* Storefronts.inTime(web, run(domains, { hosts: 1 }), () =>
          paths("b-shop.com").includes(page(3))
        )
        assert.isTrue(Option.isNone(stopped))
        // No incomplete folder exists, and a truncated line is ignored.
        assert.deepStrictEqual(yield* inside("b-shop.com"), [])
        yield* fs.writeFileString(`${folder}/.collect/state.ndjson`, `{"type":"saved","dom`, { flag: "a" })
        web.asked.length = 0
        const report = yield* collect(domains)
        assert.strictEqual(report.resumed, 1)
        assert.deepStrictEqual(paths("a-shop.com"), [])
        const again = paths("b-shop.com")
        assert.notIncludeMembers(again, ["/meta.json", page(1), page(2)])
        assert.includeMembers(again, [page(4), "/"])
        assert.strictEqual(report.collected[0]?.products, 504)
        assert.lengthOf(yield* inside("b-shop.com"), 6)
        // That run has ended: the next one fetches everything again.
        web.asked.length = 0
        assert.strictEqual((yield* collect(domains)).collected.length, 2)
        assert.deepStrictEqual(paths("a-shop.com"), all(2))
      })
    )

    it.effect("ends with the same folder wherever it was interrupted", () =>
      Effect.gen(function* () {
        const whole = yield* setUp
        const domains = ["a-shop.com", "b-shop.com"]
        const contents = ({ inside, read }: typeof whole) =>
          Effect.forEach(domains, (domain) =>
            Effect.flatMap(inside(domain), (names) =>
              Effect.forEach(names, (name) =>
                Effect.map(read(`${domain}/${name}`), (content) => `${domain}/${name}: ${content}`)
              )
            )
          )
        const open = (web: Storefronts.Storefronts) => {
          web.hosts.set("a-shop.com", store("a-shop.com", [250, 2]))
          web.hosts.set("b-shop.com", store("b-shop.com", [5]))
        }
        open(whole.web)
        yield* whole.collect(domains)
        const expected = yield* contents(whole)
        for (let requests = 1; requests <= whole.web.asked.length; requests++) {
          const stopped = yield* setUp
          open(stopped.web)
          yield* Storefronts.inTime(stopped.web, stopped.run(domains), () => stopped.web.asked.length >= requests)
          const { failed } = yield* stopped.collect(domains)
          assert.lengthOf(failed, 0)
          assert.deepStrictEqual(yield* contents(stopped), expected)
        }
      })
    )

    it.effect("fetches everything again if the interruption was long ago: pages of a store belong together", () =>
      Effect.gen(function* () {
        const { collect, paths, run, web } = yield* setUp
        web.hosts.set("a-shop.com", store("a-shop.com", [250, 4]))
        yield* Storefronts.inTime(web, run(["a-shop.com"]), () => paths("a-shop.com").includes(page(2)))
        yield* TestClock.adjust("6 hours")
        web.asked.length = 0
        yield* collect(["a-shop.com"])
        assert.deepStrictEqual(paths("a-shop.com"), all(3))
      })
    )

    it.effect("stops at the limit of pages, and says so", () =>
      Effect.gen(function* () {
        const { collect, paths, web } = yield* setUp
        web.hosts.set("a-shop.com", store("a-shop.com", [250, 250, 250]))
        const { collected } = yield* collect(["a-shop.com"], { maxPages: 2 })
        assert.deepStrictEqual(paths("a-shop.com"), all(2))
        assert.match(collected[0]?.notes.join() ?? "", /more than 2 pages/)
      })
    )
  })

  const robots = (text: string): Storefronts.Pages => ({
    "/robots.txt": (response) => void response.writeHead(200, { "content-type": "text/plain" }).end(text)
  })

  describe("as robots.txt says", () => {
    it.effect("skips what is not allowed", () =>
      Effect.gen(function* () {
        const { collect, inside, paths, web } = yield* setUp
        web.hosts.set("a-shop.com", store("a-shop.com", [2], robots("User-agent: *\nDisallow: /products.json")))
        const { collected } = yield* collect(["a-shop.com"])
        assert.deepStrictEqual(paths("a-shop.com"), ["/robots.txt", "/meta.json", "/"])
        assert.deepStrictEqual(yield* inside("a-shop.com"), ["meta.json", "shop.ndjson"])
        assert.deepStrictEqual(collected[0]?.notes, ["/products.json is not allowed by its robots.txt"])
      })
    )

    it.effect("fetches nothing if nothing is allowed", () =>
      Effect.gen(function* () {
        const { collect, paths, web } = yield* setUp
        web.hosts.set("a-shop.com", store("a-shop.com", [2], robots("User-agent: Discovery\nDisallow: /")))
        const { failed } = yield* collect(["a-shop.com"])
        assert.deepStrictEqual(paths("a-shop.com"), ["/robots.txt"])
        assert.match(failed[0]?.reason ?? "", /not allowed by its robots\.txt/)
      })
    )

    it.effect.each([
      ["5", 5_000],
      ["0.1", 1_000],
      ["86400", 30_000]
    ] as const)("waits as it asks, within bounds: %s", ([delay, millis]) =>
      Effect.gen(function* () {
        const { collect, web } = yield* setUp
        web.hosts.set("a-shop.com", store("a-shop.com", [2], robots(`User-agent: *\nCrawl-delay: ${delay}`)))
        yield* collect(["a-shop.com"])
        const times = web.asked.map(({ atMillis }) => atMillis)
        const pauses = times.slice(1).map((at, index) => at - (times[index] ?? 0))
        assert.isAtLeast(Math.min(...pauses), millis)
        assert.isBelow(Math.min(...pauses), millis + 1_000)
      })
    )

    it.effect("allows everything if it is missing, and nothing if it cannot be read", () =>
      Effect.gen(function* () {
        const { collect, paths, web } = yield* setUp
        web.hosts.set("a-shop.com", store("a-shop.com", [2], { "/robots.txt": status(404) }))
        web.hosts.set("b-shop.com", store("b-shop.com", [2], { "/robots.txt": status(503) }))
        const { collected, failed } = yield* collect(["a-shop.com", "b-shop.com"])
        assert.strictEqual(collected[0]?.domain, "a-shop.com")
        assert.deepStrictEqual(failed, [{ domain: "b-shop.com", reason: "robots.txt answers with status 503" }])
        assert.deepStrictEqual(paths("b-shop.com"), ["/robots.txt", "/robots.txt", "/robots.txt"])
      })
    )

    it.effect.each([
      ["is packed otherwise than asked", { "content-encoding": "br" }, 200, /is packed in a way/],
      ["cannot be unpacked", { "content-encoding": "gzip" }, 200, /does not unpack/],
      ["leads to http:", { location: "http://a-shop.com/robots.txt" }, 301, /redirects to http:\/\/a-shop\.com/],
      ["leads to another port", { location: "https://a-shop.com:8443/robots.txt" }, 302, /redirects to .*:8443/],
      ["leads nowhere", { location: "https://" }, 302, /redirects to no address/],
      ["is a part", {}, 206, /answers with status 206/]
    ] as const)("allows nothing if it %s", ([, headers, code, reason]) =>
      Effect.gen(function* () {
        const { collect, paths, web } = yield* setUp
        const rules: Storefronts.Page = (response) =>
          void response.writeHead(code, headers).end("User-agent: *\nDisallow: /")
        web.hosts.set("a-shop.com", store("a-shop.com", [2], { "/robots.txt": rules }))
        const { collected, failed } = yield* collect(["a-shop.com"])
        assert.deepStrictEqual(paths("a-shop.com"), ["/robots.txt"])
        assert.deepStrictEqual(collected, [])
        assert.match(failed[0]?.reason ?? "", reason)
      })
    )

    it.effect.each([401, 403, 404, 410])("allows everything if it is missing: %i", (code) =>
      Effect.gen(function* () {
        const { collect, web } = yield* setUp
        web.hosts.set("a-shop.com", store("a-shop.com", [2], { "/robots.txt": status(code) }))
        assert.lengthOf((yield* collect(["a-shop.com"])).collected, 1)
      })
    )

    it.effect("reads that of each host that redirects lead to", () =>
      Effect.gen(function* () {
        const { collect, paths, web } = yield* setUp
        const pages = store("a-shop.com", [2], { "/meta.json": redirect("https://www.a-shop.com/meta.json") })
        web.hosts.set("a-shop.com", pages)
        web.hosts.set("www.a-shop.com", store("a-shop.com", [2], robots("User-agent: *\nDisallow: /meta.json")))
        const { collected } = yield* collect(["a-shop.com"])
        assert.deepStrictEqual(paths("www.a-shop.com"), ["/robots.txt"])
        assert.deepStrictEqual(collected[0]?.notes, ["/meta.json is not allowed by its robots.txt"])
      })
    )
  })

  describe("from a server that is busy or broken", () => {
    const busyOnce = (code: number, headers: Record<string, string>, soon: () => string): Storefronts.Page => {
      let isBusy = true
      return (response) => {
        if (!isBusy) return void response.writeHead(200, { "content-type": "application/json" }).end(`{"products":[]}`)
        isBusy = false
        const after = headers["retry-after"] === "a date" ? { "retry-after": soon() } : headers
        return void response.writeHead(code, after).end()
      }
    }
    it.effect.each([
      [429, { "retry-after": "7" }, 7_000],
      [503, { "retry-after": "a date" }, 80_000],
      [429, {}, 5_000],
      [500, { "retry-after": "soon" }, 5_000]
    ] as const)("waits after %i with %j", ([code, headers, millis]) =>
      Effect.gen(function* () {
        const { collect, web } = yield* setUp
        const soon = () => new Date((web.asked.at(-1)?.atMillis ?? 0) + 85_000).toUTCString()
        web.hosts.set("a-shop.com", store("a-shop.com", [], { [page(1)]: busyOnce(code, headers, soon) }))
        const { collected } = yield* collect(["a-shop.com"])
        assert.lengthOf(collected, 1)
        const [first, second] = web.asked.filter(({ what }) => what.endsWith(page(1)))
        const pause = (second?.atMillis ?? 0) - (first?.atMillis ?? 0)
        assert.isAtLeast(pause, millis)
        assert.isBelow(pause, millis + 10_000)
      })
    )

    it.effect("does not retry if Retry-After is too long", () =>
      Effect.gen(function* () {
        const { collect, paths, web } = yield* setUp
        web.hosts.set("a-shop.com", store("a-shop.com", [2], { "/meta.json": status(429, { "retry-after": "86400" }) }))
        const { failed } = yield* collect(["a-shop.com"])
        assert.deepStrictEqual(paths("a-shop.com"), ["/robots.txt", "/meta.json"])
        assert.match(failed[0]?.reason ?? "", /^\/meta\.json answers with status 429 .*Retry-After: 86400/)
      })
    )

    const broken: ReadonlyArray<readonly [what: string, pages: Storefronts.Pages, reason: RegExp, times: number]> = [
      ["a page that fails for good", { [page(2)]: status(500) }, /page=2 answers with status 500/, 3],
      ["a page that is not there", { [page(2)]: status(404) }, /answers with status 404/, 1],
      [
        "broken JSON",
        {
          [page(2)]: (response) =>
            void response.writeHead(200, { "content-type": "application/json" }).end(`{"products":[{`)
        },
        /page=2 is not JSON/,
        1
      ],
      [
        "JSON in Latin-1",
        {
          [page(2)]: (response) =>
            void response
              .writeHead(200, { "content-type": "application/json" })
              .end(Buffer.from(`{"products":[{"title":"Caf\u00e9"}]}`, "latin1"))
        },
        /page=2 is not in UTF-8, as JSON has to be/,
        1
      ],
      ["another document", { [page(2)]: { errors: "no" } }, /has no list of products/, 1],
      [
        "HTML instead of the second page",
        { [page(2)]: "<p>Checking your browser</p>" },
        /is no JSON, but text\/html/,
        1
      ],
      [
        "the same page again and again",
        { [page(2)]: { products: [Storefronts.product(0)] }, [page(1)]: { products: [Storefronts.product(0)] } },
        /same page/,
        1
      ],
      [
        "a connection that breaks",
        {
          [page(2)]: (response) =>
            void response
              .writeHead(200, { "content-type": "application/json", "content-length": "100" })
              .write("{", () => response.destroy())
        },
        /cannot be connected to/,
        3
      ],
      [
        "an encoding that was not asked for",
        {
          [page(2)]: (response) =>
            void response.writeHead(200, { "content-type": "application/json", "content-encoding": "br" }).end("x")
        },
        /packed in a way/,
        1
      ],
      ["a home page that fails", { "/": status(502) }, /^\/ answers with status 502/, 0]
    ]
    it.effect.each(broken)("keeps the earlier files of a store with %s", ([, pages, reason, times]) =>
      Effect.gen(function* () {
        const { collect, inside, paths, read, web } = yield* setUp
        web.hosts.set("a-shop.com", store("a-shop.com", [2]))
        yield* collect(["a-shop.com"])
        const before = yield* read("a-shop.com/page-1.json")
        web.asked.length = 0
        web.hosts.set("a-shop.com", store("a-shop.com", [1, 1], pages))
        const { failed, failedPath } = yield* collect(["a-shop.com"])
        assert.match(failed[0]?.reason ?? "", reason)
        if (times > 0)
          assert.lengthOf(
            paths("a-shop.com").filter((path) => path === page(2)),
            times
          )
        assert.deepStrictEqual(yield* inside("a-shop.com"), whole)
        assert.strictEqual(yield* read("a-shop.com/page-1.json"), before)
        assert.match(yield* read(failedPath.slice(failedPath.indexOf(".collect"))), /^a-shop\.com # /)
        // The store is corrected.
        web.hosts.set("a-shop.com", store("a-shop.com", [2]))
        assert.lengthOf((yield* collect(["a-shop.com"])).failed, 0)
      })
    )

    it.effect("reports what a store does not have, and collects the rest", () =>
      Effect.gen(function* () {
        const { collect, inside, web } = yield* setUp
        web.hosts.set("a-shop.com", store("a-shop.com", [2], { "/meta.json": status(404), "/": status(403) }))
        web.hosts.set("b-shop.com", { "/": "<p>A blog</p>", "/meta.json": "<p>Not found</p>" })
        const { collected, failed } = yield* collect(["a-shop.com", "b-shop.com"])
        assert.deepStrictEqual(collected[0]?.notes, ["/meta.json answers with status 404", "/ answers with status 403"])
        assert.deepStrictEqual(yield* inside("a-shop.com"), ["page-1.json", "page-2.json"])
        assert.deepStrictEqual(failed, [
          {
            domain: "b-shop.com",
            reason: "/meta.json is no JSON, but text/html; /products.json answers with status 404"
          }
        ])
        assert.deepStrictEqual(yield* inside("b-shop.com"), [])
      })
    )

    it.effect("says that a store is behind a password", () =>
      Effect.gen(function* () {
        const { collect, web } = yield* setUp
        web.hosts.set("a-shop.com", {
          "/meta.json": redirect("https://a-shop.com/password"),
          "/password": "<form>Enter store password</form>"
        })
        const { failed } = yield* collect(["a-shop.com"])
        assert.deepStrictEqual(failed, [
          { domain: "a-shop.com", reason: "/meta.json leads to a password page: the store is not open" }
        ])
      })
    )

    it.effect("waits a minute for an answer, three times", () =>
      Effect.gen(function* () {
        const { run, web } = yield* setUp
        web.hosts.set("a-shop.com", store("a-shop.com", [2], { "/robots.txt": () => undefined }))
        const fiber = yield* Effect.forkChild(run(["a-shop.com"]))
        for (const [asked, pause] of [
          [1, 65],
          [2, 90],
          [3, 60]
        ] as const) {
          yield* web.askedFor(asked)
          yield* TestClock.adjust(`${pause} seconds`)
        }
        const { failed } = yield* Fiber.join(fiber)
        assert.match(failed[0]?.reason ?? "", /robots\.txt does not answer within 60 seconds/)
        assert.strictEqual(web.inFlight(), 0)
      })
    )

    it.effect("tries the name with www. if the one without has no address", () =>
      Effect.gen(function* () {
        const { collect, inside, web } = yield* setUp
        web.dns.addresses = (name) => (name === "www.a-shop.com" ? ["93.184.216.34"] : [])
        web.hosts.set("www.a-shop.com", store("a-shop.com", [2]))
        const { collected, failed } = yield* collect(["a-shop.com", "b-shop.com"])
        assert.lengthOf(collected, 1)
        assert.deepStrictEqual(yield* inside("a-shop.com"), whole)
        assert.deepStrictEqual(failed, [{ domain: "b-shop.com", reason: "robots.txt has a name without address" }])
      })
    )
  })

  describe("from a server that is hostile", () => {
    it.effect("follows redirects within a domain, and uses the new host from then on", () =>
      Effect.gen(function* () {
        const { collect, inside, paths, web } = yield* setUp
        web.hosts.set("a-shop.com", { "/robots.txt": redirect("https://www.a-shop.com/robots.txt") })
        web.hosts.set("www.a-shop.com", store("www.a-shop.com", [2]))
        assert.lengthOf((yield* collect(["a-shop.com"])).collected, 1)
        assert.deepStrictEqual(paths("a-shop.com"), ["/robots.txt"])
        assert.deepStrictEqual(paths("www.a-shop.com"), all(2))
        assert.deepStrictEqual(yield* inside("a-shop.com"), whole)
      })
    )

    const led: ReadonlyArray<readonly [location: string, reason: RegExp]> = [
      ["https://other-shop.com/meta.json", /leads to other-shop\.com, another domain/],
      ["https://a-shop.com.evil.com/meta.json", /leads to a-shop\.com\.evil\.com/],
      ["//evil.com", /leads to evil\.com/],
      ["https://169.254.169.254/latest/meta-data/", /leads to 169\.254\.169\.254/],
      ["http://127.0.0.1:22/", /leads to 127\.0\.0\.1/],
      ["https://localhost/meta.json", /leads to localhost/],
      ["https://[::1]/meta.json", /leads to \[::1\]/],
      ["https://2852039166/", /leads to 169\.254\.169\.254/],
      ["http://a-shop.com/meta.json", /not followed/],
      ["https://a-shop.com:8443/meta.json", /not followed/],
      ["https://user:secret@a-shop.com/meta.json", /not followed/],
      ["file:///etc/passwd", /another domain|not followed/],
      ["https://[", /redirects to no address/],
      ["", /redirects more than 3 times/]
    ]
    it.effect.each(led)("does not follow a redirect to %j", ([location, reason]) =>
      Effect.gen(function* () {
        const { collect, web } = yield* setUp
        web.hosts.set("a-shop.com", store("a-shop.com", [2], { "/meta.json": redirect(location) }))
        const { collected, failed } = yield* collect(["a-shop.com"])
        assert.match([...(collected[0]?.notes ?? []), ...failed.map(({ reason }) => reason)].join(), reason)
        assert.deepStrictEqual(Array.from(new Set(web.asked.map(({ host }) => host))), ["a-shop.com"])
        assert.notInclude([...(collected[0]?.notes ?? [])].join(), "secret")
      })
    )

    it.effect("fetches nothing more of a domain whose robots.txt redirects to another one", () =>
      Effect.gen(function* () {
        const { collect, web } = yield* setUp
        web.hosts.set(
          "a-shop.com",
          store("a-shop.com", [2], { "/robots.txt": redirect("https://b-shop.com/robots.txt") })
        )
        const { failed } = yield* collect(["a-shop.com"])
        assert.match(failed[0]?.reason ?? "", /leads to b-shop\.com, another domain/)
        assert.lengthOf(web.asked, 1)
      })
    )

    it.effect.each([
      "127.0.0.1",
      "10.0.0.1",
      "169.254.169.254",
      "192.168.1.1",
      "::1",
      "fd00:ec2::254",
      "::ffff:10.0.0.1"
    ])("connects to nothing for a name of %s", (address) =>
      Effect.gen(function* () {
        const { collect, web } = yield* setUp
        web.dns.addresses = () => ["93.184.216.34", address]
        web.hosts.set("a-shop.com", store("a-shop.com", [2]))
        const { failed } = yield* collect(["a-shop.com"])
        assert.match(failed[0]?.reason ?? "", /address that is not public/)
        assert.lengthOf(web.asked, 0)
      })
    )

    it.effect("does not connect to a host of the domain with a private address", () =>
      Effect.gen(function* () {
        const { collect, web } = yield* setUp
        web.dns.addresses = (name) => (name === "in.a-shop.com" ? ["169.254.169.254"] : ["93.184.216.34"])
        web.hosts.set("a-shop.com", store("a-shop.com", [2], { "/meta.json": redirect("https://in.a-shop.com/") }))
        const { collected } = yield* collect(["a-shop.com"])
        assert.match(collected[0]?.notes.join() ?? "", /not public/)
        assert.notInclude(
          web.asked.map(({ host }) => host),
          "in.a-shop.com"
        )
      })
    )

    const endless: Storefronts.Page = (response) => {
      response.writeHead(200, { "content-type": "application/json" })
      const more = () => {
        while (!response.destroyed && response.write(" ".repeat(65_536)));
      }
      response.on("drain", more)
      more()
    }
    const large: ReadonlyArray<readonly [what: string, answer: Storefronts.Page]> = [
      ["an endless body", endless],
      [
        "a small body that unpacks to a large one",
        (response) =>
          void response
            .writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" })
            .end(gzipSync(Buffer.alloc(50_000_000, " ")))
      ]
    ]
    it.effect.each(large)("refuses %s", ([, answer]) =>
      Effect.gen(function* () {
        const { collect, web } = yield* setUp
        web.hosts.set("a-shop.com", store("a-shop.com", [2], { "/meta.json": answer }))
        const { failed } = yield* collect(["a-shop.com"])
        assert.match(failed[0]?.reason ?? "", /^\/meta\.json .*1048576 bytes$/)
      })
    )

    it.effect("refuses a meta.json of another store, and an invalid one", () =>
      Effect.gen(function* () {
        const { collect, web } = yield* setUp
        web.hosts.set("a-shop.com", store("b-shop.com", [2]))
        web.hosts.set("c-shop.com", store("www.c-shop.com", [2]))
        web.hosts.set("d-shop.com", store("d-shop.com", [2], { "/meta.json": [1] }))
        const { collected, failed } = yield* collect(["a-shop.com", "c-shop.com", "d-shop.com"])
        assert.deepStrictEqual(
          collected.map(({ domain }) => domain),
          ["c-shop.com"]
        )
        assert.sameDeepMembers(failed as Array<object>, [
          { domain: "a-shop.com", reason: "/meta.json is that of another store: b-shop.com" },
          { domain: "d-shop.com", reason: "/meta.json does not describe a storefront" }
        ])
      })
    )

    it.effect("refuses an empty list of a store that has products", () =>
      Effect.gen(function* () {
        const { collect, web } = yield* setUp
        web.hosts.set("a-shop.com", store("a-shop.com", [2], { [page(1)]: { products: [] } }))
        web.hosts.set("b-shop.com", store("b-shop.com", []))
        const { collected, failed } = yield* collect(["a-shop.com", "b-shop.com"])
        assert.match(failed[0]?.reason ?? "", /no products, although \/meta\.json tells of 2/)
        assert.strictEqual(collected[0]?.domain, "b-shop.com")
      })
    )

    it.effect("sends back only validators that are valid in a header", () =>
      Effect.gen(function* () {
        const { collect, folder, fs, web } = yield* setUp
        const tagged: Storefronts.Page = (response) =>
          void response
            .writeHead(200, {
              "content-type": "application/json",
              etag: `"${"a".repeat(600)}"`,
              "last-modified": "\u00e9"
            })
            .end(`{"products":[]}`)
        web.hosts.set("a-shop.com", store("a-shop.com", [], { [page(1)]: tagged }))
        yield* collect(["a-shop.com"])
        const state = `${folder}/.collect/state.ndjson`
        const text = yield* fs.readFileString(state)
        yield* fs.writeFileString(state, text.replaceAll(`"etag":null`, String.raw`"etag":"a\r\nb: c"`))
        web.asked.length = 0
        assert.lengthOf((yield* collect(["a-shop.com"])).collected, 1)
        for (const { headers } of web.asked) {
          assert.notProperty(headers, "if-none-match")
          assert.notProperty(headers, "if-modified-since")
        }
      })
    )

    it.effect("writes records that the import decodes, whatever the page", () =>
      Effect.gen(function* () {
        const { collect, read, web } = yield* setUp
        const html = `<html lang="\u0000"><script>Shopify.theme = {"name":"\\u0000\\u202e<x>\\n"}</script><a href="https://fb.com/\uD800">`
        web.hosts.set("a-shop.com", store("a-shop.com", [2], { "/": html }))
        yield* collect(["a-shop.com"])
        assert.isTrue(Result.isSuccess(Records.decode(JSON.parse(yield* read("a-shop.com/shop.ndjson")))))
      })
    )
  })
})
