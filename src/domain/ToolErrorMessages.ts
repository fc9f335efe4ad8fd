/** English messages and hints of tool errors, except the issues of arguments. */
import { secondsUntil } from "./access/CreditPeriod.ts"
import {
  InsufficientCredits,
  InternalError,
  InvalidArguments,
  NotFound,
  PlanUpgradeRequired,
  RateLimited,
  SearchTimeout,
  ServiceUnavailable,
  ShopNotTracked
} from "./ToolError.ts"

const tryLater = "Nothing was charged; try again in a moment."

export const planUpgradeRequired = (options: {
  /** Such as `plan is Starter`. */
  readonly problems: ReadonlyArray<string>
  readonly steps: string
  readonly billingUrl: string
}): PlanUpgradeRequired =>
  new PlanUpgradeRequired({
    message: `Tool calls need an active Growth or Pro subscription, but the account's ${options.problems.join(" and its ")}.`,
    hint: `To go on, ${options.steps} at ${options.billingUrl}. Keys and connected apps are kept and work again at once. Nothing was charged.`,
    upgradeUrl: options.billingUrl
  })

export const insufficientCredits = (options: {
  readonly cost: number
  readonly remaining: number
  /** The UTC day on which the credits renew. */
  readonly periodEnd: string
  /** Since 1970. */
  readonly nowMillis: number
  readonly billingUrl: string
}): InsufficientCredits => {
  const { billingUrl, cost, nowMillis, periodEnd, remaining } = options
  const left = remaining === 0 ? "no credits" : `only ${counted(remaining)}`
  return new InsufficientCredits({
    message: `The call costs ${counted(cost)}, but the account has ${left} left in this period.`,
    cost,
    hint: `The credits renew on ${periodEnd} at 00:00 UTC; for more before then, change the plan at ${billingUrl}. Nothing was charged.`,
    retryAfterSeconds: secondsUntil(periodEnd, nowMillis),
    upgradeUrl: billingUrl
  })
}

const counted = (credits: number): string => `${credits} ${credits === 1 ? "credit" : "credits"}`

/** An argument has a value that the database refuses, and no check has found it before. */
export const unfitArguments = (): InvalidArguments =>
  new InvalidArguments({
    message: "An argument has control characters, or a number that is out of range. Nothing was charged.",
    issues: []
  })

/** Of the tools that get one record. */
const onlyIfFound = `An answer costs ${counted(1)}; this call cost nothing.`

export const noStore = (id: number): NotFound =>
  new NotFound({
    message: `There is no store ${id}.`,
    hint: `Take the id of a store from search_shops, or \`shop.id\` from search_ads or search_products. ${onlyIfFound}`
  })

/** `near` are the domains of stores that are spelled alike. */
export const noStoreAt = (host: string, near: ReadonlyArray<string>): NotFound => {
  const suggestion = near.length === 0 ? "" : `Did you mean ${near.join(", ")}? `
  return new NotFound({
    message: `There is no store with the domain \`${host}\`.`,
    hint: `${suggestion}search_shops finds stores by parts of their names and domains. ${onlyIfFound}`
  })
}

export const noSavedSearch = (id: number): NotFound =>
  new NotFound({
    message: `The account has no saved search ${id}.`,
    hint: `Take an id of list_saved_searches. ${onlyIfFound}`
  })

/** Its page on the dashboard says what is wrong with it. */
export const searchNotValid = (id: number): NotFound =>
  new NotFound({
    message: `The saved search ${id} is no longer valid, because a name in it was removed.`,
    hint: `Call the search's own tool with other arguments. ${onlyIfFound}`
  })

export const noProduct = (id: number): NotFound =>
  new NotFound({
    message: `There is no product ${id}.`,
    hint: `Take the id of a product from search_products. ${onlyIfFound}`
  })

export const storeNotTracked = (productId: number, storeId: number, storePage: string): ShopNotTracked =>
  new ShopNotTracked({
    message: `Details of product ${productId} are for tracked stores and own brand stores only; its store, ${storeId}, is neither.`,
    hint: `Track the store at ${storePage}, then call again. ${onlyIfFound}`
  })

export const tooManyRequests = (limit: number, retryAfterSeconds: number): RateLimited =>
  new RateLimited({
    message: `Too many requests: at most ${limit} a minute. Wait ${retryAfterSeconds} s. Nothing was charged.`,
    retryAfterSeconds
  })

export const tooManyPages = (limit: number, retryAfterSeconds: number): RateLimited =>
  new RateLimited({
    message: `At most ${limit} pages of the catalog and of the usage per minute and account.`,
    retryAfterSeconds
  })

export const tooManySearches = (): RateLimited =>
  new RateLimited({
    message: "Too many searches of this account at once. Nothing was charged; wait for some of them, then try again.",
    retryAfterSeconds: 1
  })

/** Without a hint, for reads by id. */
export const tooSlow = (hint = "Try again in a moment."): SearchTimeout =>
  new SearchTimeout({ message: "The search took too long and was stopped. Nothing was charged.", hint })

const outages = {
  database: "The service cannot reach its database right now.",
  index_building: "The search index is being built.",
  index_missing: "There is no search index right now.",
  search_failed: "The search could not be finished.",
  search_engine: "The service cannot reach its search engine right now.",
  busy: "There are too many searches right now.",
  mail: "The service cannot send more mails right now."
} as const

export const unavailable = (outage: keyof typeof outages, cause?: unknown): ServiceUnavailable =>
  new ServiceUnavailable({
    message: `${outages[outage]} ${tryLater}`,
    retryAfterSeconds: 1,
    ...(cause === undefined ? {} : { cause })
  })

/** The index is being built; `percent` is its progress if that is known. */
export const indexNotReady = (
  state: "building" | "loading" | "missing",
  percent: number | undefined,
  retryAfterSeconds: number
): ServiceUnavailable => {
  const share = percent === undefined ? "" : ` (${percent} %)`
  const message =
    state === "missing"
      ? outages.index_missing
      : `The search index is being ${state === "building" ? "built" : "loaded"}${share}.`
  return new ServiceUnavailable({ message: `${message} ${tryLater}`, retryAfterSeconds })
}

export const internalError = (supportUrl: string): InternalError =>
  new InternalError({
    message: "Something went wrong on our side. Nothing was charged.",
    hint: `Try again; if it stays, tell ${supportUrl} the request id.`
  })
