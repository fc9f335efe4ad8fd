/**
 * What a request of a page is checked for before the page gets it: that it loads no image, and what its address and its form may
 * contain. Who may see the page is for PageRoutes.
 */
import { Effect, Schema } from "effect"
import { UrlParams } from "effect/http"
import type { HttpServerRequest } from "effect/http"
import { echoName } from "../../../domain/ArgumentDecoder.ts"
import { issueAt } from "../../../domain/ArgumentIssue.ts"
import type { ArgumentIssue } from "../../../domain/ArgumentIssue.ts"
import * as ControlCharacters from "../../../domain/ControlCharacters.ts"
import * as SearchAddress from "../../../domain/search/SearchAddress.ts"
import * as Query from "../../shared/QueryParameters.ts"
import * as RequestBody from "../../shared/RequestBody.ts"
import { field as tokenField } from "./Csrf.ts"
import { AddressRefused, FormUnreadable, InputRefused, PageNotFound } from "./ErrorPage.ts"

type Request = HttpServerRequest.HttpServerRequest

/** A schema of form fields. Each field is a string; a repeated field fails. */
export type FormSchema<A> = Schema.ConstraintDecoder<A>

export const addressRefused = (url: string, issues: ReadonlyArray<ArgumentIssue>): AddressRefused => {
  const refused = new Set(issues.map(({ path }) => path))
  const rest = Query.pairsOf(url).filter(([name]) => !refused.has(echoName(name)))
  const [path = ""] = url.split("?")
  return new AddressRefused({ issues, rest: rest.length === 0 ? path : `${path}?${SearchAddress.toQuery(rest)}` })
}

/**
 * Refuses requests for images. Stores choose the addresses of their images; an address of this service would run a search,
 * and count it, on behalf of the visitor.
 */
const refuseImages = ({ headers }: Request): Effect.Effect<void, PageNotFound> =>
  headers["sec-fetch-dest"] === "image" ? Effect.fail(new PageNotFound()) : Effect.void

/** Here a `state` comes back whatever its characters are (R17); what reaches the database has checks of its own. */
const anyState = "/authorize"

/** No control character of an address reaches a page or the database. */
const refuseControlIn = (url: string): Effect.Effect<void, AddressRefused> => {
  const named = Query.pairsOf(url).filter(
    ([name, value]) => ControlCharacters.isIn(name) || ControlCharacters.isIn(value)
  )
  const names = new Set(named.map(([name]) => echoName(name)))
  return names.size === 0
    ? Effect.void
    : Effect.fail(
        addressRefused(
          url,
          Array.from(names, (name) => issueAt(name, "control_characters"))
        )
      )
}

const isForm = ({ headers }: Request): boolean => RequestBody.isForm(headers["content-type"])

/** Succeeds for a request that a page may get, when its form has arrived. */
export const arrived = (request: Request, path: string): Effect.Effect<void, PageNotFound | AddressRefused> =>
  refuseImages(request).pipe(
    Effect.andThen(path === anyState ? Effect.void : refuseControlIn(request.url)),
    // The body may arrive 30 seconds after the headers, and the session may end meanwhile.
    Effect.andThen(isForm(request) ? Effect.ignore(request.text) : Effect.void)
  )

/** Nor does a control character of a form, whose fields browsers send without them. */
const refuseControl = (parameters: string): Effect.Effect<void, InputRefused> =>
  ControlCharacters.isInParameters(parameters) ? Effect.fail(new InputRefused()) : Effect.void

/** Far more than any form has. Decoding 80,000 fields takes 200 ms. */
const maxFields = 100

const hasTooManyFields = (body: string): boolean => {
  let fields = 1
  for (let at = body.indexOf("&"); at !== -1 && fields <= maxFields; at = body.indexOf("&", at + 1)) fields++
  return fields > maxFields
}

/** Reads a form and the token that PageRoutes verifies. */
export const formReader = <A>(schema: FormSchema<A>) => {
  const decode = Schema.decodeUnknownEffect(schema)
  return Effect.fnUntraced(function* (request: Request) {
    if (!isForm(request)) return yield* new FormUnreadable()
    const body = yield* Effect.mapError(request.text, () => new FormUnreadable())
    if (hasTooManyFields(body)) return yield* new FormUnreadable()
    yield* refuseControl(body)
    const fields = UrlParams.toRecord(UrlParams.fromInput(new URLSearchParams(body)))
    const token = fields[tokenField]
    return {
      token: typeof token === "string" ? token : "",
      form: yield* Effect.mapError(decode(fields), () => new FormUnreadable())
    }
  })
}
