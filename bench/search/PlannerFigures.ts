/**
 * What the planner on PostgreSQL took, which the index replaced: as it was measured last over 200,000 stores, on the same
 * machine with the same classes. Recorded, for that code is gone. Milliseconds, whole calls, 4 a second, 30 of each class.
 */

type Figures = readonly [tool: string, className: string, p50: number, p95: number, p99: number]

export const shops = 200_000

export const latency: ReadonlyArray<Figures> = [
  ["search_products", "none", 4.8, 6.9, 7.2],
  ["search_products", "one filter", 33, 44, 45],
  ["search_products", "3 to 6 filters", 17, 88, 134],
  ["search_products", "broad", 36, 50, 53],
  ["search_products", "narrow", 9.7, 26, 31],
  ["search_products", "item filters", 52, 66, 67],
  ["search_products", "rare word", 7.3, 21, 22],
  ["search_products", "middling word", 11, 29, 31],
  ["search_products", "common word", 141, 412, 808],
  ["search_products", "two words", 26, 73, 111],
  ["search_products", "text with filters", 98, 233, 243],
  ["search_products", "page 20", 34, 61, 82],
  ["search_products", "page 20 of words", 134, 197, 217],
  ["search_products", "every sort", 35, 45, 50],
  ["search_ads", "none", 5.6, 7.5, 7.5],
  ["search_ads", "one filter", 31, 46, 52],
  ["search_ads", "3 to 6 filters", 13, 80, 107],
  ["search_ads", "broad", 36, 45, 48],
  ["search_ads", "narrow", 11, 25, 26],
  ["search_ads", "item filters", 48, 81, 113],
  ["search_ads", "rare word", 18, 25, 26],
  ["search_ads", "middling word", 21, 35, 37],
  ["search_ads", "common word", 190, 323, 388],
  ["search_ads", "two words", 170, 272, 317],
  ["search_ads", "text with filters", 39, 256, 280],
  ["search_ads", "page 20", 32, 48, 56],
  ["search_ads", "page 20 of words", 110, 307, 315],
  ["search_ads", "every sort", 25, 51, 58],
  ["search_shops", "none", 6.1, 40, 47],
  ["search_shops", "one filter", 30, 51, 66],
  ["search_shops", "3 to 6 filters", 16, 64, 64],
  ["search_shops", "broad", 34, 55, 68],
  ["search_shops", "narrow", 8.0, 17, 33],
  ["search_shops", "rare word", 5.2, 8.2, 11],
  ["search_shops", "middling word", 6.5, 13, 14],
  ["search_shops", "common word", 13, 22, 61],
  ["search_shops", "two words", 6.3, 11, 15],
  ["search_shops", "text with filters", 8.6, 32, 45],
  ["search_shops", "page 20", 21, 41, 69],
  ["search_shops", "page 20 of words", 16, 58, 61],
  ["search_shops", "every sort", 28, 65, 67]
]

/** Mixed calls a second, and what they took: the last step lost calls. */
export const rates: ReadonlyArray<readonly [perSecond: number, p50: number, p95: number, p99: number, lost: number]> = [
  [10, 27, 163, 291, 0],
  [20, 30, 173, 301, 0],
  [30, 59, 862, 1736, 0],
  [40, 102, 419, 588, 0],
  [50, 3913, 5009, 5140, 132]
]

/** Of its statements against peers' for the same cases: classes in which the peer was faster, of all. */
export const slowerThanPeers = { "normalized, joins": 8, "DuckDB, 1 thread": 15, classes: 41 } as const

/** MiB over ten minutes at 10 calls a second; PostgreSQL had 6 GB besides. */
export const resident = 211
