/**
 * Forms, endpoints that take a body, and pages: whatever is sent to any route, and whoever sends it, the steps are bounded.
 * The same inputs as those of `npm run bench:hostile`, which has the milliseconds, over a vocabulary as large.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { Accounts } from "../../../src/services/accounts/Accounts.ts"
import { ApiKeys } from "../../../src/services/credentials/ApiKeys.ts"
import { ToolRegistry } from "../../../src/services/tools/ToolRegistry.ts"
import * as Catalogs from "../../support/Catalogs.ts"
import * as HostileCatalog from "../../support/HostileCatalog.ts"
import * as HostileInputs from "../../support/HostileInputs.ts"
import * as HostileRoutes from "../../support/HostileRoutes.ts"
import * as Messages from "../../support/Messages.ts"
import { Site } from "../../support/Site.ts"
import * as SiteVisitor from "../../support/SiteVisitor.ts"
import { StripeDouble } from "../../support/StripeDouble.ts"
import { watchWork } from "../../support/Work.ts"

const services = Layer.unwrap(
  Effect.map(StripeDouble, ({ settings }) =>
    HostileCatalog.layer.pipe(
      Layer.provideMerge(Catalogs.demo("tiny")),
      Layer.provideMerge(Site.layer({ config: { ...settings, rateLimitPerMinute: 0, pageViewsPerDay: 0 } }))
    )
  )
).pipe(Layer.provideMerge(StripeDouble.layer))

/** Forms have nothing that is folded but the page's own texts, an e-mail address and a password; bodies have 64,000 and more. */
const maxFoldedByForms = 2_500
/** An address of 15,000 characters may name so many values, each of which is looked up once and told once. */
const maxFoldedByPages = 25_000
/** A batch of 20 calls with 40 unknown names each, five of which are compared. The vocabulary has 400,000 characters. */
const maxFoldedByCalls = 80_000

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

/** Of the plan Starter: pages with data of the catalog and tools refuse it. */
const refused = Effect.flatMap(Site, (site) => site.account({ plan: "starter" }))

const operator = Effect.gen(function* () {
  const who = yield* (yield* Site).account()
  yield* (yield* Accounts).setRole(who.email, "operator")
  return yield* SiteVisitor.withPasskey(who)
}).pipe(Effect.orDie)

layer(services, { excludeTestServices: true })("hostile forms and addresses", (it) => {
  const sendForms = Effect.fnUntraced(function* (
    routes: ReadonlyArray<HostileRoutes.FormRoute>,
    visitor?: SiteVisitor.SiteVisitor
  ) {
    for (const { bytes, fields, route } of routes) {
      for (const { body, label } of HostileInputs.forms(fields, bytes)) {
        const sent = visitor === undefined ? body : `form_token=${encodeURIComponent(visitor.token())}&${body}`
        const headers = { ...form, ...(visitor === undefined ? {} : cookieOf(visitor)) }
        const path = HostileRoutes.addressOf(route)
        const folded = yield* foldedBy(`${route}: ${label}`, { path, body: sent, headers })
        assert.isAtMost(folded, maxFoldedByForms, `${route}: ${label}`)
      }
    }
  })

  const openPages = Effect.fnUntraced(function* (
    routes: ReadonlyArray<HostileRoutes.PageRoute>,
    visitor?: SiteVisitor.SiteVisitor
  ) {
    const headers = visitor === undefined ? {} : cookieOf(visitor)
    for (const { fields, route } of routes) {
      for (const { body, label } of HostileInputs.queries(fields)) {
        const path = `${HostileRoutes.addressOf(route)}?${body}`
        const folded = yield* foldedBy(`${route}: ${label}`, { path, headers })
        assert.isAtMost(folded, maxFoldedByPages, `${route}: ${label}`)
      }
    }
  })

  /** Makes what is made once for each version of the vocabulary. */
  const prepared = Effect.gen(function* () {
    const visitor = yield* SiteVisitor.signedIn(yield* (yield* Site).account())
    for (const query of ["themes=Theme+of+Studio", "apps=App+1+by+Maker+1"])
      yield* visitor.get(`/dashboard/ads?${query}`)
  })

  it.effect("are sent to every route, unless there is a reason", () =>
    Effect.gen(function* () {
      const { routes } = yield* Site
      assert.isAbove(routes.length, 100)
      assert.deepStrictEqual(HostileRoutes.differences(routes), { missing: [], gone: [] })
    })
  )

  it.effect("of forms without a session are refused in a bounded number of steps", () =>
    Effect.gen(function* () {
      yield* sendForms(HostileRoutes.formRoutes.open)
      const guest = yield* SiteVisitor.make
      yield* guest.get("/sign-in")
      yield* sendForms(HostileRoutes.formRoutes.guest, guest)
    })
  )

  it.effect("of forms of the dashboard are refused in a bounded number of steps", () =>
    Effect.gen(function* () {
      const site = yield* Site
      yield* sendForms(HostileRoutes.formRoutes.signedIn, yield* SiteVisitor.signedIn(yield* site.account()))
      yield* sendForms(HostileRoutes.formRoutes.signedIn, yield* SiteVisitor.signedIn(yield* refused))
      yield* sendForms(HostileRoutes.formRoutes.operator, yield* SiteVisitor.signedIn(yield* refused))
      yield* sendForms(HostileRoutes.formRoutes.operator, yield* operator)
    })
  )

  it.effect("of bodies in JSON are refused in a bounded number of steps", () =>
    Effect.gen(function* () {
      for (const { headers, inputs, route } of HostileRoutes.bodyRoutes) {
        for (const { body, label } of inputs) {
          const folded = yield* foldedBy(`${route}: ${label}`, { path: route, body, headers })
          assert.isAtMost(folded, maxFoldedByForms, `${route}: ${label}`)
        }
      }
    })
  )

  it.effect("in the addresses of pages are read in a bounded number of steps", () =>
    Effect.gen(function* () {
      const site = yield* Site
      yield* prepared
      const { anyone, operator: operators } = HostileRoutes.pageRoutes
      yield* openPages([...anyone, ...operators], yield* SiteVisitor.signedIn(yield* site.account()))
      yield* openPages([...anyone, ...operators], yield* SiteVisitor.signedIn(yield* refused))
      yield* openPages([...anyone, ...operators])
      yield* openPages(operators, yield* operator)
    })
  )

  it.effect("of tools are compared with a large vocabulary in a bounded number of steps", () =>
    Effect.gen(function* () {
      const site = yield* Site
      const accounts = yield* Accounts
      yield* prepared
      const { tools } = yield* ToolRegistry
      const lookUps = ["a", "app maker", "theme of studio", "o h p q"].map((query) => ({
        label: `list_filter_options: ${query}, in a batch of 20`,
        body: JSON.stringify(
          Array.from({ length: 20 }, (_, index) =>
            Messages.call("list_filter_options", { kind: index % 2 === 0 ? "apps" : "themes", query })
          )
        )
      }))
      const inputs = [
        ...tools
          .flatMap(({ listing }) => HostileInputs.ofTool(listing))
          .filter(({ label }) => /near|everything/u.test(label)),
        ...lookUps
      ]
      assert.isAtLeast(inputs.length, 5 * tools.length)
      for (const plan of ["growth", "starter"] as const) {
        const { email } = yield* site.account()
        const { id } = yield* accounts.find(email)
        const { secret } = yield* (yield* ApiKeys).create(id, "a key")
        // A key stays when the plan is lost.
        yield* accounts.setPlan(id, plan)
        const headers = { authorization: `Bearer ${Redacted.value(secret)}`, "content-type": "application/json" }
        for (const { body, label } of inputs) {
          const folded = yield* foldedBy(`${plan}, ${label}`, { path: "/mcp", body, headers })
          assert.isAtMost(folded, maxFoldedByCalls, `${plan}, ${label}`)
        }
      }
    }).pipe(Effect.orDie)
  )
})
