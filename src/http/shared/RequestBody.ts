/** What is asked of the body of a request: its size, and its type. */
import { ByteSize, Effect } from "effect"
import { HttpIncomingMessage } from "effect/http"
import type { HttpServerError } from "effect/http"
import * as ContentType from "../../services/ContentType.ts"

/** Reads of the body fail beyond `maxBytes` (Router.ts has the limit of all routes). */
export const atMost = (maxBytes: number) =>
  Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(maxBytes))

export const isTooLarge = ({ reason }: HttpServerError.HttpServerError): boolean =>
  reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge"

/** `contentType` is the header. */
export const isForm = (contentType: string | undefined): boolean =>
  ContentType.parse(contentType)?.type === "application/x-www-form-urlencoded"
