/**
 * The figures of a store: one declaration of each, by the name of its column in the index. The fields of records and their columns in
 * SQL, the columns of the index, the conditions of filters, the fields of answers and pages, and the names in foreign tables are
 * derived from it. Where an entry needs more than its names, the compiler refuses a declaration that leaves it out.
 */

/** How a figure is written. `money` is in the store's currency; a `day` is a calendar date, in the index the days since 1970-01-01. */
type Unit = "money" | "count" | "percentage" | "rating" | "day"

/** A number that a store's record states: not what is computed, and not a day. */
interface Recorded {
  /** The field of the record, and the column of table `shop`. */
  readonly field: string
  /** Of counts it is the largest 32-bit integer. */
  readonly maximum?: number
  /** The bit of the field in the dates of a store (StoreDates.ts). Sets of bits are stored: it never changes, a new one is the next. */
  readonly bit: number
  /** The names of its column in lists of stores, the best first, in lower case. */
  readonly columns: readonly [string, ...ReadonlyArray<string>]
  /** Further names by which a map is guessed, without blanks and punctuation. */
  readonly guesses: ReadonlyArray<string>
}

/** Only counts have a maximum by themselves. */
type InUnit =
  | { readonly unit: "count"; readonly recorded?: Recorded }
  | { readonly unit: Exclude<Unit, "count">; readonly recorded?: Recorded & Required<Pick<Recorded, "maximum">> }

type FigureDeclaration = InUnit & {
  /** Computed, with fractions: answers show two decimals, and a bound is compared with what they show. */
  readonly isRounded: boolean
  /** The argument that filters by it. */
  readonly argument: string
  /** The field of an answer. */
  readonly answer: string
}

/** In the order of answers, of the store's page and of the columns of the index. */
export const storeFigures = {
  revenue: {
    unit: "money",
    isRounded: false,
    argument: "monthly_revenue",
    answer: "estimated_monthly_revenue",
    recorded: {
      field: "monthly_revenue",
      maximum: 1e15,
      bit: 10,
      columns: ["estimated_monthly_sales", "monthly_revenue"],
      guesses: ["revenue", "sales", "estimatedsales", "estimatedrevenue", "monthlysales", "gmv"]
    }
  },
  orders: {
    unit: "count",
    isRounded: false,
    argument: "monthly_orders",
    answer: "estimated_monthly_orders",
    recorded: {
      field: "monthly_orders",
      bit: 11,
      columns: ["estimated_monthly_orders", "monthly_orders"],
      guesses: ["orders"]
    }
  },
  visits: { unit: "count", isRounded: false, argument: "monthly_visits", answer: "monthly_visits" },
  growth: { unit: "percentage", isRounded: true, argument: "traffic_growth_pct", answer: "traffic_growth_pct" },
  active_ads: { unit: "count", isRounded: false, argument: "active_ads", answer: "active_ads" },
  /** A record without it has as many as are on record. */
  products_count: {
    unit: "count",
    isRounded: false,
    argument: "products_count",
    answer: "products_count",
    recorded: {
      field: "products_count",
      bit: 12,
      columns: ["products_sold", "products_count", "product_count"],
      guesses: ["products", "numberofproducts", "skus", "skucount"]
    }
  },
  avg_price: { unit: "money", isRounded: true, argument: "avg_price", answer: "avg_price" },
  rating: {
    unit: "rating",
    isRounded: false,
    argument: "trustpilot_rating",
    answer: "trustpilot_rating",
    recorded: {
      field: "trustpilot_rating",
      maximum: 5,
      bit: 13,
      columns: ["trustpilot_avgrating", "trustpilot_rating", "trustscore"],
      guesses: ["trustpilot", "trustpilotscore"]
    }
  },
  reviews: {
    unit: "count",
    isRounded: false,
    argument: "trustpilot_reviews",
    answer: "trustpilot_reviews",
    recorded: {
      field: "trustpilot_reviews",
      bit: 14,
      columns: ["trustpilot_reviews", "numberofreviews"],
      guesses: ["trustpilotcount", "trustpilotreviewcount"]
    }
  },
  created: { unit: "day", isRounded: false, argument: "shop_created_between", answer: "created_on" }
} as const satisfies Readonly<Record<string, FigureDeclaration>>

type Declarations = typeof storeFigures

export type Figure = keyof Declarations

/** Without Effect's `Struct.keys`, because search threads load this file. */
export const figures = Object.keys(storeFigures) as ReadonlyArray<Figure>

export type DayFigure = { readonly [F in Figure]: Declarations[F]["unit"] extends "day" ? F : never }[Figure]
export type NumberFigure = Exclude<Figure, DayFigure>

/** Figures whose number a store's record states. */
export type RecordedFigure = {
  readonly [F in Figure]: Declarations[F] extends { readonly recorded: Recorded } ? F : never
}[Figure]

export type RecordedField = Declarations[RecordedFigure]["recorded"]["field"]
export type FigureArgument = Declarations[Figure]["argument"]
export type FigureAnswer<F extends Figure = Figure> = Declarations[F]["answer"]

interface RecordedNumber extends Recorded {
  readonly figure: RecordedFigure
  readonly field: RecordedField
  readonly unit: Exclude<Unit, "day">
}

const isRecorded = (figure: Figure): figure is RecordedFigure => "recorded" in storeFigures[figure]

export const recorded: ReadonlyArray<RecordedNumber> = figures.filter(isRecorded).map((figure) => ({
  figure,
  unit: storeFigures[figure].unit,
  ...storeFigures[figure].recorded
}))

/** A value for each number of a record, by its field. */
export const byField = <A>(of: (number: RecordedNumber) => A): Readonly<Record<RecordedField, A>> =>
  // Every field has an entry.
  Object.fromEntries(recorded.map((number) => [number.field, of(number)])) as Record<RecordedField, A>

const isNumber = (figure: Figure): figure is NumberFigure => storeFigures[figure].unit !== "day"

/** Figures that are numbers in answers, too: a day is a date there. */
export const numberFigures = figures.filter(isNumber)

/** A value for each figure that is a number, by its field of an answer or by the argument that filters by it. */
export const byName = <Key extends "answer" | "argument", A>(
  key: Key,
  of: (figure: Declarations[NumberFigure], name: NumberFigure) => A
) =>
  // Every name has an entry.
  Object.fromEntries(numberFigures.map((name) => [storeFigures[name][key], of(storeFigures[name], name)])) as Readonly<
    Record<Declarations[NumberFigure][Key], A>
  >
