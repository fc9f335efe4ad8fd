/** The webhook over HTTP: which answer ends an event for Stripe, and which has it sent again. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { connect } from "node:net"
import { maxBodyBytes } from "../../src/http/StripeWebhook.ts"
import { customer, standing } from "../support/BillingAccounts.ts"
import { Site } from "../support/Site.ts"
import { StripeDouble } from "../support/StripeDouble.ts"
import type { Delivery } from "../support/StripeDouble.ts"

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

  /**
   * Sends the body as one chunk, and returns the status line of the answer: nothing if the connection ended without one. One that
   * goes on is never ended, so it is answered only by who has read enough.
   */
  const sendChunk = Effect.fnUntraced(function* ({ body, signature }: Delivery, andThen: "ends" | "goes on") {
    const { url } = yield* Site
    const head = ["Host: localhost", `Stripe-Signature: ${signature}`, "Transfer-Encoding: chunked"]
    return yield* Effect.callback<string>((resume) => {
      let text = ""
      const socket = connect(Number(new URL(url).port), "127.0.0.1", () => {
        socket.write(`POST ${path} HTTP/1.1\r\n${head.join("\r\n")}\r\n\r\n${body.length.toString(16)}\r\n`)
        socket.write(body)
        if (andThen === "ends") socket.write("\r\n0\r\n\r\n")
      })
      socket.on("data", (bytes) => {
        text += bytes.toString()
        const [line = "", ...more] = text.split("\r\n")
        if (more.length > 0) resume(Effect.succeed(line))
      })
      socket.on("error", () => {})
      socket.on("close", () => resume(Effect.succeed("")))
      return Effect.sync(() => socket.destroy())
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

  /** Of so many bytes in all. */
  const bodyOf = (id: string, bytes: number) => {
    const body = (filler: string) => JSON.stringify({ id, type: "x", created: 1, data: { object: {} }, filler })
    return body("x".repeat(bytes - body("").length))
  }

  it.effect("D72 reads a body of 256 KiB, and answers 413 to one that is announced to be larger", () =>
    Effect.gen(function* () {
      const double = yield* StripeDouble
      const fits = double.sign(bodyOf("evt_fits", maxBodyBytes))
      assert.lengthOf(fits.body, maxBodyBytes)
      assert.strictEqual((yield* send(fits.body, { "stripe-signature": fits.signature })).status, 200)
      const large = double.sign(bodyOf("evt_large", maxBodyBytes + 1))
      assert.strictEqual((yield* send(large.body, { "stripe-signature": large.signature })).status, 413)
    })
  )

  it.effect("D72 reads a body of 256 KiB in chunks, and answers 413 to a larger one, though it never ends", () =>
    Effect.gen(function* () {
      const double = yield* StripeDouble
      const fits = double.sign(bodyOf("evt_chunked", maxBodyBytes))
      assert.strictEqual(yield* sendChunk(fits, "ends"), "HTTP/1.1 200 OK")
      const large = double.sign(bodyOf("evt_endless", maxBodyBytes + 1))
      assert.strictEqual(yield* sendChunk(large, "goes on"), "HTTP/1.1 413 Payload Too Large")
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
