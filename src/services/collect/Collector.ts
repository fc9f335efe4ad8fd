/** Collects what storefronts publish, from several stores at once (docs/collect.md). */
import { Effect, Result } from "effect"
import type { FileSystem, Scope } from "effect"
import { isUtf8 } from "node:buffer"
import { echo } from "../../domain/ArgumentDecoder.ts"
import * as BoundedJson from "../../domain/BoundedJson.ts"
import * as StoreDomain from "../../domain/catalog/StoreDomain.ts"
import * as Storefront from "../../domain/catalog/Storefront.ts"
import * as HostParts from "../../domain/HostParts.ts"
import type { SafeFetch } from "../fetch/SafeFetch.ts"
import type { CollectError } from "./CollectError.ts"
import { NotFetched } from "./CollectError.ts"
import * as CollectFolder from "./CollectFolder.ts"
import * as HomePage from "./HomePage.ts"
import * as PoliteFetch from "./PoliteFetch.ts"
import type { Signatures } from "./Signatures.ts"

export interface CollectOptions {
  readonly domains: ReadonlyArray<string>
  readonly folder: string
  /** The e-mail or web address of the operator. */
  readonly contact: string
  readonly delayMillis: number
  /** How many stores of different owners are requested at the same time. */
  readonly hosts: number
  readonly maxPages: number
  readonly signatures: ReadonlyArray<Signatures>
  readonly onProgress: (progress: Progress) => Effect.Effect<void>
}

export interface Progress {
  readonly stores: number
  readonly requests: number
}

export interface Collected {
  readonly domain: string
  readonly products: number
  /** What was left out, and why. */
  readonly notes: ReadonlyArray<string>
}

export interface CollectReport {
  readonly collected: ReadonlyArray<Collected>
  readonly failed: ReadonlyArray<{ readonly domain: string; readonly reason: string }>
  /** How many stores the interrupted run had collected. */
  readonly resumed: number
  readonly requests: number
  readonly failedPath: string
}

const pageProducts = 250
const maxPageBytes = CollectFolder.maxFileBytes
/** The import does not read a larger meta.json either. */
const maxMetaBytes = 2 ** 20
const maxHomeBytes = 2 ** 23
/** The size of all pages of a store together. */
const maxStoreBytes = 2 ** 29

export const run = Effect.fn("Collector.run")(function* (
  options: CollectOptions
): Effect.fn.Return<CollectReport, CollectError, FileSystem.FileSystem | SafeFetch | Scope.Scope> {
  const folder = yield* CollectFolder.open(options.folder)
  const wanted = options.domains.filter((domain) => !folder.isCollected(domain))
  const progress = { stores: options.domains.length - wanted.length, requests: 0 }
  const collected: Array<Collected> = []
  const failed: Array<{ readonly domain: string; readonly reason: string }> = []
  const tell = Effect.suspend(() => options.onProgress({ ...progress }))

  // Many domains of one owner may be on one server, so they are collected one by one.
  const groups = Array.from(Map.groupBy(wanted, (domain) => HostParts.of(domain).owner).values())
  yield* Effect.forEach(
    groups,
    Effect.fnUntraced(function* (domains) {
      const fetch = yield* PoliteFetch.make({
        contact: options.contact,
        delayMillis: options.delayMillis,
        onRequest: Effect.suspend(() => {
          progress.requests++
          return tell
        })
      })
      for (const domain of domains) {
        const place = folder.of(domain)
        yield* collect(domain, place, fetch, options).pipe(
          Effect.map((store) => void collected.push(store)),
          Effect.catchTag("NotFetched", ({ message, reason }) => {
            failed.push({ domain, reason: message })
            return reason === "passing" ? Effect.void : place.discard
          })
        )
        progress.stores++
        yield* tell
      }
    }),
    { concurrency: options.hosts, discard: true }
  )
  yield* folder.finish(failed.map(({ domain, reason }) => `${domain} # ${reason}`))
  return {
    collected,
    failed,
    resumed: options.domains.length - wanted.length,
    requests: progress.requests,
    failedPath: folder.failedPath
  }
}, Effect.scoped)

const collect = Effect.fn("Collector.collect")(function* (
  domain: string,
  folder: CollectFolder.DomainFolder,
  fetch: PoliteFetch.PoliteFetch,
  { maxPages, signatures }: CollectOptions
): Effect.fn.Return<Collected, CollectError | NotFetched> {
  const notes: Array<string> = []
  yield* folder.begin
  let host = yield* fetch.enter(domain).pipe(
    Effect.catchIf(
      ({ reason }) => reason === "no_name",
      () => fetch.enter(`www.${domain}`)
    ),
    naming("robots.txt")
  )

  /** Returns a JSON file that was saved or is fetched now; `undefined` if the store has none. */
  const take = Effect.fnUntraced(function* (file: string, address: string, maxBytes: number) {
    const resumed = yield* folder.underWay(file)
    if (resumed !== undefined) return resumed
    const placed = yield* folder.placed(file)
    const url = new URL(`https://${host}${address}`)
    const found = yield* Effect.result(
      fetch.get({ url, accept: "application/json", maxBytes, validators: placed?.validators })
    )
    if (Result.isFailure(found)) {
      if (found.failure.reason === "passing" || found.failure.reason === "no_name") return yield* found.failure
      notes.push(`${url.pathname} ${found.failure.message}`)
      return undefined
    }
    const fetched = found.success
    if (fetched === undefined) {
      const { body, validators } = placed ?? { body: new Uint8Array(), validators: { etag: null, lastModified: null } }
      yield* folder.save(file, body, validators)
      return body
    }
    if (fetched.url.pathname === url.pathname) host = fetched.url.host
    if (isPasswordPage(fetched.url)) {
      return yield* new NotFetched({ reason: "no", message: "leads to a password page: the store is not open" })
    }
    if (!/^application\/(?:[\w.+-]+\+)?json$|^text\/json$/u.test(fetched.mediaType)) {
      notes.push(`${url.pathname} is no JSON, but ${echo(fetched.mediaType)}`)
      return undefined
    }
    if (!isUtf8(fetched.body)) {
      return yield* new NotFetched({ reason: "no", message: "is not in UTF-8, as JSON has to be" })
    }
    if (jsonOf(fetched.body) === undefined) {
      return yield* new NotFetched({ reason: "no", message: "is not JSON, although it says so" })
    }
    yield* folder.save(file, fetched.body, fetched.validators)
    return fetched.body
  })

  const meta = yield* take("meta.json", "/meta.json", maxMetaBytes).pipe(naming("/meta.json"))
  const { published, store } =
    meta === undefined
      ? { store: domain, published: 0 }
      : yield* describedBy(jsonOf(meta), domain).pipe(naming("/meta.json"))

  let products = 0
  let bytes = 0
  let previous: Uint8Array | undefined
  for (let page = 1; ; page++) {
    if (page > maxPages) {
      notes.push(`/products.json has more than ${maxPages} pages; the others are left out`)
      break
    }
    const address = `/products.json?limit=${pageProducts}&page=${page}`
    const body = yield* take(`page-${page}.json`, address, maxPageBytes).pipe(naming(address))
    if (body === undefined) {
      if (page === 1) break
      return yield* new NotFetched({ reason: "no", message: notes.at(-1) ?? "" })
    }
    const count = yield* countOf(jsonOf(body)).pipe(naming(address))
    bytes += body.length
    if (previous !== undefined && count > 0 && Buffer.compare(previous, body) === 0) {
      return yield* new NotFetched({ reason: "no", message: `${address} is the same page as the one before` })
    }
    if (bytes > maxStoreBytes) {
      return yield* new NotFetched({ reason: "no", message: `/products.json is larger than ${maxStoreBytes} bytes` })
    }
    previous = body
    products += count
    if (count === 0) break
  }
  // With an empty list, the import would remove all products of the store.
  if (previous !== undefined && products === 0 && published > 0) {
    return yield* new NotFetched({
      reason: "no",
      message: `/products.json has no products, although /meta.json tells of ${published}`
    })
  }
  if (meta === undefined && previous === undefined) {
    return yield* new NotFetched({ reason: "no", message: notes.join("; ") })
  }

  const home = yield* Effect.result(
    fetch.get({ url: new URL(`https://${host}/`), accept: "text/html", maxBytes: maxHomeBytes }).pipe(naming("/"))
  )
  if (Result.isFailure(home)) {
    if (home.failure.reason === "passing") return yield* home.failure
    notes.push(home.failure.message)
  } else if (home.success !== undefined) {
    const page = HomePage.read(new TextDecoder().decode(home.success.body), signatures)
    yield* folder.save("shop.ndjson", recordOf(store, page), { etag: null, lastModified: null })
  }
  yield* folder.place
  return { domain, products, notes }
})

/** Of a store that is not open, the platform redirects every address to this page. */
const isPasswordPage = ({ pathname }: URL): boolean => /^\/(?:[a-z]{2}(?:-[a-z]{2})?\/)?password\/?$/iu.test(pathname)

const naming =
  (address: string) =>
  <A, E extends CollectError | NotFetched, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.mapError(effect, (error) =>
      error instanceof NotFetched
        ? new NotFetched({ reason: error.reason, message: `${address} ${error.message}` })
        : error
    )

const jsonOf = (body: Uint8Array): unknown =>
  Result.getOrUndefined(BoundedJson.parse(new TextDecoder().decode(body), BoundedJson.ofFile))

/** The domain that the import uses for the store, which must be of the same owner, and its number of products. */
const describedBy = (
  input: unknown,
  domain: string
): Effect.Effect<{ readonly store: string; readonly published: number }, NotFetched> => {
  const meta = Storefront.decodeMeta(input)
  if (Result.isFailure(meta)) {
    return Effect.fail(new NotFetched({ reason: "no", message: "does not describe a storefront" }))
  }
  const named = Storefront.domainOf(meta.success) ?? domain
  const store = StoreDomain.normalize(named)
  return HostParts.haveOneOwner(store, domain)
    ? Effect.succeed({ store, published: meta.success.published_products_count ?? 0 })
    : Effect.fail(new NotFetched({ reason: "elsewhere", message: `is that of another store: ${echo(store)}` }))
}

const countOf = (input: unknown): Effect.Effect<number, NotFetched> => {
  const page = typeof input === "object" && input !== null && "products" in input ? input.products : undefined
  return Array.isArray(page)
    ? Effect.succeed(page.length)
    : Effect.fail(new NotFetched({ reason: "no", message: "has no list of products" }))
}

/** Omits what was not found, because it may exist without being on the page. */
const recordOf = (domain: string, page: HomePage.HomePage): Uint8Array => {
  const listed = <A>(name: string, values: ReadonlyArray<A>) => (values.length === 0 ? {} : { [name]: values })
  const record = {
    type: "partial_shop",
    domain,
    ...(page.theme === undefined ? {} : { theme: page.theme }),
    ...listed("languages", page.language === undefined ? [] : [page.language]),
    ...listed("apps", page.apps),
    ...listed("pixels", page.pixels),
    ...listed("social_networks", page.socialNetworks)
  }
  return new TextEncoder().encode(`${JSON.stringify(record)}\n`)
}
