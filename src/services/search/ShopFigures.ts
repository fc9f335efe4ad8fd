/**
 * Figures of stores in answers, read from the searched list, so that they agree with the order of the results. Those that are
 * computed have two decimals.
 */
import { numberFigures, storeFigures } from "../../domain/catalog/Figures.ts"
import type { FigureAnswer, NumberFigure } from "../../domain/catalog/Figures.ts"
import { twoDecimals } from "../../domain/catalog/TwoDecimals.ts"
import { findStore } from "./index/Segment.ts"
import type { SegmentList } from "./index/Segment.ts"

type Figures = Readonly<Record<FigureAnswer<NumberFigure>, number | null>>

/** Days are shown as the store's row has them. */
const shown = numberFigures.map((figure) => {
  const { answer, isRounded } = storeFigures[figure]
  return { figure, answer, isRounded }
})

/** Ids of pseudo-stores are below 0. */
export const isIndexed = (list: SegmentList, storeId: number): boolean =>
  storeId > 0 && findStore(list, storeId) !== undefined

/** Unknown figures are `null`, and those of a store that is not in the list. */
export const figuresOf = (list: SegmentList, storeId: number) => {
  const store = findStore(list, storeId)
  // The loop assigns every key.
  const values = {} as { -readonly [Answer in keyof Figures]: Figures[Answer] }
  for (const { answer, figure, isRounded } of shown) {
    const value = store?.view.columns.figures[figure][store.row] ?? Number.NaN
    values[answer] = Number.isNaN(value) ? null : isRounded ? twoDecimals(value) : value
  }
  return { ...values, active_ads: values.active_ads ?? 0 }
}
