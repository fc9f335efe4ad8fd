/** The pictures of the demo data (D61): images for pages, agents and hosts of apps, on any origin, and nothing else. */
import { Effect } from "effect"
import { HttpRouter, HttpServerError, HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http"
import { createHash } from "node:crypto"
import * as Pictures from "../domain/catalog/PictureNames.ts"
import type { Kind } from "../domain/catalog/PictureNames.ts"
import { DemoPictures } from "../services/search/DemoPictures.ts"
import * as Outage from "./shared/Outage.ts"
import { RequestId } from "./shared/RequestId.ts"

const headers = {
  // The address has the version of the drawings.
  "cache-control": "public, max-age=31536000, immutable",
  // Opened by itself, a picture is a document: it may do nothing.
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
  "cross-origin-resource-policy": "cross-origin",
  "x-content-type-options": "nosniff"
}

const answered = (picture: string, request: HttpServerRequest.HttpServerRequest) => {
  const etag = `"${createHash("sha256").update(picture).digest("base64url").slice(0, 22)}"`
  const isKnown = request.headers["if-none-match"] === etag
  return isKnown
    ? HttpServerResponse.empty({ status: 304, headers: { ...headers, etag } })
    : HttpServerResponse.text(picture, { contentType: "image/svg+xml", headers: { ...headers, etag } })
}

export const layer = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const pictureOf = yield* DemoPictures
    const logOutage = Outage.logger("Pictures cannot reach the database")

    const answer = (kind: Kind) => (request: HttpServerRequest.HttpServerRequest) =>
      Effect.gen(function* () {
        const name = (yield* HttpRouter.params)["name"] ?? ""
        // The form of the whole path is checked before anything is drawn or read.
        const isName = Pictures.isPath(`${Pictures.root}/${kind}/${name}`)
        const picture = isName ? yield* pictureOf(kind, name.slice(0, -".svg".length)) : undefined
        return picture === undefined
          ? yield* new HttpServerError.HttpServerError({ reason: new HttpServerError.RouteNotFound({ request }) })
          : answered(picture, request)
      }).pipe(
        Effect.catchTag("ServiceUnavailable", (error) =>
          Effect.as(
            Effect.flatMap(RequestId, (requestId) => logOutage(error.cause ?? error, requestId)),
            HttpServerResponse.empty({ status: 503 })
          )
        )
      )

    for (const kind of Pictures.kinds) yield* router.add("GET", `${Pictures.root}/${kind}/:name`, answer(kind))
  })
)
