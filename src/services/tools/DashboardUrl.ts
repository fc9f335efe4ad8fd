/** Addresses in answers that begin with `BASE_URL`. */
import * as DemoPictures from "../../domain/catalog/DemoPictures.ts"

/** The `dashboard_url` of a store. */
export const dashboardUrl =
  ({ baseUrl }: { readonly baseUrl: string }) =>
  (shopId: number): string =>
    `${baseUrl}/dashboard/shops/${shopId}`

/** What the items of answers are presented with. */
export const links = (config: { readonly baseUrl: string }) => ({
  dashboardUrl: dashboardUrl(config),
  imageUrl: DemoPictures.served(config)
})
