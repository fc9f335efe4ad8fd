/** The kinds of changes that are kept of the catalog (D110), in the order of the constraint of table `change`. */

export const storeKinds = [
  "store_appeared",
  "store_gone",
  "figure_changed",
  "theme_added",
  "theme_removed",
  "app_added",
  "app_removed",
  "pixel_added",
  "pixel_removed",
  "visits_added",
  "visits_corrected"
] as const

export const productKinds = ["product_appeared", "product_back", "product_removed", "price_up", "price_down"] as const

export const adKinds = ["ad_appeared", "ad_stopped", "ad_running", "ad_moved", "ad_removed"] as const

export const changeKinds = [...storeKinds, ...productKinds, ...adKinds] as const
export type ChangeKind = (typeof changeKinds)[number]
