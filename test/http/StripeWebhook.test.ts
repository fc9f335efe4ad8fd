/** The webhook over HTTP: which answer ends an event for Stripe, and which has it sent again. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { request as httpRequest } from "node:http"
import { maxBodyBytes } from "../../src/http/StripeWebhook.ts"
import { customer, standing } from "../support/BillingAccounts.ts"
import { Site } from "../support/Site.ts"
import { StripeDouble } from "../support/StripeDouble.ts"

const path = "/billing/stripe/webhook"

const Services = Layer.unwrap(Effect.map(StripeDouble, ({ settings }) => Site.layer({ config: settings }))).pipe(
  Layer.provideMerge(StripeDouble.layer)
)

layer(Services, { excludeTestServices: true })("the webhook of Stripe", (it) => {
  const send = Effect.fnUntraced(function* (
    body: Uint8Array | string,
    headers: Readonly<Record<string, string>> = {},
    method = "POST"
  ) {
    const { url } = yield* Site
    return yield* Effect.promise(async () => {
      const response = await fetch(url + path, {
        method,
        headers,
        ...(method === "GET" ? {} : { body: Buffer.from(body) })
      })
      return { status: response.status, headers: response.headers, text: await response.text() }
    })
  })

  it.effect("D72 answers 200 to a signed event, and to the same again", () =>
    Effect.gen(function* () {
      const double = yield* StripeDouble
      const { customerId, email } = yield* customer()
      double.subscribe(customerId, { price: "price_pro" })
      const { body, signature } = double.event({ customer: customerId })
      const first = yield* send(body, {
        "stripe-signature": signature,
        "content-type": "application/json; charset=utf-8"
      })
      assert.deepStrictEqual([first.status, first.text], [200, `{"received":"processed"}`])
      assert.isNotNull(first.headers.get("x-request-id"))
      assert.strictEqual(yield* standing(email), "pro active")
      const second = yield* send(body, { "stripe-signature": signature })
      assert.deepStrictEqual([second.status, second.text], [200, `{"received":"repeated"}`])
    })
  )

  it.effect("D72 answers 400 to what is not signed by Stripe, 405 to other methods, and says nothing else", () =>
    Effect.gen(function* () {
      const double = yield* StripeDouble
      const { customerId } = yield* customer()
      const { body, signature } = double.event({ customer: customerId })
      const forged = double.event({ customer: customerId, secret: "whsec_another" })
      const old = double.event({ customer: customerId, timestamp: 1_700_000_000 })
      const calls = double.calls.length
      const answers = [
        yield* send(body),
        yield* send(body, { "stripe-signature": forged.signature }),
        yield* send(forged.body, { "stripe-signature": forged.signature }),
        yield* send(old.body, { "stripe-signature": old.signature }),
        yield* send("", { "stripe-signature": signature }),
        yield* send("null", { "stripe-signature": signature })
      ]
      assert.deepStrictEqual(
        answers.map(({ status }) => status),
        answers.map(() => 400)
      )
      for (const { text } of answers) assert.notMatch(text, /whsec_of|sk_test/u)
      const wrongMethod = yield* send("", {}, "GET")
      assert.deepStrictEqual([wrongMethod.status, wrongMethod.headers.get("allow")], [405, "POST"])
      assert.lengthOf(double.calls, calls)
    })
  )

  it.effect("D72 reads no more than 256 KiB, whether the size is announced or not", () =>
    Effect.gen(function* () {
      const double = yield* StripeDouble
      const { url } = yield* Site
      const large = double.sign(JSON.stringify({ id: "evt_large", filler: "x".repeat(maxBodyBytes) }))
      assert.strictEqual((yield* send(large.body, { "stripe-signature": large.signature })).status, 413)
      const status = yield* Effect.callback<number | undefined>((resume) => {
        const sent = httpRequest(
          url + path,
          { method: "POST", headers: { "stripe-signature": large.signature, "transfer-encoding": "chunked" } },
          (response) => {
            response.resume()
            resume(Effect.succeed(response.statusCode))
          }
        )
        // The server may close the connection while the rest is sent.
        sent.on("error", () => resume(Effect.succeed(413)))
        sent.end(large.body)
      })
      assert.strictEqual(status, 413)
      const fits = double.sign(
        JSON.stringify({ id: "evt_fits", type: "x", created: 1, data: { object: {} }, filler: "x".repeat(200_000) })
      )
      assert.strictEqual((yield* send(fits.body, { "stripe-signature": fits.signature })).status, 200)
    })
  )

  it.effect("D74 answers 503 while Stripe does not answer, so that the event is sent again", () =>
    Effect.gen(function* () {
      const double = yield* StripeDouble
      const { customerId, email } = yield* customer()
      double.subscribe(customerId)
      const { body, signature } = double.event({ customer: customerId })
      double.faults.all = "error"
      const down = yield* send(body, { "stripe-signature": signature })
      double.faults.all = undefined
      assert.strictEqual(down.status, 503)
      assert.notInclude(down.text, "ada@example.com")
      assert.strictEqual((yield* send(body, { "stripe-signature": signature })).status, 200)
      assert.strictEqual(yield* standing(email), "growth active")
      const { logs } = yield* Site
      assert.isTrue(logs.some((line) => line.includes("Events for billing cannot be processed")))
      for (const line of logs) assert.notMatch(line, /ada@example|sk_test|whsec_of/u)
    })
  )
})

layer(Site.layer(), { excludeTestServices: true })("without Stripe", (it) => {
  it.effect("there is nothing at the address", () =>
    Effect.gen(function* () {
      const site = yield* Site
      assert.strictEqual((yield* site.post(path, {})).status, 404)
    })
  )
})
