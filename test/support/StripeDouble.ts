/**
 * The few calls of Stripe's API that billing makes, on a port, with the rules of Stripe that matter: keys, idempotency, one
 * payment for one session, and subscriptions whose state tests set. Its pages to pay at and to manage are for browsers.
 */
import { Context, Duration, Effect, Layer, Option, Redacted } from "effect"
import { createServer } from "node:http"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Stripe } from "stripe"
import type { AppSettings } from "../../src/Config.ts"
import { AppConfig } from "../../src/Config.ts"
import { Billing } from "../../src/services/billing/Billing.ts"
import type { Times } from "../../src/services/billing/StripeApi.ts"
import { asSubscription, listOf, newSubscription, nextId as next } from "./StripeObjects.ts"
import type { Subscription } from "./StripeObjects.ts"

export const prices = { growth: ["price_growth", "price_growth2019"], pro: ["price_pro"] } as const

/** In cents, of the prices that are sold. */
const amounts: Readonly<Record<string, number>> = { price_growth: 4900, price_pro: 19_950 }

const secretKey = "sk_test_ofTheDouble"
const webhookSecret = "whsec_ofTheDouble"

interface Session {
  readonly id: string
  readonly customer: string
  readonly metadata: Readonly<Record<string, string>>
  readonly price: string
  readonly successUrl: string
  readonly cancelUrl: string
  status: "open" | "complete" | "expired"
}

/**
 * How calls of the API fail: with an error of Stripe, with one that it gives to the idempotency key from then on, by a broken
 * connection, or never answered.
 */
export type Fault = "error" | "kept error" | "broken" | "silent"

export interface Call {
  readonly method: string
  readonly path: string
  readonly params: URLSearchParams
  readonly idempotencyKey: string | undefined
}

/** As it arrives at the webhook. */
export interface Delivery {
  readonly body: Uint8Array
  readonly signature: string
}

export class StripeDouble extends Context.Service<
  StripeDouble,
  {
    readonly url: string
    /** Settings of a service that uses it. */
    readonly settings: Pick<AppSettings, "stripe" | "stripeApiUrl">
    /** The same as environment variables. */
    readonly environment: Readonly<Record<string, string>>
    /** Calls of the API so far. */
    readonly calls: Array<Call>
    readonly customers: Map<string, { readonly id: string; readonly email: string }>
    readonly subscriptions: Array<Subscription>
    readonly sessions: Array<Session>
    /** How the next calls fail: one fault each, or all of them. */
    readonly faults: { next: Array<Fault>; all: Fault | undefined }
    /** `beforeCall` is called before faults are looked at; an answer that is made waits for `beforeAnswer`. */
    readonly hooks: {
      beforeCall: ((call: Call) => void) | undefined
      beforeAnswer: ((path: string, method: string) => Promise<void>) | undefined
    }
    /** Ends the customer's subscriptions as well. A customer that is not in `customers` was never known. */
    readonly deleteCustomer: (customer: string) => void
    readonly subscribe: (customer: string, options?: Partial<Subscription>) => Subscription
    /** A signed event about an object. `timestamp` is in seconds since 1970. */
    readonly event: (options: {
      readonly customer: string
      readonly type?: string
      readonly id?: string
      readonly timestamp?: number
      readonly secret?: string
    }) => Delivery
    /** Signs any text. */
    readonly sign: (body: string, options?: { readonly timestamp?: number; readonly secret?: string }) => Delivery
  }
>()("test/support/StripeDouble") {
  static readonly layer = Layer.effect(
    StripeDouble,
    Effect.acquireRelease(
      Effect.promise(() => listen()),
      ({ server }) =>
        Effect.callback<void>((resume) => {
          server.closeAllConnections()
          server.close(() => resume(Effect.void))
        })
    ).pipe(Effect.map(({ double }) => double))
  )

  /** Billing over the double and the accounts of a test. */
  static readonly billing = (times: Times = { attempt: Duration.seconds(20), call: Duration.seconds(60) }) =>
    Layer.unwrap(
      Effect.map(StripeDouble, ({ settings }) =>
        Billing.layerWith(times).pipe(
          Layer.provide(AppConfig.layerOf({ ...settings, baseUrl: "https://discovery.test" }))
        )
      )
    )
}

const asSession = (url: string, { customer, id, metadata, status }: Session) => ({
  id,
  object: "checkout.session",
  mode: "subscription",
  customer,
  metadata,
  status,
  url: status === "open" ? `${url}/c/pay/${id}` : null
})

const textOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk as Uint8Array))
  return Buffer.concat(chunks).toString("utf8")
}

const page = (heading: string, body: string) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>${heading}</title><h1>${heading}</h1>${body}</html>`

const listen = async () => {
  const calls: Array<Call> = []
  const customers = new Map<string, { readonly id: string; readonly email: string }>()
  const deleted = new Set<string>()
  const subscriptions: Array<Subscription> = []
  const sessions: Array<Session> = []
  const portals = new Map<string, { readonly customer: string; readonly returnUrl: string }>()
  const made = new Map<string, { readonly request: string; readonly status: number; readonly answer: unknown }>()
  const faults: StripeDouble["Service"]["faults"] = { next: [], all: undefined }
  const hooks: StripeDouble["Service"]["hooks"] = { beforeCall: undefined, beforeAnswer: undefined }
  const stripe = new Stripe(secretKey)
  let url = ""

  const subscribe: StripeDouble["Service"]["subscribe"] = (customer, options = {}) => {
    const subscription = newSubscription(customer, options)
    subscriptions.unshift(subscription)
    return subscription
  }

  const missing = (param: string) => ({
    status: 404,
    body: { error: { type: "invalid_request_error", code: "resource_missing", param, message: `No such ${param}` } }
  })

  const metadataOf = (params: URLSearchParams) =>
    Object.fromEntries(
      Array.from(params).flatMap(([name, value]) => {
        const [, key] = /^metadata\[(\w+)\]$/u.exec(name) ?? []
        return key === undefined ? [] : [[key, value] as const]
      })
    )

  /** What each item of a list is to have whole, such as `schedule`. */
  const expandedOf = (params: URLSearchParams) =>
    Array.from(params).flatMap(([name, value]) =>
      /^expand\[\d*\]$/u.test(name) ? [value.replace(/^data\./u, "")] : []
    )

  /** The answer of the API. */
  const answer = ({ method, params, path }: Call): { readonly status: number; readonly body: unknown } => {
    const ok = (body: unknown) => ({ status: 200, body })
    const customer = params.get("customer") ?? ""
    const [, id = ""] = /^\/v1\/(?:customers|subscriptions|checkout\/sessions)\/(\w+)/u.exec(path) ?? []
    if (path.startsWith("/v1/prices/")) {
      const amount = amounts[path.slice("/v1/prices/".length)]
      if (amount === undefined) return missing("price")
      return ok({
        object: "price",
        currency: "eur",
        unit_amount: amount,
        recurring: { interval: "month", interval_count: 1 }
      })
    }
    if (method === "POST" && path === "/v1/customers") {
      const made = { id: next("cus"), object: "customer", email: params.get("email") ?? "" }
      customers.set(made.id, made)
      return ok(made)
    }
    if (path.startsWith("/v1/customers/")) {
      if (deleted.has(id)) return ok({ id, object: "customer", deleted: true })
      return customers.has(id) ? ok(customers.get(id)) : missing("id")
    }
    if (method === "DELETE") {
      const found = subscriptions.find((subscription) => subscription.id === id)
      if (found === undefined) return missing("id")
      found.status = "canceled"
      return ok(asSubscription(found))
    }
    if (path.endsWith("/expire")) {
      const found = sessions.find((session) => session.id === id && session.status === "open")
      if (found === undefined) return { status: 400, body: { error: { type: "invalid_request_error" } } }
      found.status = "expired"
      return ok(asSession(url, found))
    }
    if (!customers.has(customer)) return missing("customer")
    if (path === "/v1/subscriptions") {
      const expands = expandedOf(params)
      const own = subscriptions.filter((subscription) => subscription.customer === customer)
      return ok(
        listOf(
          path,
          own.map((subscription) => asSubscription(subscription, expands))
        )
      )
    }
    if (path === "/v1/billing_portal/sessions") {
      const portal = next("bps")
      portals.set(portal, { customer, returnUrl: params.get("return_url") ?? "" })
      return ok({ id: portal, object: "billing_portal.session", url: `${url}/p/${portal}` })
    }
    if (method === "GET") {
      const own = sessions.filter((session) => session.customer === customer)
      return ok(
        listOf(
          path,
          own.map((session) => asSession(url, session))
        )
      )
    }
    const session: Session = {
      id: next("cs"),
      customer,
      metadata: metadataOf(params),
      price: params.get("line_items[0][price]") ?? "",
      successUrl: params.get("success_url") ?? "",
      cancelUrl: params.get("cancel_url") ?? "",
      status: "open"
    }
    sessions.unshift(session)
    return ok(asSession(url, session))
  }

  const api = async (request: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(request.url ?? "", url)
    const body = await textOf(request)
    const { authorization, "idempotency-key": idempotencyKey } = request.headers
    const call: Call = {
      method: request.method ?? "",
      path: pathname,
      params: request.method === "POST" ? new URLSearchParams(body) : searchParams,
      idempotencyKey: typeof idempotencyKey === "string" ? idempotencyKey : undefined
    }
    calls.push(call)
    hooks.beforeCall?.(call)
    const send = (status: number, value: unknown, headers = {}) =>
      response
        .writeHead(status, { "content-type": "application/json", "request-id": next("req"), ...headers })
        .end(JSON.stringify(value))
    const request_ = `${call.method} ${pathname} ${body}`
    const fault = faults.next.shift() ?? faults.all
    if (fault === "silent") return
    if (fault === "broken") return void request.socket.destroy()
    if (fault === "error" || fault === "kept error") {
      const error = { type: "api_error", message: "It is about ada@example.com and sk_test_ofTheDouble" }
      if (fault === "kept error" && call.idempotencyKey !== undefined) {
        made.set(call.idempotencyKey, { request: request_, status: 500, answer: { error } })
      }
      const isFinal = faults.all !== undefined || fault === "kept error"
      return void send(500, { error }, isFinal ? { "stripe-should-retry": "false" } : {})
    }
    if (authorization !== `Bearer ${secretKey}`) {
      return void send(401, { error: { type: "invalid_request_error", message: "Invalid API Key" } })
    }
    const before = call.idempotencyKey === undefined ? undefined : made.get(call.idempotencyKey)
    if (before !== undefined) {
      return void (before.request === request_
        ? send(before.status, before.answer)
        : send(400, { error: { type: "idempotency_error", message: "The key was used for something else" } }))
    }
    const { body: value, status } = answer(call)
    if (call.idempotencyKey !== undefined && status === 200) {
      made.set(call.idempotencyKey, { request: request_, status, answer: value })
    }
    await hooks.beforeAnswer?.(pathname, call.method)
    return void send(status, value)
  }

  /** The pages of Stripe that a customer sees. */
  const people = (request: IncomingMessage, response: ServerResponse) => {
    const { pathname } = new URL(request.url ?? "", url)
    const show = (html: string, status = 200) =>
      void response.writeHead(status, { "content-type": "text/html; charset=utf-8" }).end(html)
    const goTo = (location: string) => void response.writeHead(303, { location }).end()
    const [, kind, id = ""] = /^\/(c\/pay|p)\/(\w+)/u.exec(pathname) ?? []
    const session = sessions.find((each) => each.id === id)
    const portal = portals.get(id)
    if (kind === "p" && portal !== undefined) {
      if (request.method === "GET") {
        return show(
          page(
            "The portal",
            `<form method="post"><button>Cancel the subscription</button></form><a href="${portal.returnUrl}">Return</a>`
          )
        )
      }
      for (const subscription of subscriptions) {
        if (subscription.customer === portal.customer) subscription.status = "canceled"
      }
      return goTo(portal.returnUrl)
    }
    if (session === undefined || session.status !== "open") return show(page("This page has expired", ""), 404)
    if (request.method === "GET") {
      return show(
        page(
          `Pay for ${session.price}`,
          `<form method="post"><button>Pay</button></form><a href="${session.cancelUrl}">Back</a>`
        )
      )
    }
    session.status = "complete"
    subscribe(session.customer, { price: session.price })
    return goTo(session.successUrl)
  }

  const server = createServer((request, response) => {
    if (request.url?.startsWith("/v1/") === true) {
      api(request, response).catch(() => response.destroy())
      return
    }
    return people(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  url = `http://localhost:${(server.address() as AddressInfo).port}`

  const sign: StripeDouble["Service"]["sign"] = (body, { secret = webhookSecret, timestamp } = {}) => ({
    body: new TextEncoder().encode(body),
    signature: stripe.webhooks.generateTestHeaderString({
      payload: body,
      secret,
      ...(timestamp === undefined ? {} : { timestamp })
    })
  })

  const event: StripeDouble["Service"]["event"] = ({
    customer,
    id = next("evt"),
    type = "customer.subscription.updated",
    ...options
  }) => {
    const isCustomer = /^customer\.\w+$/u.test(type)
    const created = options.timestamp ?? Math.floor(Date.now() / 1000)
    const object = isCustomer
      ? { id: customer, object: "customer", email: "ada@example.com" }
      : { id: next("obj"), object: type.split(".").slice(0, -1).join("."), customer }
    return sign(JSON.stringify({ id, object: "event", type, created, data: { object } }), options)
  }

  const double = StripeDouble.of({
    url,
    settings: {
      stripe: Option.some({
        secretKey: Redacted.make(secretKey),
        webhookSecret: Redacted.make(webhookSecret),
        prices
      }),
      stripeApiUrl: url
    },
    environment: {
      STRIPE_SECRET_KEY: secretKey,
      STRIPE_WEBHOOK_SECRET: webhookSecret,
      STRIPE_PRICE_GROWTH: prices.growth.join(),
      STRIPE_PRICE_PRO: prices.pro.join(),
      STRIPE_API_URL: url
    },
    calls,
    customers,
    subscriptions,
    sessions,
    faults,
    hooks,
    deleteCustomer: (customer) => {
      customers.delete(customer)
      deleted.add(customer)
      for (const subscription of subscriptions) if (subscription.customer === customer) subscription.status = "canceled"
    },
    subscribe,
    event,
    sign
  })
  return { server, double }
}
