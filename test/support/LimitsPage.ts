/** Generates `docs/limits.md` from the constants of the code. */
import { maxBoards, maxKeptItems, maxNoteCharacters } from "../../src/domain/catalog/Board.ts"
import { Duration } from "effect"
import { variables } from "../../src/Config.ts"
import { costs } from "../../src/domain/access/Credit.ts"
import * as BoundedJson from "../../src/domain/BoundedJson.ts"
import * as Grant from "../../src/domain/oauth/Grant.ts"
import { lastPage, maxPerPage } from "../../src/domain/search/Page.ts"
import { maxRecentSearches, maxSavedSearches } from "../../src/domain/search/SavedSearch.ts"
import * as Truncation from "../../src/domain/Truncation.ts"
import { maxBatch } from "../../src/http/mcp/Dispatch.ts"
import { maxBodyBytes } from "../../src/http/mcp/Endpoint.ts"
import * as ApiKeys from "../../src/services/credentials/ApiKeys.ts"
import { maxPerAccount as maxPasskeys } from "../../src/services/sessions/passkeys/Passkeys.ts"
import * as Sessions from "../../src/services/sessions/Sessions.ts"
import { maxTrackedShops } from "../../src/services/accounts/TrackedShops.ts"
import { viewsPerMinute } from "../../src/services/limits/PageRateLimit.ts"
import { maxConnections } from "../../src/services/oauth/Grants.ts"
import { maxRefreshesAnHour } from "../../src/services/oauth/GrantTokens.ts"
import { searchLimit } from "../../src/services/search/runtime/Searcher.ts"
import { generated } from "./Documents.ts"

const kibibytes = (bytes: number) => `${bytes / 1024} KiB`
const days = (millis: number) => `${millis / 86_400_000} days`
const number = (value: number) => value.toLocaleString("en")
/** A value that an operator may have changed. */
const byDefault = (variable: keyof typeof variables) => `${number(Number(variables[variable]))} by default`

export const limitsPage = (): string => {
  const table = (rows: ReadonlyArray<readonly [what: string, limit: string]>) => [
    "| what | limit |",
    "|---|---|",
    ...rows.map(([what, limit]) => `| ${what} | ${limit} |`),
    ""
  ]
  const tools: ReadonlyArray<readonly [name: string, cost: number]> = Object.entries(costs)
  const namesOf = (wanted: number) =>
    tools.flatMap(([name, cost]) => (cost === wanted ? [`\`${name}\``] : [])).join(", ")
  const prices = Array.from(new Set(tools.map(([, cost]) => cost))).filter((cost) => cost > 0)
  return [
    "# Limits",
    "",
    generated,
    "",
    'Values with "by default" are settings of the server. `get_usage` tells the credits of your account.',
    "",
    "## Credits",
    "",
    ...table([
      [namesOf(0), "free"],
      ...prices.map((cost): [string, string] => [
        namesOf(cost),
        `${cost} ${cost === 1 ? "credit" : "credits"} for a call that succeeds`
      ]),
      ["a call that fails", "free"],
      ["a repeat of a call under the same idempotency key within 24 hours", "free"],
      ["plan Growth", `${byDefault("PLAN_CREDITS_GROWTH")}, for each month`],
      ["plan Pro", `${byDefault("PLAN_CREDITS_PRO")}, for each month`],
      ["plan Starter, or a subscription that is not active", "no calls of tools"]
    ]),
    "An idempotency key is `discovery/idempotency-key` in `params._meta` of a call. Credits of a month that are left do not carry over.",
    "",
    "## Rates",
    "",
    ...table([
      [
        "messages of an account to `/mcp`, of any method",
        `${byDefault("RATE_LIMIT_PER_MINUTE")}, for each minute; each message of a batch counts, and what is refused`
      ],
      [
        "searches of one account that run or wait at once",
        "half of those that a server accepts; further ones are `rate_limited`"
      ],
      [
        "views of the catalog's pages ([which](dashboard.md))",
        `${viewsPerMinute} for each minute; ${byDefault("PAGE_VIEWS_PER_DAY")}, for each day (UTC)`
      ],
      ["new API keys", `${ApiKeys.maxAnHour} an hour`],
      ["refreshes of a connected app", `${maxRefreshesAnHour} an hour`]
    ]),
    "Answers to calls have the headers `RateLimit` and `RateLimit-Policy`; one that is `rate_limited` has `Retry-After` as well.",
    "",
    "## Sizes",
    "",
    ...table([
      ["a request", `${kibibytes(maxBodyBytes)}, and at most ${BoundedJson.limits.replace("more than ", "")}`],
      ["a batch (revision 2025-03-26 only)", `${maxBatch} messages, each charged on its own`],
      [
        "an answer of a tool",
        `${kibibytes(Truncation.maxBytes)}; the last results are left out, and \`truncated\` says so`
      ],
      ["results of a search", `pages of up to ${maxPerPage}, and ${lastPage} pages; \`total\` counts all`],
      ["an export of a search", `the first ${number(lastPage * maxPerPage)} results`],
      ["duration of a search", `${Duration.toSeconds(searchLimit)} seconds, then \`search_timeout\``]
    ]),
    "Limits of single arguments, such as the number of countries, are in [tools](tools.md).",
    "",
    "## Accounts",
    "",
    ...table([
      ["API keys", `${ApiKeys.maxActive} at once`],
      ["connected apps", number(maxConnections)],
      ["passkeys", number(maxPasskeys)],
      ["stores that are tracked or owned", number(maxTrackedShops)],
      ["saved searches", number(maxSavedSearches)],
      [
        "boards",
        `${number(maxBoards)}, each with ${number(maxKeptItems)} items; a note has ${number(maxNoteCharacters)} characters`
      ],
      ["last searches on the overview page", number(maxRecentSearches)]
    ]),
    "## Lifetimes",
    "",
    ...table([
      ["API key", "until it is revoked or replaced"],
      ["access token", `${Grant.accessTokenSeconds / 3600} hour`],
      [
        "connection of an app",
        `${days(Grant.refreshTokenSeconds * 1000)} after its last use; ${variables.CONNECTION_MAX_DAYS} days in all by default`
      ],
      ["request for access, from the first page to the answer", "15 minutes"],
      [
        "sign-in to the dashboard",
        `${days(Sessions.maxAgeMillis)}; it ends earlier after ${Sessions.idleMillis / 3_600_000} hours without use`
      ]
    ])
  ].join("\n")
}
