/**
 * What a table of headers is made of: a person who sends a request, and the status, headers and cookies that are expected. The
 * comparison is of all headers: one that the table does not name fails as one that is missing.
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { Site } from "./Site.ts"
import type * as SiteVisitor from "./SiteVisitor.ts"

type Headers = Readonly<Record<string, string>>
type Fields = Readonly<Record<string, string>>

/** Values that are different each time, such as ids, are replaced by a word: {@link changing}. */
export interface Expected {
  readonly status: number
  readonly headers: Headers
  /** As {@link cookiesOf} gives them. */
  readonly cookies?: ReadonlyArray<string>
}

export interface Sent {
  readonly method: string
  /** With `{name}` where an id of the scene stands. */
  readonly path?: string
  readonly headers?: Headers
  readonly body?: string | Uint8Array
}

export interface Case<Scene> {
  /** One of the scene's people. */
  readonly who: string
  readonly request: (scene: Scene, visitor: SiteVisitor.SiteVisitor) => Effect.Effect<Sent, never, Site>
  readonly expected: Expected
}

interface SceneBase {
  /** What stands for `{name}` in a path. */
  readonly ids: Readonly<Record<string, string>>
  readonly people: Readonly<Record<string, Effect.Effect<SiteVisitor.SiteVisitor, never, Site>>>
}

/** A header without its value, where the value is another one each time. */
const changing: Readonly<Record<string, RegExp>> = {
  "x-request-id": /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u,
  etag: /^(?:W\/)?"[\w-]+"$/u,
  location: /^(?:\/|https?:\/\/)/u,
  refresh: /^0;url=http:\/\/localhost/u,
  "content-disposition": /^attachment; filename="discovery-(?:ads|products|stores)-\d{4}-\d\d-\d\d\.(?:csv|ndjson)"$/u,
  "x-credits-remaining": /^\d+$/u,
  ratelimit: /^"default";r=\d+;t=\d+$/u
}

/** Of the connection, or of the length of the body. */
const ofTransport = new Set([
  "date",
  "connection",
  "keep-alive",
  "transfer-encoding",
  "content-length",
  "content-encoding"
])

/** The values are secrets of 43 characters, or empty. */
export const cookiesOf = (lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.map((line) => {
    const [pair = "", ...attributes] = line.split("; ")
    return [pair.replace(/=[\w-]{43}$/u, "=secret"), ...attributes.toSorted()].join("; ")
  })

const headersOf = (response: Response): Headers =>
  Object.fromEntries(
    Array.from(response.headers)
      .filter(([name]) => !ofTransport.has(name) && name !== "set-cookie")
      .map(([name, value]) => [name, changing[name]?.test(value) === true ? "changing" : value])
  )

/** The headers as the table has them: the changing ones by this word. */
export const change = "changing"

const isSafe = ({ method }: Sent) => method === "GET"

const cookieOf = ({ cookies }: SiteVisitor.SiteVisitor): Headers =>
  cookies.size === 0 ? {} : { cookie: Array.from(cookies, ([name, { value }]) => `${name}=${value}`).join("; ") }

/** Sends the request of a case to the route, and compares the answer; a GET also as HEAD. */
export const check = Effect.fnUntraced(function* <Scene extends SceneBase>(
  route: string,
  { expected, request, who }: Case<Scene>,
  scene: Scene,
  address: string
) {
  const { url } = yield* Site
  const visitor = yield* scene.people[who] ?? assert.fail(`nobody is called ${who}`)
  const sent = yield* request(scene, visitor)
  const path = (sent.path ?? address).replaceAll(/\{(\w+)\}/gu, (_, name: string) => scene.ids[name] ?? "")
  const cookies = cookieOf(visitor)
  const methods = isSafe(sent) ? ["GET", "HEAD"] : [sent.method]
  for (const method of methods) {
    const response = yield* Effect.promise(async (signal) => {
      const answer = await fetch(url + path, {
        method,
        signal,
        redirect: "manual",
        headers: { ...cookies, ...sent.headers },
        ...(sent.body === undefined ? {} : { body: sent.body as BodyInit })
      })
      await answer.arrayBuffer()
      return answer
    })
    assert.deepStrictEqual(
      { status: response.status, headers: headersOf(response), cookies: cookiesOf(response.headers.getSetCookie()) },
      { cookies: [], ...expected },
      `${route}: ${method} ${path} by ${who}`
    )
  }
})

const formType = "application/x-www-form-urlencoded"

/** A page that is opened. */
export const open = <Scene>(
  who: string,
  status: number,
  headers: Headers,
  options: { readonly path?: string; readonly cookies?: ReadonlyArray<string>; readonly headers?: Headers } = {}
): Case<Scene> => ({
  who,
  expected: { status, headers, ...(options.cookies === undefined ? {} : { cookies: options.cookies }) },
  request: () =>
    Effect.succeed({
      method: "GET",
      ...(options.path === undefined ? {} : { path: options.path }),
      headers: options.headers ?? {}
    })
})

/** A form that is sent as a browser sends it, with the token of the visitor unless `fields` has another. */
export const submit = <Scene>(
  who: string,
  status: number,
  headers: Headers,
  fields: Fields | ((scene: Scene, visitor: SiteVisitor.SiteVisitor) => Effect.Effect<Fields, never, Site>) = {},
  options: {
    readonly path?: string
    readonly cookies?: ReadonlyArray<string>
    readonly type?: string
    /** Where the form is from; by default, from a page of this service. */
    readonly site?: string
  } = {}
): Case<Scene> => ({
  who,
  expected: { status, headers, ...(options.cookies === undefined ? {} : { cookies: options.cookies }) },
  request: Effect.fnUntraced(function* (scene, visitor) {
    const given = typeof fields === "function" ? yield* fields(scene, visitor) : fields
    return {
      method: "POST",
      ...(options.path === undefined ? {} : { path: options.path }),
      headers: {
        origin: "null",
        "sec-fetch-site": options.site ?? "same-origin",
        "content-type": options.type ?? formType
      },
      body: new URLSearchParams({ form_token: visitor.token(), ...given }).toString()
    }
  })
})

/** Any request of a program, which has no cookies. */
export const call = <Scene>(
  status: number,
  headers: Headers,
  sent: Sent | ((scene: Scene) => Sent | Effect.Effect<Sent, never, Site>)
): Case<Scene> => ({
  who: "nobody",
  expected: { status, headers },
  request: (scene) => {
    const made = typeof sent === "function" ? sent(scene) : sent
    return Effect.isEffect(made) ? made : Effect.succeed(made)
  }
})
