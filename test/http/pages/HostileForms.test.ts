/**
 * Forms, the OAuth endpoints that take one, and pages whose address holds a filter: whatever is sent, the steps are bounded.
 * The same inputs as those of `npm run bench:hostile`, which has the milliseconds.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Catalogs from "../../support/Catalogs.ts"
import * as HostileInputs from "../../support/HostileInputs.ts"
import { Site } from "../../support/Site.ts"
import * as SiteVisitor from "../../support/SiteVisitor.ts"
import { watchWork } from "../../support/Work.ts"

const services = Catalogs.demo("tiny").pipe(
  Layer.provideMerge(Site.layer({ config: { rateLimitPerMinute: 0, pageViewsPerDay: 0 } }))
)

/** Forms have nothing that is folded but the page's own texts, an e-mail address and a password; bodies have 64,000 and more. */
const maxFoldedByForms = 2_500
/** An address of 15,000 characters may name so many values, each of which is looked up once and told once. */
const maxFoldedByPages = 25_000

interface Sent {
  readonly path: string
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** What is folded until the answer is there; it is no failure of ours. */
const foldedBy = Effect.fnUntraced(function* (label: string, { body, headers = {}, path }: Sent) {
  const site = yield* Site
  const done = watchWork()
  const status = yield* Effect.promise(async () => {
    const response = await fetch(site.url + path, {
      method: body === undefined ? "GET" : "POST",
      redirect: "manual",
      headers,
      ...(body === undefined ? {} : { body })
    })
    await response.arrayBuffer()
    return response.status
  })
  const folded = done.folded()
  done.end()
  assert.isBelow(status, 500, label)
  return folded
})

const form = { "content-type": "application/x-www-form-urlencoded" }

const cookieOf = (visitor: SiteVisitor.SiteVisitor) => ({
  cookie: Array.from(visitor.cookies, ([name, { value }]) => `${name}=${value}`).join("; "),
  "sec-fetch-site": "same-origin"
})

layer(services, { excludeTestServices: true })("hostile forms and addresses", (it) => {
  const prove = Effect.fnUntraced(function* (
    routes: ReadonlyArray<{ readonly route: string; readonly fields: ReadonlyArray<string>; readonly bytes: number }>,
    visitor?: SiteVisitor.SiteVisitor
  ) {
    for (const { bytes, fields, route } of routes) {
      for (const { body, label } of HostileInputs.forms(fields, bytes)) {
        const sent = visitor === undefined ? body : `form_token=${encodeURIComponent(visitor.token())}&${body}`
        const headers = { ...form, ...(visitor === undefined ? {} : cookieOf(visitor)) }
        const folded = yield* foldedBy(`${route}: ${label}`, { path: route, body: sent, headers })
        assert.isAtMost(folded, maxFoldedByForms, `${route}: ${label}`)
      }
    }
  })

  it.effect("of the OAuth endpoints, the sign-in and the dashboard are refused in a bounded number of steps", () =>
    Effect.gen(function* () {
      const site = yield* Site
      yield* prove(HostileInputs.formRoutes.open)
      const guest = yield* SiteVisitor.make
      yield* guest.get("/sign-in")
      yield* prove(HostileInputs.formRoutes.guest, guest)
      yield* prove(HostileInputs.formRoutes.signedIn, yield* SiteVisitor.signedIn(yield* site.account()))
    })
  )

  it.effect("in the addresses of pages are read in a bounded number of steps", () =>
    Effect.gen(function* () {
      const site = yield* Site
      const visitor = yield* SiteVisitor.signedIn(yield* site.account())
      for (const { fields, route } of HostileInputs.pageRoutes) {
        for (const { body, label } of HostileInputs.queries(fields)) {
          const path = `${route}?${body}`
          const folded = yield* foldedBy(`${route}: ${label}`, { path, headers: cookieOf(visitor) })
          assert.isAtMost(folded, maxFoldedByPages, `${route}: ${label}`)
        }
      }
    })
  )
})
