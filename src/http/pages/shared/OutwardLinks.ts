/** Links to plans, billing and support, for pages. */
import { Option } from "effect"
import type { AppSettings } from "../../../Config.ts"
import { billingPath } from "../../../Config.ts"

/** What plans have and cost, for anyone. */
export const plansPath = "/plans"

export interface Links {
  readonly billing: string | undefined
  readonly support: string | undefined
}

/** `undefined` if the address is not configured. The default is the dashboard itself, which needs no link. */
export const of = (config: Pick<AppSettings, "baseUrl" | "billingUrl" | "supportUrl" | "stripe">): Links => {
  const outward = (url: string) => (url.startsWith(`${config.baseUrl}/dashboard`) ? undefined : url)
  return {
    billing: Option.isSome(config.stripe) ? billingPath : outward(config.billingUrl),
    support: outward(config.supportUrl)
  }
}
