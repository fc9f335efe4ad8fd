/** The paths of the pages of stores, ads and products. domain/catalog/DashboardUrl.ts has those of stores for answers of tools. */
import { sections } from "../shared/Layout.ts"

export const storesPath = sections.stores

export const storePath = (shopId: number): string => `${storesPath}/${shopId}`

export const adPath = (adId: number): string => `${sections.ads}/${adId}`

export const productPath = (productId: number): string => `${sections.products}/${productId}`
