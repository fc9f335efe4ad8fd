/** Where the pages of stores are; services/tools/DashboardUrl.ts says the same to agents. */
export const storesPath = "/dashboard/shops"

export const storePath = (shopId: number): string => `${storesPath}/${shopId}`
