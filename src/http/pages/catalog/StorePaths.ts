/** Where the pages of stores are; services/tools/DashboardUrl.ts says the same to agents. */
import { sections } from "../shared/Layout.ts"

export const storesPath = sections.stores

export const storePath = (shopId: number): string => `${storesPath}/${shopId}`
