/** How large a demo data set is. Niches and months of traffic come on top. */
export interface DemoSize {
  readonly shops: number
  readonly products: number
  readonly ads: number
  /** Descriptions, variants and images of products: what `get_product` tells. Left out where they would only take space. */
  readonly hasDetails: boolean
  /** A store with the largest figures that there can be: for tests, since it would stand first in every ranking. */
  readonly hasExtremes: boolean
}

export const demoSizes = {
  /** For tests. */
  tiny: { shops: 60, products: 600, ads: 400, hasDetails: true, hasExtremes: true },
  /** For trying the service out. */
  demo: { shops: 2_000, products: 60_000, ads: 25_000, hasDetails: true, hasExtremes: false },
  /** For measuring. */
  large: { shops: 20_000, products: 600_000, ads: 250_000, hasDetails: false, hasExtremes: false }
} as const satisfies Record<string, DemoSize>

export type DemoSizeName = keyof typeof demoSizes
