/** Links to billing and support, for pages. */
import type { AppSettings } from "../../../Config.ts"

export interface OutwardLinks {
  readonly billing: string | undefined
  readonly support: string | undefined
}

/** `undefined` if the address is not configured. The default is the dashboard itself, which needs no link. */
export const of = (config: Pick<AppSettings, "baseUrl" | "billingUrl" | "supportUrl">): OutwardLinks => {
  const outward = (url: string) => (url.startsWith(`${config.baseUrl}/dashboard`) ? undefined : url)
  return { billing: outward(config.billingUrl), support: outward(config.supportUrl) }
}
