/** The number in a page's address, such as the 7 of `/dashboard/operator/accounts/7`. */
import { Effect, Schema, SchemaTransformation } from "effect"
import { HttpRouter } from "effect/http"
import { PageNotFound } from "./ErrorPage.ts"

/** As the database counts. */
export const maxId = 2_147_483_647

/** Written as we write it: what is read as the same number elsewhere, such as `07` or `7.0`, is another address. */
export const PathId = Schema.String.check(Schema.isPattern(/^[1-9]\d{0,9}$/u)).pipe(
  Schema.decodeTo(Schema.Int.check(Schema.isLessThanOrEqualTo(maxId)), SchemaTransformation.numberFromString)
)

const decode = Schema.decodeUnknownEffect(PathId)

/** Of the part that the route calls `:id`. */
export const pathId: Effect.Effect<number, PageNotFound, HttpRouter.RouteContext> = Effect.flatMap(
  HttpRouter.params,
  ({ id }) => Effect.mapError(decode(id), () => new PageNotFound())
)
