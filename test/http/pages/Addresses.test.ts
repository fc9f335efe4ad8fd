/**
 * D48: no page ignores a part of its address. Names that a page does not have are sent to every page, and values that its
 * parameters do not take: what a page does not refuse by its name, it shows.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { english } from "../../../src/domain/Messages.ts"
import { Accounts } from "../../../src/services/accounts/Accounts.ts"
import * as NaiveCatalog from "../../oracle/NaiveCatalog.ts"
import * as Catalogs from "../../support/Catalogs.ts"
import * as HostileRoutes from "../../support/HostileRoutes.ts"
import { SetClock } from "../../support/SetClock.ts"
import { Site } from "../../support/Site.ts"
import type { Answer } from "../../support/Site.ts"
import * as SiteVisitor from "../../support/SiteVisitor.ts"
import { StripeDouble } from "../../support/StripeDouble.ts"

const services = Layer.unwrap(
  Effect.map(StripeDouble, ({ settings }) =>
    Catalogs.naive(NaiveCatalog.generate(9, 30)).pipe(
      Layer.provideMerge(Site.layer({ config: { ...settings, pageViewsPerDay: 0 } })),
      Layer.provideMerge(SetClock.layer(`${NaiveCatalog.today}T12:00:00Z`))
    )
  )
).pipe(Layer.provideMerge(StripeDouble.layer))

/** Pages that refuse no parameter, and why. */
const exceptions: Readonly<Record<string, string>> = {
  "/authorize": "RFC 6749, 3.1: unknown parameters are ignored",
  "/authorize/decision": "says that the request has expired, whatever the address",
  "/dashboard/:place/*": "no page",
  "/docs/:place/*": "no page"
}

/** Parameters that take any value, and what a wrong one does. */
const anyValue: Readonly<Record<string, string>> = {
  token: "the page says that the link is over",
  return_to: "R29: leads to the default page"
}

const guests = /^\/(?:sign-in|sign-up|reset-password)/u

const pages = [
  ...HostileRoutes.pageRoutes.anyone.map(({ fields, route }) => {
    return { fields, route, by: guests.test(route) ? ("guest" as const) : ("customer" as const) }
  }),
  ...HostileRoutes.pageRoutes.operator.map(({ fields, route }) => ({ fields, route, by: "operator" as const }))
].filter(({ route }) => exceptions[route] === undefined)

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/gu, "\\$&")

/** Whether the page refuses its address with a sentence about the parameter, by its name or that of its field. */
const names = ({ status, text }: Answer, parameter: string): boolean => {
  const label = english.textOr(`filter.names.${parameter.split(".")[0]}`, parameter)
  const sentence = new RegExp(`>(?:${escaped(parameter)}|${escaped(label)})(?:</code>|, [^<]*)?: [^<]`, "u")
  return status === 400 && sentence.test(text)
}

layer(services, { excludeTestServices: true })("addresses of pages", (it) => {
  const visit = Effect.gen(function* () {
    const site = yield* Site
    const clock = yield* SetClock
    const boss = yield* site.account()
    yield* (yield* Accounts).setRole(boss.email, "operator")
    const visitors = {
      guest: yield* SiteVisitor.make,
      customer: yield* SiteVisitor.signedIn(yield* site.account({ plan: "pro" })),
      operator: yield* SiteVisitor.withPasskey(boss)
    }
    /** Time passes before each view; an address of a file that is refused leads to its page. */
    return Effect.fnUntraced(function* (by: keyof typeof visitors, path: string) {
      yield* clock.advance(1_000)
      const answer = yield* visitors[by].get(path)
      return answer.status === 303 ? yield* visitors[by].get(answer.headers.get("location") ?? "") : answer
    })
  }).pipe(Effect.orDie)

  it.effect("with a name that the page does not have are refused by this name, also without a value", () =>
    Effect.gen(function* () {
      const get = yield* visit
      assert.isAbove(pages.length, 30)
      for (const { by, fields, route } of pages) {
        const [field = "colors"] = fields
        for (const [name, query] of [
          ["color", "color=red"],
          ["color", "color="],
          ["color", "color"],
          ["color", `${field}=&color=`],
          ["__proto__", "__proto__=1"],
          ["utm_source", "utm_source=mail"],
          [`${field}s`, `${field}s=1`]
        ] as const) {
          const answer = yield* get(by, `${HostileRoutes.addressOf(route)}?${query}`)
          assert.isTrue(names(answer, name), `${route}?${query}: ${answer.status}`)
        }
      }
    })
  )

  it.effect("with a value that a parameter does not take are refused by its name; any other value is shown", () =>
    Effect.gen(function* () {
      const get = yield* visit
      let [refused, shown] = [0, 0]
      for (const { by, fields, route } of pages) {
        for (const field of fields) {
          if (anyValue[field] !== undefined) continue
          for (const values of [["zqx7!"], ["zqx7!", "zqx8!"]]) {
            const query = values.map((value) => `${field}=${value}`).join("&")
            const answer = yield* get(by, `${HostileRoutes.addressOf(route)}?${query}`)
            if (names(answer, field)) refused++
            else if (values.every((value) => answer.text.includes(value))) shown++
            // Files are compared with their pages in catalog/Exports.test.ts.
            else assert.match(answer.headers.get("content-type") ?? "", /csv|ndjson/u, `${route}?${query}`)
          }
        }
      }
      assert.isAbove(refused, 100)
      assert.isAbove(shown, 10)
    })
  )
})
