/**
 * D63 No text that the database refuses reaches it, and no value of a caller is an outage: tools, OAuth endpoints, forms and addresses
 * refuse control characters, and answer numbers, days and texts of any size without a 5xx. No answer has a text of a library.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted, Schema } from "effect"
import { Accounts } from "../../../src/services/accounts/Accounts.ts"
import { ApiKeys } from "../../../src/services/credentials/ApiKeys.ts"
import { ToolRegistry } from "../../../src/services/tools/ToolRegistry.ts"
import * as Catalogs from "../../support/Catalogs.ts"
import { foreignText } from "../../support/ForeignText.ts"
import * as HostileRoutes from "../../support/HostileRoutes.ts"
import * as Messages from "../../support/Messages.ts"
import { Site } from "../../support/Site.ts"
import * as SiteVisitor from "../../support/SiteVisitor.ts"
import { StripeDouble } from "../../support/StripeDouble.ts"

const services = Layer.unwrap(
  Effect.map(StripeDouble, ({ settings }) =>
    Catalogs.demo("tiny").pipe(
      Layer.provideMerge(Site.layer({ config: { ...settings, rateLimitPerMinute: 0, pageViewsPerDay: 0 } }))
    )
  )
).pipe(Layer.provideMerge(StripeDouble.layer))

const control = ["\u0000", "a\u0000b", "\u001B[31m", "a\u007F", "\u0085"]
const odd = ["99999999999999999999", "1e400", "-1", "0001-99-99", "\u{10FFFF}'\"\\", "a".repeat(3_000), "{}", "[]"]

const form = { "content-type": "application/x-www-form-urlencoded" }

interface Sent {
  readonly path: string
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}

const send = Effect.fnUntraced(function* (label: string, { body, headers = {}, path }: Sent) {
  const site = yield* Site
  const answer = yield* Effect.promise(async () => {
    const response = await fetch(site.url + path, {
      method: body === undefined ? "GET" : "POST",
      redirect: "manual",
      headers,
      ...(body === undefined ? {} : { body })
    })
    return { status: response.status, text: await response.text() }
  })
  assert.isBelow(answer.status, 500, `${label}: ${answer.text}`)
  assert.notMatch(answer.text, foreignText, label)
  return answer
})

const cookieOf = (visitor: SiteVisitor.SiteVisitor) => ({
  cookie: Array.from(visitor.cookies, ([name, { value }]) => `${name}=${value}`).join("; "),
  "sec-fetch-site": "same-origin"
})

const customer = Effect.gen(function* () {
  return yield* SiteVisitor.signedIn(yield* (yield* Site).account())
})

const operator = Effect.gen(function* () {
  const who = yield* (yield* Site).account()
  yield* (yield* Accounts).setRole(who.email, "operator")
  return yield* SiteVisitor.withPasskey(who)
}).pipe(Effect.orDie)

/** One field has the value, the others have nothing special. */
const withOne = (fields: ReadonlyArray<string>, field: string, value: string) =>
  fields.map((name) => `${name}=${encodeURIComponent(name === field ? value : "x")}`).join("&")

layer(services, { excludeTestServices: true })("unfit input", (it) => {
  const sendForms = Effect.fnUntraced(function* (
    routes: ReadonlyArray<HostileRoutes.FormRoute>,
    visitor?: SiteVisitor.SiteVisitor
  ) {
    for (const { fields, route } of routes) {
      for (const field of fields.length === 0 ? ["unread"] : fields) {
        for (const value of [...control, ...odd]) {
          const label = `${route} ${field} ${JSON.stringify(value.slice(0, 30))}`
          const parameters = withOne(fields.length === 0 ? [field] : fields, field, value)
          const body =
            visitor === undefined ? parameters : `form_token=${encodeURIComponent(visitor.token())}&${parameters}`
          const headers = { ...form, ...(visitor === undefined ? {} : cookieOf(visitor)) }
          const { status } = yield* send(label, { path: HostileRoutes.addressOf(route), body, headers })
          if (!control.includes(value)) continue
          // The form of mail programs has a field that is not read (RFC 8058); without a link it is over.
          const refusals = route === "/alerts/unsubscribe" ? [400, 410] : [400]
          assert.include(/:place|^\/authorize$/u.test(route) ? [400, 404, 405] : refusals, status, label)
        }
      }
    }
  })

  const openPages = Effect.fnUntraced(function* (
    routes: ReadonlyArray<HostileRoutes.PageRoute>,
    visitor?: SiteVisitor.SiteVisitor
  ) {
    const headers = visitor === undefined ? {} : cookieOf(visitor)
    for (const { fields, route } of routes) {
      for (const field of fields) {
        for (const value of [...control, ...odd]) {
          const label = `${route} ${field} ${JSON.stringify(value.slice(0, 30))}`
          const path = `${HostileRoutes.addressOf(route)}?${field}=${encodeURIComponent(value)}`
          const { status } = yield* send(label, { path, headers })
          if (control.includes(value)) assert.strictEqual(status, 400, label)
        }
      }
      for (const id of ["99999999999999999999", "2147483648", "-1", "1e3", "%00", "a%00", "%ff", "%1b"]) {
        if (route.includes(":")) yield* send(`${route} ${id}`, { path: route.replace(/:[a-z]+/u, id), headers })
      }
    }
  })

  it.effect("in forms of the dashboard", () =>
    Effect.gen(function* () {
      yield* sendForms(HostileRoutes.formRoutes.signedIn, yield* customer)
      yield* sendForms(HostileRoutes.formRoutes.operator, yield* operator)
    })
  )

  it.effect("in addresses", () =>
    Effect.gen(function* () {
      const { anyone, operator: operators } = HostileRoutes.pageRoutes
      yield* openPages(anyone, yield* customer)
      yield* openPages(operators, yield* operator)
      yield* openPages([
        { route: "/demo/v1/ads/:name", fields: [] },
        { route: "/demo/v1/products/:name", fields: [] }
      ])
    })
  )

  it.effect("in Authorization: Basic, and in JSON", () =>
    Effect.gen(function* () {
      for (const value of control) {
        const basic = Buffer.from(`${value}:${value}`).toString("base64")
        const headers = { ...form, authorization: `Basic ${basic}` }
        const { status } = yield* send("basic", {
          path: "/token",
          body: "grant_type=refresh_token&refresh_token=x",
          headers
        })
        assert.strictEqual(status, 400)
      }
      for (const value of [...control, ...odd, "\uD800"]) {
        for (const name of ["client_name", "redirect_uris", "token_endpoint_auth_method"]) {
          const uris = { redirect_uris: ["https://app.example/callback"] }
          for (const body of [
            { ...uris, [name]: value },
            { ...uris, [name]: [value] }
          ]) {
            const headers = { "content-type": "application/json" }
            yield* send(`register ${name}`, { path: "/register", body: JSON.stringify(body), headers })
          }
        }
      }
    })
  )

  const Reply = Schema.Struct({
    result: Schema.Struct({
      isError: Schema.optionalKey(Schema.Boolean),
      content: Schema.Array(Schema.Struct({ text: Schema.String }))
    })
  })
  const ErrorBlock = Schema.fromJsonString(
    Schema.Struct({
      error: Schema.Struct({
        code: Schema.String,
        issues: Schema.optionalKey(Schema.Array(Schema.Struct({ path: Schema.String, message: Schema.String })))
      })
    })
  )

  it.effect("in every argument of every tool, at any depth: refused by its name, and never an outage", () =>
    Effect.gen(function* () {
      const site = yield* Site
      const { tools } = yield* ToolRegistry
      const { id } = yield* (yield* Accounts).find((yield* site.account()).email)
      const { secret } = yield* (yield* ApiKeys).create(id, "a key")
      const headers = { authorization: `Bearer ${Redacted.value(secret)}`, "content-type": "application/json" }
      const call = Effect.fnUntraced(function* (tool: string, args: unknown) {
        const label = `${tool} ${JSON.stringify(args).slice(0, 100)}`
        const body = JSON.stringify(Messages.call(tool, args))
        const { text } = yield* send(label, { path: "/mcp", body, headers })
        const { result } = Schema.decodeUnknownSync(Schema.fromJsonString(Reply))(text)
        if (result.isError !== true) return undefined
        const { error } = Schema.decodeUnknownSync(ErrorBlock)(result.content.at(-1)?.text)
        assert.notInclude(["service_unavailable", "internal_error", "search_timeout"], error.code, label)
        return error
      })
      let seen = 0
      for (const { name, schemas } of tools) {
        const needed: Readonly<Record<string, unknown>> =
          name === "list_filter_options" ? { kind: "niches" } : name.startsWith("compare") ? { group_by: "niche" } : {}
        for (const argument of Object.keys(schemas.arguments.properties ?? {})) {
          for (const text of ["a\u0000b", "\u001B[31m", "\uD800"]) {
            for (const value of [text, [text], { min: text, from: text, countries: [text], query: text }]) {
              const error = yield* call(name, { ...needed, [argument]: value })
              assert.strictEqual(error?.code, "invalid_arguments", `${name} ${argument}`)
              const issue = error?.issues?.find(({ path }) => path === argument || path.startsWith(`${argument}.`))
              assert.isDefined(issue, `${name} ${argument} ${JSON.stringify(error)}`)
              const same = error?.issues?.filter(({ path }) => path === issue?.path)
              assert.lengthOf(same ?? [], 1, `${name} ${argument} ${JSON.stringify(error)}`)
              if (issue?.message === "must not contain control characters") seen++
            }
          }
          for (const value of [...odd, -1, 1e308, 0.5, [null], { min: 1e308 }]) {
            yield* call(name, { ...needed, [argument]: value })
          }
        }
      }
      assert.isAbove(seen, 100)
    }).pipe(Effect.orDie)
  )

  // Last, because it uses up the attempts to sign in.
  it.effect("in forms without a session", () =>
    Effect.gen(function* () {
      yield* sendForms(HostileRoutes.formRoutes.open)
      const guest = yield* SiteVisitor.make
      yield* guest.get("/sign-in")
      yield* sendForms(HostileRoutes.formRoutes.guest, guest)
    })
  )
})
