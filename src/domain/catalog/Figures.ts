/**
 * The figures of a store: one declaration of each, by the name of its column in the index. The columns of the index, the conditions
 * of filters and the figures of answers are derived from it. Where an entry needs more than its names, as in a record or an answer,
 * the compiler refuses a declaration that leaves it out.
 */

/**
 * `exact`: answers show what the index holds. `rounded`: they show it with two decimals, and a bound is compared with what they show.
 * `day`: a calendar date, in the index the days since 1970-01-01.
 */
type FigureKind = "exact" | "rounded" | "day"

interface FigureDeclaration {
  /** The argument that filters by it. */
  readonly argument: string
  /** The field of an answer. */
  readonly answer: string
  readonly kind: FigureKind
}

/** In the order of answers, and of the columns of the index. Amounts are in the store's currency. */
export const storeFigures = {
  revenue: { argument: "monthly_revenue", answer: "estimated_monthly_revenue", kind: "exact" },
  orders: { argument: "monthly_orders", answer: "estimated_monthly_orders", kind: "exact" },
  visits: { argument: "monthly_visits", answer: "monthly_visits", kind: "exact" },
  /** Percent. */
  growth: { argument: "traffic_growth_pct", answer: "traffic_growth_pct", kind: "rounded" },
  active_ads: { argument: "active_ads", answer: "active_ads", kind: "exact" },
  products_count: { argument: "products_count", answer: "products_count", kind: "exact" },
  avg_price: { argument: "avg_price", answer: "avg_price", kind: "rounded" },
  rating: { argument: "trustpilot_rating", answer: "trustpilot_rating", kind: "exact" },
  reviews: { argument: "trustpilot_reviews", answer: "trustpilot_reviews", kind: "exact" },
  created: { argument: "shop_created_between", answer: "created_on", kind: "day" }
} as const satisfies Readonly<Record<string, FigureDeclaration>>

type Declarations = typeof storeFigures

export type Figure = keyof Declarations

/** Without Effect's `Struct.keys`, because search threads load this file. */
export const figures = Object.keys(storeFigures) as ReadonlyArray<Figure>

/** Figures of a kind. */
export type FigureOf<Kind extends FigureKind> = {
  readonly [F in Figure]: Declarations[F]["kind"] extends Kind ? F : never
}[Figure]

export type FigureArgument = Declarations[Figure]["argument"]
export type FigureAnswer<F extends Figure = Figure> = Declarations[F]["answer"]
