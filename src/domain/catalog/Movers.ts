/**
 * How much figures of a store have changed over the last days (D120), by which stores and their ads are ordered. The days are those of the
 * data: the last one is the newest day of any import. A change is not known where the history of the store begins later (D112).
 */
/** In days, by the name that arguments have. */
export const spans = { "7d": 7, "30d": 30, "90d": 90 } as const
export type Span = keyof typeof spans
export const spanNames = ["7d", "30d", "90d"] as const satisfies ReadonlyArray<Span>

export const defaultSpan: Span = "30d"

/**
 * The unit of each change, by the order of a search. Counts change by a number. Prices change by a percentage, because they are in the
 * currencies of their stores.
 */
export const changeUnits = { ads_change: "count", visits_change: "count", price_change: "percentage" } as const
export type MovingSort = keyof typeof changeUnits
export const movingSorts = ["ads_change", "visits_change", "price_change"] as const satisfies ReadonlyArray<MovingSort>

/** A column of the table `mover`, and of the index. */
export type Mover = `${MovingSort}_${Span}`

export const moverOf = (sort: MovingSort, span: Span = defaultSpan): Mover => `${sort}_${span}`

export const movers: ReadonlyArray<Mover> = movingSorts.flatMap((sort) => spanNames.map((span) => moverOf(sort, span)))

export const isMoving = (sort: string): sort is MovingSort => Object.hasOwn(changeUnits, sort)

/** Of a query in an order by a change. */
export const moverIn = (query: { readonly sort_by?: string; readonly change_over?: Span }): Mover | undefined =>
  query.sort_by !== undefined && isMoving(query.sort_by) ? moverOf(query.sort_by, query.change_over) : undefined
