/** The load: scripts with API keys, connected apps that refresh their tokens, and people who sign in. */
import { Schema } from "effect"
import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { Prng } from "../../demo/Prng.ts"
import { metaKey } from "../../src/domain/access/IdempotencyKey.ts"
import * as Messages from "../../test/support/Messages.ts"
import * as Http from "./Http.ts"
import type { Record } from "./Record.ts"

/** Goes on until the harness says that it is over. */
export interface Load {
  readonly port: number
  readonly record: Record
  readonly isOver: () => boolean
}

export interface Script {
  readonly name: string
  readonly account: number
  readonly secret: string
  /** Without, each of its calls is sent once and may be charged without an answer. */
  readonly hasKeys: boolean
}

const pauseMillis = 250

const Outcome = Schema.fromJsonString(
  Schema.Struct({
    result: Schema.optionalKey(
      Schema.Struct({
        isError: Schema.optionalKey(Schema.Boolean),
        content: Schema.Array(Schema.Struct({ text: Schema.String }))
      })
    )
  })
)
const ErrorPayload = Schema.fromJsonString(Schema.Struct({ error: Schema.Struct({ code: Schema.String }) }))
const outcomeIn = Schema.decodeUnknownSync(Outcome)
const errorIn = Schema.decodeUnknownSync(ErrorPayload)

/** `ok`, or the code of the error. */
const outcomeOf = ({ status, text }: Http.Answer): string => {
  if (status !== 200) return `HTTP ${status}`
  const { result } = outcomeIn(text)
  if (result === undefined) return "protocol error"
  return result.isError === true ? errorIn(result.content.at(-1)?.text ?? "").error.code : "ok"
}

const words = ["a", "summer", "shoes", "organic", "gift", "pro", "kit", "light"]

/** Searches as an agent makes them; each costs one credit. */
const draw = (prng: Prng) => {
  const query = prng.pick(words)
  const page = prng.int(1, 2)
  return prng.chance(0.4)
    ? { name: "search_shops", args: { query, page } }
    : prng.chance(0.5)
      ? { name: "search_products", args: { query, page } }
      : { name: "search_ads", args: { page } }
}

/** One call with its repeats. */
const call = async (
  { record }: Load,
  client: Http.Client,
  { account, hasKeys, name, secret }: Script,
  tool: ReturnType<typeof draw>
) => {
  const key = hasKeys ? randomUUID() : undefined
  const kept = record.begin(name, account, key)
  const params = { name: tool.name, arguments: tool.args, ...(key === undefined ? {} : { _meta: { [metaKey]: key } }) }
  const body = JSON.stringify(Messages.request("tools/call", params))
  const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" }
  await Http.repeated(
    () => client.send({ path: "/mcp", headers, body }),
    (answer) => {
      if (answer === undefined) kept.unanswered += 1
      else {
        kept.outcome = outcomeOf(answer)
        kept.answers.push({
          requestId: String(answer.headers["x-request-id"]),
          outcome: kept.outcome,
          cost: Number(answer.headers["x-credits-cost"] ?? 0)
        })
        record.count(`answer: ${kept.outcome}`)
      }
      // Without a key, a repeat could be charged a second time.
      const isOver = key === undefined || kept.outcome === "ok" || kept.outcome === "HTTP 401"
      return isOver ? kept.outcome : undefined
    }
  )
  kept.endedAt = performance.now()
  return kept.outcome
}

export const script = async (load: Load, who: Script): Promise<void> => {
  const client = Http.client(load.port)
  const prng = new Prng("faults", who.name)
  while (!load.isOver()) {
    const outcome = await call(load, client, who, draw(prng))
    if (outcome === "HTTP 401") load.record.incident(`${who.name}: its API key was refused`)
    await sleep(prng.unit() * 2 * pauseMillis)
  }
  client.close()
}

export interface App {
  readonly name: string
  readonly account: number
  readonly clientId: string
  readonly accessToken: string
  readonly refreshToken: string
}

/** A connection may be refreshed 120 times an hour. */
const refreshEveryMillis = 31_000
/** A refresh may be repeated for a minute. */
export const refreshPatienceMillis = 50_000

const Tokens = Schema.fromJsonString(Schema.Struct({ access_token: Schema.String, refresh_token: Schema.String }))
const tokensIn = Schema.decodeUnknownSync(Tokens)

/** An app that behaves: it stores the new tokens when it has the answer, and repeats a refresh that had none with the same token. */
export const app = async (load: Load, first: App, refreshEvery = refreshEveryMillis): Promise<void> => {
  const client = Http.client(load.port)
  const prng = new Prng("faults", first.name)
  const { record } = load
  let { accessToken, refreshToken } = first
  /** Whether the app is still connected. */
  const refresh = async (): Promise<boolean> => {
    const kept = record.beginOther("refresh")
    const body = new URLSearchParams({
      grant_type: "refresh_token",
      client_id: first.clientId,
      refresh_token: refreshToken
    })
    const headers = { "content-type": "application/x-www-form-urlencoded" }
    const answer = await Http.repeated(
      () => client.send({ path: "/token", headers, body: body.toString() }),
      (answer) => (answer === undefined || answer.status >= 500 || answer.status === 429 ? undefined : answer),
      refreshPatienceMillis
    )
    if (answer === undefined) {
      record.endOther(kept, "not answered in time")
      return true
    }
    if (answer.status !== 200) {
      record.endOther(kept, "refused")
      record.incident(`${first.name} was logged out: ${answer.text}`)
      return false
    }
    record.endOther(kept, "done")
    const tokens = tokensIn(answer.text)
    accessToken = tokens.access_token
    refreshToken = tokens.refresh_token
    return true
  }
  let next = performance.now() + prng.unit() * refreshEvery
  while (!load.isOver()) {
    if (performance.now() >= next) {
      if (!(await refresh())) break
      next = performance.now() + refreshEvery
    }
    const who = { name: first.name, account: first.account, secret: accessToken, hasKeys: true }
    // What an app does with a token that is not accepted.
    if ((await call(load, client, who, draw(prng))) === "HTTP 401") next = 0
    await sleep(prng.unit() * 2 * pauseMillis)
  }
  client.close()
}

export interface Person {
  readonly email: string
  readonly password: string
}

/** Together longer than the ten seconds after which an account may sign in again, all the time (SignInAttempts). */
const viewsOfASession = 8
const viewEveryMillis = 1_500
const keptSessions = 5

const cookiesOf = ({ headers }: Http.Answer) => (headers["set-cookie"] ?? []).map((line) => line.split(";", 1)[0] ?? "")

/** Signs in, views pages for a while, and signs in again; sessions of before must go on. */
export const person = async (load: Load, { email, password }: Person): Promise<void> => {
  const { record } = load
  const client = Http.client(load.port)
  let browser: string | undefined
  const sessions: Array<string> = []
  const isAnswered = (answer: Http.Answer | undefined) =>
    answer === undefined || answer.status >= 500 || answer.status === 429 ? undefined : answer
  const get = (path: string, cookie: string) =>
    Http.repeated(() => client.send({ method: "GET", path, headers: { cookie } }), isAnswered)

  const signIn = async () => {
    const kept = record.beginOther("sign-in")
    const page = await get("/sign-in", browser ?? "")
    if (page === undefined) return record.endOther(kept, "not answered in time")
    const token = /name="form_token" value="([^"]*)"/u.exec(page.text)?.[1] ?? ""
    const cookie = [...cookiesOf(page), ...(browser === undefined ? [] : [browser])].join("; ")
    const form = new URLSearchParams({ form_token: token, email, password }).toString()
    const headers = { cookie, "sec-fetch-site": "same-origin", "content-type": "application/x-www-form-urlencoded" }
    const answer = await client.send({ path: "/sign-in", headers, body: form })
    if (answer === undefined || answer.status >= 500) return record.endOther(kept, "to be repeated")
    const given = cookiesOf(answer)
    browser = given.find((each) => /^[^=]*discovery-browser=/u.test(each)) ?? browser
    const session = given.find((each) => /^[^=]*discovery=/u.test(each))
    if (answer.status !== 303 || session === undefined) {
      record.endOther(kept, "refused")
      return record.incident(`${email} could not sign in: ${answer.status}`)
    }
    record.endOther(kept, "done")
    sessions.push(session)
    if (sessions.length > keptSessions) sessions.shift()
  }

  const view = async (session: string) => {
    const kept = record.beginOther("page")
    const answer = await get("/dashboard/account", session)
    if (answer === undefined) return record.endOther(kept, "not answered in time")
    record.endOther(kept, answer.status === 200 ? "done" : "refused")
    if (answer.status !== 200) record.incident(`a session of ${email} ended: ${answer.status}`)
  }

  while (!load.isOver()) {
    await signIn()
    for (let views = 0; views < viewsOfASession && !load.isOver(); views++) {
      const session = sessions.at(-1)
      if (session !== undefined) await view(session)
      await sleep(viewEveryMillis)
    }
  }
  for (const session of sessions) await view(session)
  client.close()
}
