/** Ids in the path of a page, such as the 7 in `/dashboard/operator/accounts/7`. */
import { Effect, Schema, SchemaTransformation } from "effect"
import { HttpRouter } from "effect/http"
import { Id } from "../../../domain/Scalars.ts"
import { PageNotFound } from "./ErrorPage.ts"

/** Canonical digits only: `07` and `7.0` are not found. */
export const PathId = Schema.String.check(Schema.isPattern(/^[1-9]\d{0,9}$/u)).pipe(
  Schema.decodeTo(Id, SchemaTransformation.numberFromString)
)

const decode = Schema.decodeUnknownEffect(PathId)

/** Decodes the path parameter `:id`. */
export const pathId: Effect.Effect<number, PageNotFound, HttpRouter.RouteContext> = Effect.flatMap(
  HttpRouter.params,
  ({ id }) => Effect.mapError(decode(id), () => new PageNotFound())
)
