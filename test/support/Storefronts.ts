/**
 * Storefronts of a test on one real HTTP server on loopback, told apart by the header `Host`. Name servers say that they are
 * public, and what connects to them is led to the server; every check before that is the real one.
 */
import { Clock, Deferred, Effect, Fiber, Layer, Option } from "effect"
import { NetAddress } from "effect/net"
import { TestClock } from "effect/testing"
import type { IncomingHttpHeaders, ServerResponse } from "node:http"
import { AppConfig } from "../../src/Config.ts"
import type { PinnedSend } from "../../src/services/fetch/PinnedRequest.ts"
import { PinnedRequest } from "../../src/services/fetch/PinnedRequest.ts"
import { SafeFetch } from "../../src/services/fetch/SafeFetch.ts"
import * as DocumentServer from "./DocumentServer.ts"
import * as FakeDns from "./FakeDns.ts"

export interface Asked {
  /** Such as `a-shop.com/meta.json`. */
  readonly what: string
  readonly host: string
  /** By the clock of the test. */
  readonly atMillis: number
  readonly headers: Readonly<Record<string, string>>
}

/** What a path of a host answers: text of a page, JSON of anything else, or whatever it does. */
export type Page = string | object | ((response: ServerResponse, headers: IncomingHttpHeaders) => void)

/** By path with its query. */
export type Pages = Record<string, Page>

export interface Storefronts {
  readonly hosts: Map<string, Pages>
  readonly asked: Array<Asked>
  /** Requests under way at the same time, at most: of all hosts, and of one. */
  readonly most: { all: number; ofOneHost: number }
  readonly dns: FakeDns.FakeDns
  /** Once there have been so many requests. */
  readonly askedFor: DocumentServer.DocumentServer["asked"]
  readonly layer: Layer.Layer<SafeFetch>
  readonly inFlight: () => number
}

const publicAddress = "93.184.216.34"

export const make = Effect.fnUntraced(function* () {
  const server = yield* DocumentServer.make()
  const hosts = new Map<string, Pages>()
  const asked: Array<Asked> = []
  const open: Array<string> = []
  const most = { all: 0, ofOneHost: 0 }
  const dns = FakeDns.make(() => [publicAddress])
  server.answer = (request, response) => {
    const host = (request.headers.host ?? "").replace(/:\d+$/u, "")
    const page = hosts.get(host)?.[request.url ?? ""]
    if (page === undefined) response.writeHead(404).end()
    else if (typeof page === "function") page(response, request.headers)
    else if (typeof page === "string") response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(page)
    else response.writeHead(200, { "content-type": "application/json; charset=utf-8" }).end(JSON.stringify(page))
  }
  const pinned = Layer.effect(
    PinnedRequest,
    Effect.gen(function* () {
      const real = yield* PinnedRequest
      return {
        send: <E>(options: PinnedSend<E>) =>
          Effect.gen(function* () {
            const { url } = options
            asked.push({
              what: `${url.host}${url.pathname}${url.search}`,
              host: url.host,
              atMillis: yield* Clock.currentTimeMillis,
              headers: options.headers
            })
            open.push(url.host)
            most.all = Math.max(most.all, open.length)
            most.ofOneHost = Math.max(most.ofOneHost, open.filter((host) => host === url.host).length)
            return yield* real
              .send({
                ...options,
                url: new URL(`http://${url.hostname}:${server.port}${url.pathname}${url.search}`),
                addresses: [NetAddress.ipFromStringUnsafe("127.0.0.1")]
              })
              .pipe(Effect.ensuring(Effect.sync(() => void open.splice(open.indexOf(url.host), 1))))
          })
      }
    })
  ).pipe(Layer.provide(PinnedRequest.layer))
  const storefronts: Storefronts = {
    hosts,
    asked,
    most,
    dns,
    askedFor: server.asked,
    // As on the machine of an operator who tries a server out: loopback may be asked for documents there.
    layer: SafeFetch.layerNoDeps.pipe(Layer.provide([AppConfig.layerOf({}), FakeDns.layer(dns), pinned]), Layer.orDie),
    inFlight: () => open.length
  }
  return storefronts
})

/** Runs what waits by the clock: it goes on whenever nothing is asked of the server. */
export const inTime = Effect.fnUntraced(function* <A, E, R>(
  web: Storefronts,
  effect: Effect.Effect<A, E, R>,
  until: () => boolean = () => false
): Effect.fn.Return<Option.Option<A>, E, R> {
  const done = yield* Deferred.make<A, E>()
  const fiber = yield* Effect.forkChild(Effect.exit(effect).pipe(Effect.tap((exit) => Deferred.done(done, exit))))
  for (;;) {
    yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
    if (yield* Deferred.isDone(done)) return Option.some(yield* Deferred.await(done))
    if (until()) {
      yield* Fiber.interrupt(fiber)
      return Option.none()
    }
    if (web.inFlight() === 0) yield* TestClock.adjust("50 millis")
  }
})

export const product = (index: number) => ({
  id: 1_000 + index,
  title: `Lamp ${index}`,
  handle: `lamp-${index}`,
  variants: [{ id: index, price: "39.00", available: true }],
  images: []
})

export const page = (number: number) => `/products.json?limit=250&page=${number}`

/** A storefront that behaves well, with pages of so many products. */
export const store = (domain: string, sizes: ReadonlyArray<number>, more: Pages = {}): Pages => {
  let before = 0
  const pages = [...sizes, 0].map((size, index): readonly [string, Page] => {
    const products = Array.from({ length: size }, (_, each) => product(before + each))
    before += size
    return [page(index + 1), { products }]
  })
  return {
    "/robots.txt": (response) =>
      void response.writeHead(200, { "content-type": "text/plain" }).end("User-agent: *\nAllow: /"),
    "/meta.json": { name: "Oakline", country: "DE", currency: "EUR", domain, published_products_count: before },
    ...Object.fromEntries(pages),
    "/": home,
    ...more
  }
}

const home = `<!doctype html><html class="js" lang="de-DE"><head>
<script>var Shopify = Shopify || {}; Shopify.theme = {"name":"Dawn - live","id":1,"schema_name":"Dawn","role":"main"};</script>
<script src="https://static.klaviyo.com/onsite/js/AbCdEf/klaviyo.js" async></script>
<script>!function(f,b,e,v,n,t,s){}(window,document,'script','https://connect.facebook.net/en_US/fbevents.js');</script>
</head><body><p>We like lamps.</p><a href="https://www.instagram.com/oakline/">Instagram</a></body></html>`

export const status =
  (code: number, headers: Record<string, string> = {}): Page =>
  (response) =>
    void response.writeHead(code, headers).end("{}")

export const redirect = (location: string): Page => status(301, { location })
