/** Where billing and support are, for who reads a page. */
import type { AppSettings } from "../../../Config.ts"

export interface OutwardLinks {
  readonly billing: string | undefined
  readonly support: string | undefined
}

/** `undefined` without an address of their own: then they are the dashboard, to which no page of it needs to lead. */
export const of = (config: Pick<AppSettings, "baseUrl" | "billingUrl" | "supportUrl">): OutwardLinks => {
  const outward = (url: string) => (url.startsWith(`${config.baseUrl}/dashboard`) ? undefined : url)
  return { billing: outward(config.billingUrl), support: outward(config.supportUrl) }
}
