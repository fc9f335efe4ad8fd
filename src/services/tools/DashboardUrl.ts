/** The `dashboard_url` of a store. */
export const dashboardUrl =
  ({ baseUrl }: { readonly baseUrl: string }) =>
  (shopId: number): string =>
    `${baseUrl}/dashboard/shops/${shopId}`
