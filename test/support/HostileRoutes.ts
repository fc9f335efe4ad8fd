/** The routes of the service with the fields that they read: tests and `npm run bench:hostile` send hostile input to each. */
import { documents, markdownPathOf, pathOf } from "../../src/http/pages/docs/Documents.ts"
import * as HostileInputs from "./HostileInputs.ts"

type Path = `/${string}`

export interface FormRoute {
  /** As the router has it, such as `/dashboard/searches/:id/rename`. */
  readonly route: Path
  readonly fields: ReadonlyArray<string>
  readonly bytes: number
}

export interface PageRoute {
  readonly route: Path
  readonly fields: ReadonlyArray<string>
}

export interface BodyRoute {
  readonly route: Path
  readonly headers: Readonly<Record<string, string>>
  readonly inputs: ReadonlyArray<HostileInputs.Input>
}

const form = (route: Path, ...fields: ReadonlyArray<string>): FormRoute => ({ route, fields, bytes: 250_000 })
const page = (route: Path, ...fields: ReadonlyArray<string>): PageRoute => ({ route, fields })

/** Forms of OAuth, without a visitor. */
const openForms: ReadonlyArray<FormRoute> = [
  form(
    "/token",
    "grant_type",
    "code",
    "code_verifier",
    "refresh_token",
    "client_id",
    "client_secret",
    "redirect_uri",
    "scope"
  ),
  form("/revoke", "token", "token_type_hint", "client_id", "client_secret")
].map((each) => ({ ...each, bytes: 64_000 }))

/** Forms by who sends them. */
export const formRoutes = {
  open: openForms,
  guest: [
    form("/sign-in", "email", "password", "return_to"),
    form("/sign-in/passkey", "credential", "return_to"),
    form("/sign-in/passkey/challenge", "return_to"),
    form("/sign-in/second-step", "code", "return_to"),
    form("/sign-in/second-step/passkey", "credential", "return_to"),
    form("/sign-in/second-step/passkey/challenge", "return_to"),
    form("/sign-out", "return_to"),
    form("/sign-up", "email", "password", "return_to"),
    form("/sign-up/confirm", "token", "password"),
    form("/reset-password", "email"),
    form("/reset-password/new", "token", "next", "again"),
    form("/alerts/unsubscribe", "List-Unsubscribe")
  ],
  signedIn: [
    form("/dashboard/integrations", "name", "attempt"),
    form("/dashboard/integrations/keys/:id/replace", "name", "ends", "attempt"),
    form("/dashboard/integrations/keys/:id/revoke"),
    form("/dashboard/integrations/apps/:id/revoke"),
    form("/dashboard/integrations/webhook", "url"),
    form("/dashboard/integrations/webhook/secret"),
    form("/dashboard/integrations/webhook/remove"),
    form("/dashboard/searches", "query", "subject", "mark", "name"),
    form("/dashboard/searches/:id/rename", "name"),
    form("/dashboard/searches/:id/remove"),
    form("/dashboard/boards", "name"),
    form("/dashboard/boards/:id/rename", "name"),
    form("/dashboard/boards/:id/delete"),
    form("/dashboard/boards/:id/remove-gone"),
    form("/dashboard/boards/keep", "item", "board", "return_to"),
    form("/dashboard/boards/items/:id/note", "note"),
    form("/dashboard/boards/items/:id/remove", "board", "page"),
    form("/dashboard/searches/:id/alert", "alert"),
    form("/dashboard/shops/:id/track", "list_page"),
    form("/dashboard/shops/:id/untrack", "list_page"),
    form("/dashboard/account/password", "current", "next", "again"),
    form("/dashboard/account/email", "email", "current"),
    form("/dashboard/account/email/confirm", "token"),
    form("/dashboard/account/close", "current"),
    form("/dashboard/account/confirm", "password", "return_to"),
    form("/dashboard/account/confirm/passkey", "credential", "return_to"),
    form("/dashboard/account/confirm/passkey/challenge", "return_to"),
    form("/dashboard/account/passkeys", "credential", "code", "name"),
    form("/dashboard/account/passkeys/challenge", "code"),
    form("/dashboard/account/passkeys/:id/remove"),
    form("/dashboard/account/second-step/on", "credential"),
    form("/dashboard/account/second-step/on/challenge"),
    form("/dashboard/account/second-step/off"),
    form("/dashboard/account/second-step/codes"),
    form("/dashboard/account/sessions/:id/end"),
    form("/dashboard/account/sessions/end-others"),
    form("/dashboard/billing/checkout", "plan"),
    form("/dashboard/billing/portal"),
    form("/dashboard/:place/*"),
    form("/authorize/decision", "request", "decision", "url"),
    form("/authorize", "client_id")
  ],
  operator: [
    form("/dashboard/operator/accounts/:id/plan", "from", "to"),
    form("/dashboard/operator/accounts/:id/status", "from", "to")
  ]
} as const satisfies Readonly<Record<string, ReadonlyArray<FormRoute>>>

const filters = ["query", "niches", "themes", "apps", "countries", "languages", "domains", "monthly_revenue.min"]

const exports = (["ads", "products", "shops"] as const).flatMap((subject) =>
  (["csv", "ndjson"] as const).map((format) => page(`/dashboard/${subject}/export.${format}`, ...filters))
)

/** Pages with the parameters of their addresses. */
export const pageRoutes = {
  anyone: [
    page("/dashboard"),
    page("/dashboard/ads", ...filters),
    page("/dashboard/products", ...filters),
    page("/dashboard/market", ...filters, "group_by", "limit"),
    page("/dashboard/changes", ...filters, "since", "kinds", "tracked_only", "order"),
    page("/dashboard/shops", ...filters, "page", "done"),
    page("/dashboard/shops/:id", "done", "products", "ads"),
    page("/dashboard/ads/:id"),
    page("/dashboard/products/:id"),
    ...exports,
    page("/dashboard/searches", "page", "done"),
    page("/dashboard/searches/:id"),
    page("/dashboard/searches/:id/rename"),
    page("/dashboard/boards", "done"),
    page("/dashboard/boards/:id", "page", "done"),
    page("/dashboard/boards/:id/rename"),
    page("/dashboard/boards/:id/delete"),
    page("/dashboard/boards/items/:id/note"),
    page("/dashboard/compare", "shop_ids"),
    page("/dashboard/usage", "span", "tool", "outcome", "who", "before"),
    page("/dashboard/integrations", "done"),
    page("/dashboard/integrations/webhook", "done"),
    page("/dashboard/integrations/keys/:id/replace"),
    page("/dashboard/integrations/keys/:id/revoke"),
    page("/dashboard/integrations/apps/:id/revoke"),
    page("/dashboard/account", "done"),
    page("/dashboard/account/password"),
    page("/dashboard/account/email"),
    page("/dashboard/account/email/confirm", "token"),
    page("/dashboard/account/close"),
    page("/dashboard/account/confirm", "return_to"),
    page("/dashboard/billing", "done"),
    page("/dashboard/billing/return", "from"),
    page("/dashboard/:place/*"),
    page("/docs/:place/*"),
    page("/authorize", "client_id", "redirect_uri", "state", "scope", "resource"),
    page("/authorize/decision"),
    page("/plans"),
    page("/language", "to", "back"),
    page("/sign-in", "return_to", "done"),
    page("/sign-in/second-step", "return_to"),
    page("/sign-up", "return_to", "done"),
    page("/sign-up/confirm", "token"),
    page("/reset-password", "done"),
    page("/reset-password/new", "token"),
    page("/alerts/unsubscribe", "token")
  ],
  operator: [
    page("/dashboard/operator", "email", "plan", "status", "role", "before"),
    page("/dashboard/operator/accounts/:id", "done"),
    page("/dashboard/operator/accounts/:id/plan", "to"),
    page("/dashboard/operator/accounts/:id/status", "to")
  ]
} as const satisfies Readonly<Record<string, ReadonlyArray<PageRoute>>>

/** Endpoints that take JSON, besides `/mcp`. */
export const bodyRoutes: ReadonlyArray<BodyRoute> = [
  { route: "/register", headers: { "content-type": "application/json" }, inputs: HostileInputs.registrations },
  {
    route: "/billing/stripe/webhook",
    headers: { "content-type": "application/json", "stripe-signature": `t=1,v1=${"0".repeat(64)}` },
    inputs: HostileInputs.events
  }
]

/** The greatest that an address can name. */
const nobodys = 2_147_483_647

/** An address of the route. Stores and accounts with the id 1 may exist; nothing else is touched. */
export const addressOf = (route: Path): string =>
  route
    .replace(/\/(shops|accounts)\/:id/u, "/$1/1")
    .replace(":id", String(nobodys))
    .replace(":place/*", "none/none")

/** Routes that get no hostile input, and why. */
const exceptions: Readonly<Record<string, string>> = {
  "* /mcp": "has inputs of its own: HostileInputs.ofTool and HostileInputs.ofProtocol",
  "GET /": "a redirect without parameters",
  "GET /health/live": "reads nothing of the request",
  "GET /health/ready": "reads nothing of the request",
  "GET /icon.svg": "a file",
  "GET /server.json": "a document without parameters",
  "GET /mcp/server-card": "a document without parameters",
  "GET /.well-known/ai-catalog.json": "a document without parameters",
  "GET /install/claude": "a redirect without parameters",
  "GET /install/cursor": "a redirect without parameters",
  "GET /install/vscode": "a redirect without parameters",
  "GET /llms.txt": "a document without parameters",
  "GET /llms-full.txt": "a document without parameters",
  "GET /robots.txt": "a document without parameters",
  "GET /.well-known/change-password": "a redirect without parameters",
  "GET /.well-known/security.txt": "a document without parameters",
  "GET /.well-known/oauth-authorization-server": "a document without parameters",
  "GET /.well-known/oauth-protected-resource": "a document without parameters",
  "GET /.well-known/oauth-protected-resource/mcp": "a document without parameters",
  "GET /.well-known/*": "reads nothing of the request",
  "GET /mcp/.well-known/*": "reads nothing of the request",
  "OPTIONS /.well-known/*": "reads nothing of the request",
  "OPTIONS /mcp/.well-known/*": "reads nothing of the request",
  "GET /demo/v1/products/:name": "compares the name with the names of the pictures",
  "GET /demo/v1/ads/:name": "compares the name with the names of the pictures",
  "PUT /authorize": "answers as POST /authorize",
  "PATCH /authorize": "answers as POST /authorize",
  "DELETE /authorize": "answers as POST /authorize",
  "OPTIONS /authorize": "answers as POST /authorize",
  ...Object.fromEntries(
    documents.flatMap((document) =>
      [pathOf(document), markdownPathOf(document)].map((path) => [`GET ${path}`, "a document without parameters"])
    )
  )
}

/** Files of the pages have a hash in their names. */
const isFile = (route: string): boolean => /^GET \/assets\/[^/:*]+$/u.test(route)

const all = (method: string, routes: ReadonlyArray<{ readonly route: Path }>) =>
  routes.map(({ route }) => `${method} ${route}`)

const listed: ReadonlySet<string> = new Set([
  ...all("*", formRoutes.open),
  ...all("*", bodyRoutes),
  ...all("POST", [...formRoutes.guest, ...formRoutes.signedIn, ...formRoutes.operator]),
  ...all("GET", [...pageRoutes.anyone, ...pageRoutes.operator]),
  ...Object.keys(exceptions)
])

/** What the lists above and the router do not have in common. */
export const differences = (routes: ReadonlyArray<string>) => ({
  missing: routes.filter((route) => !listed.has(route) && !isFile(route)),
  gone: Array.from(listed).filter((route) => !routes.includes(route))
})
