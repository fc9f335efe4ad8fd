/** Ids in the path of a page, such as the 7 in `/dashboard/operator/accounts/7`. */
import { Effect, Schema, SchemaTransformation } from "effect"
import { HttpRouter } from "effect/http"
import { PageNotFound } from "./ErrorPage.ts"

/** The maximum of PostgreSQL's `integer`. */
export const maxId = 2_147_483_647

/** Canonical digits only: `07` and `7.0` are not found. */
export const PathId = Schema.String.check(Schema.isPattern(/^[1-9]\d{0,9}$/u)).pipe(
  Schema.decodeTo(Schema.Int.check(Schema.isLessThanOrEqualTo(maxId)), SchemaTransformation.numberFromString)
)

const decode = Schema.decodeUnknownEffect(PathId)

/** Decodes the path parameter `:id`. */
export const pathId: Effect.Effect<number, PageNotFound, HttpRouter.RouteContext> = Effect.flatMap(
  HttpRouter.params,
  ({ id }) => Effect.mapError(decode(id), () => new PageNotFound())
)
