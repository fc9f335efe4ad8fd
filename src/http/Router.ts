/** All routes. Nothing is provided here: main chooses the services, and tests choose others. */
import { ByteSize, Layer } from "effect"
import { HttpIncomingMessage, HttpMiddleware, HttpRouter, UrlParams } from "effect/http"
import * as Credential from "../domain/access/Credential.ts"
import * as CommonHeaders from "./shared/CommonHeaders.ts"
import * as DemoPictures from "./DemoPictureRoutes.ts"
import * as Health from "./Health.ts"
import { Dispatch } from "./mcp/Dispatch.ts"
import * as Endpoint from "./mcp/Endpoint.ts"
import * as InstallLinks from "./shared/InstallLinks.ts"
import * as ServerInfo from "./shared/ServerInfo.ts"
import * as Authorize from "./oauth/Authorize.ts"
import * as Metadata from "./oauth/Metadata.ts"
import * as Pages from "./pages/Pages.ts"
import * as Register from "./oauth/Register.ts"
import * as Revoke from "./oauth/Revoke.ts"
import * as StripeWebhook from "./StripeWebhook.ts"
import * as Token from "./oauth/Token.ts"

export const routes = Layer.mergeAll(
  Endpoint.layer.pipe(Layer.provide(Dispatch.layer)),
  Metadata.layer,
  Pages.layer,
  Authorize.layer.pipe(Layer.provide(Pages.tools)),
  Register.layer,
  Token.layer,
  Revoke.layer,
  StripeWebhook.layer,
  Health.layer,
  DemoPictures.layer,
  ServerInfo.layer,
  InstallLinks.layer
).pipe(Layer.provide(CommonHeaders.layer))

/** Routes on the HTTP server that is provided. A slash at the end of an address is ignored: people write `/mcp/`. */
export const layerOf = <A, E, R>(routes: Layer.Layer<A, E, R>) =>
  HttpRouter.serve(routes, {
    routerConfig: { caseSensitive: true, ignoreTrailingSlash: true, ignoreDuplicateSlashes: false },
    // Each call logs one line itself.
    disableLogger: true,
    disableListenLog: true
  }).pipe(
    Layer.provide([
      Layer.succeed(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(Endpoint.maxBodyBytes)),
      // Requests may contain credentials in the address by mistake. Traces have no values of queries, and no address with
      // a credential elsewhere.
      Layer.succeed(UrlParams.CurrentRedactedNames, [/(?:)/]),
      Layer.succeed(HttpMiddleware.TracerDisabledWhen, ({ url }) =>
        Credential.mayHoldSecret(url.split("=", 1)[0] ?? "")
      )
    ])
  )

export const layer = layerOf(routes)
