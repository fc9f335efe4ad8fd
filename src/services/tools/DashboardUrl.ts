/** Where the dashboard shows a store: the `dashboard_url` of the items. */
export const dashboardUrl =
  ({ baseUrl }: { readonly baseUrl: string }) =>
  (shopId: number): string =>
    `${baseUrl}/dashboard/shops/${shopId}`
