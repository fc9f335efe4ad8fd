/** The paths of the pages of stores. domain/catalog/DashboardUrl.ts has them for answers of tools. */
import { sections } from "../shared/Layout.ts"

export const storesPath = sections.stores

export const storePath = (shopId: number): string => `${storesPath}/${shopId}`
