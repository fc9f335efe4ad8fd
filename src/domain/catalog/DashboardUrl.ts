/** Addresses in answers that begin with `BASE_URL`. */
import { Schema } from "effect"
import * as DemoPictures from "./PictureNames.ts"
import { addressOf } from "./StoreDomain.ts"
import { Id } from "../Scalars.ts"

const isId = Schema.is(Id)

/** The `dashboard_url` of a store. */
export const dashboardUrl =
  ({ baseUrl }: { readonly baseUrl: string }) =>
  (shopId: number): string =>
    `${baseUrl}/dashboard/shops/${shopId}`

/** The store whose page in the dashboard has the address. */
export const shopIdOf =
  ({ baseUrl }: { readonly baseUrl: string }) =>
  (address: string): number | undefined => {
    const url = addressOf(address)
    const [, digits] = /^\/dashboard\/shops\/(\d{1,10})\/?$/u.exec(url?.pathname ?? "") ?? []
    return url?.host === new URL(baseUrl).host && digits !== undefined && isId(Number(digits))
      ? Number(digits)
      : undefined
  }

/** What the items of answers are presented with. */
export const links = (config: { readonly baseUrl: string }) => ({
  dashboardUrl: dashboardUrl(config),
  imageUrl: DemoPictures.served(config)
})
