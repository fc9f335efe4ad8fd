/** The whole service over a database, on a port, and the actions of a visitor. */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Context, Effect, Layer, Logger, Redacted } from "effect"
import { HttpRouter } from "effect/http"
import * as Live from "../../src/cli/Live.ts"
import type { AppSettings } from "../../src/Config.ts"
import { AppConfig } from "../../src/Config.ts"
import type { Plan, SubscriptionStatus } from "../../src/domain/access/Account.ts"
import * as Router from "../../src/http/Router.ts"
import * as Server from "../../src/http/Server.ts"
import { Accounts } from "../../src/services/accounts/Accounts.ts"
import { freePort } from "./ServerProcess.ts"
import { TestDatabase } from "./TestDatabase.ts"
import * as TestIndex from "./TestIndex.ts"

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

export class Site extends Context.Service<
  Site,
  {
    /** Where it listens, such as `http://localhost:34567`. */
    readonly url: string
    /** The `BASE_URL`, the same unless `config` has another. */
    readonly baseUrl: string
    /** Log lines. */
    readonly logs: ReadonlyArray<string>
    /** All routes of the service, such as `POST /dashboard/account/sessions/:id/end`. */
    readonly routes: ReadonlyArray<string>
    /** Creates an account with a known password. */
    account(options?: {
      readonly plan?: Plan
      readonly status?: SubscriptionStatus
      readonly email?: string
    }): Effect.Effect<{ readonly email: string; readonly password: string }>
    /** Does not follow redirects. */
    get(path: string, headers?: Readonly<Record<string, string>>): Effect.Effect<Answer>
    /** Submits a form. */
    post(
      path: string,
      form: Readonly<Record<string, string>>,
      headers?: Readonly<Record<string, string>>
    ): Effect.Effect<Answer>
  }
>()("test/support/Site") {
  /** Adds `routes` to those of the service. */
  static readonly layer = (
    options: {
      readonly config?: Partial<AppSettings>
      readonly routes?: Layer.Layer<never, never, HttpRouter.HttpRouter>
    } = {}
  ) =>
    Layer.unwrap(
      Effect.map(freePort, (port) => {
        const url = `http://localhost:${port}`
        const logs: Array<string> = []
        const routes: Array<string> = []
        return Layer.effect(Site, make(url, logs, routes)).pipe(
          Layer.provide(
            Router.layerOf(Layer.merge(Layer.provide(Router.routes, noted(routes)), options.routes ?? Layer.empty))
          ),
          Layer.provide(Server.layer),
          Layer.provideMerge(Live.service),
          Layer.provideMerge(Live.operation),
          Layer.provide(NodeCrypto.layer),
          Layer.provideMerge(TestDatabase.layer),
          Layer.provideMerge(
            AppConfig.layerOf({
              host: "127.0.0.1",
              port,
              baseUrl: url,
              mcpUrl: `${url}/mcp`,
              billingUrl: "https://billing.test/plans",
              supportUrl: "mailto:support@discovery.test",
              ...TestIndex.settings(),
              ...options.config
            })
          ),
          Layer.provideMerge(Logger.layer([Logger.map(Logger.formatJson, (line) => void logs.push(line))]))
        )
      })
    )
}

/** Records every route that is added to the router. */
const noted = (routes: Array<string>): Layer.Layer<HttpRouter.HttpRouter, never, HttpRouter.HttpRouter> =>
  Layer.effect(
    HttpRouter.HttpRouter,
    Effect.map(HttpRouter.HttpRouter, (router) => ({
      ...router,
      add: (method, path, handler, options) => {
        routes.push(`${method} ${path}`)
        return router.add(method, path, handler, options)
      }
    }))
  )

let accountNumber = 0

const make = (url: string, logs: ReadonlyArray<string>, routes: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const { baseUrl } = yield* AppConfig
    const send = (path: string, init: RequestInit) =>
      Effect.promise(async (signal) => {
        const response = await fetch(url + path, { ...init, signal, redirect: "manual" })
        return { status: response.status, headers: response.headers, text: await response.text() }
      })
    return Site.of({
      url,
      baseUrl,
      logs,
      routes,
      account: Effect.fnUntraced(function* ({ email = `visitor${++accountNumber}@discovery.test`, plan, status } = {}) {
        const password = "nine green whales"
        yield* accounts.create({
          email,
          plan: plan ?? "growth",
          status: status ?? "active",
          password: Redacted.make(password)
        })
        return { email, password }
      }, Effect.orDie),
      get: (path, headers = {}) => send(path, { headers }),
      post: (path, form, headers = {}) => send(path, { method: "POST", headers, body: new URLSearchParams(form) })
    })
  })
