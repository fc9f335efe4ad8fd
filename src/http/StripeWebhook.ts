/**
 * `/billing/stripe/webhook` (D72, D74): events of Stripe. The body is bounded, then its signature and age are checked,
 * before anything else is done. Only 200 ends an event; whatever fails here is sent again by Stripe, for three days.
 */
import { Effect, Layer, Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { Billing } from "../services/billing/Billing.ts"
import type { StripeBilling } from "../services/billing/Billing.ts"
import * as Outage from "./shared/Outage.ts"
import * as RequestBody from "./shared/RequestBody.ts"
import * as RequestHeaders from "./shared/RequestHeaders.ts"
import { RequestId } from "./shared/RequestId.ts"

export const path = "/billing/stripe/webhook"

/** Events have some kilobytes; invoices with many lines have more. */
export const maxBodyBytes = 256 * 1024

const refused = (
  status: number,
  message: string,
  requestId: string,
  headers: Readonly<Record<string, string>> = {}
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.jsonUnsafe({ error: { message, request_id: requestId } }, { status, headers })

const tooLarge = `the body is larger than ${maxBodyBytes} bytes`

const answers = (stripe: Pick<StripeBilling, "receive">) => {
  const logRefused = Outage.logger("An event for billing was refused", "Warn")
  const logOutage = Outage.logger("Events for billing cannot be processed")

  return (request: HttpServerRequest.HttpServerRequest) =>
    Effect.flatMap(RequestId, (requestId) => {
      const headers = RequestHeaders.of(request)
      if (request.method !== "POST") return Effect.succeed(refused(405, "use POST", requestId, { allow: "POST" }))
      if (Number(headers["content-length"] ?? 0) > maxBodyBytes) {
        return Effect.succeed(refused(413, tooLarge, requestId))
      }
      return request.arrayBuffer.pipe(
        RequestBody.atMost(maxBodyBytes),
        Effect.flatMap((body) => stripe.receive(new Uint8Array(body), headers["stripe-signature"] ?? "")),
        Effect.map((received) => HttpServerResponse.jsonUnsafe({ received })),
        Effect.catchTags({
          HttpServerError: (error) =>
            Effect.succeed(
              RequestBody.isTooLarge(error)
                ? refused(413, tooLarge, requestId)
                : refused(400, "the body could not be read", requestId)
            ),
          EventRefused: (error) => Effect.as(logRefused(error, requestId), refused(400, error.message, requestId)),
          BillingUnavailable: (error) =>
            Effect.as(
              logOutage(error, requestId),
              refused(503, "Stripe did not answer a question about this event", requestId)
            ),
          ServiceUnavailable: (error) =>
            Effect.as(
              logOutage(error.cause ?? error, requestId),
              refused(503, "the database does not answer", requestId)
            )
        }),
        Effect.annotateLogs("request_id", requestId)
      )
    })
}

/** Without Stripe there is nothing at this address. */
export const layer = Layer.unwrap(
  Effect.map(Billing, ({ stripe }) =>
    Option.match(stripe, {
      onNone: () => Layer.empty,
      onSome: (billing) => HttpRouter.add("*", path, answers(billing))
    })
  )
)
