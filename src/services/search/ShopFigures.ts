/** Figures of stores in answers, from the values by which the catalog is searched, so that they agree with the order of the results. */
import { numberFigures, storeFigures } from "../../domain/catalog/Figures.ts"
import type { NumberFigure } from "../../domain/catalog/Figures.ts"
import { movers } from "../../domain/catalog/Movers.ts"
import type { Mover } from "../../domain/catalog/Movers.ts"
import { twoDecimals } from "../../domain/catalog/TwoDecimals.ts"
import type { StoreFigures } from "../../domain/search/CatalogAnswer.ts"
import { record } from "./index/Segment.ts"

/** Days are shown as the store's row has them. */
const shown = numberFigures.map((figure) => {
  const { answer, isRounded } = storeFigures[figure]
  return { figure, answer, isRounded }
})

type Numbers = Omit<StoreFigures, "changes">

const known = (value: number): number | null => (Number.isNaN(value) ? null : value)

/** `valueOf` is NaN for unknown. */
export const shownFigures = (valueOf: (figure: NumberFigure | Mover) => number): StoreFigures => {
  // The loop assigns every key.
  const values = {} as { -readonly [Answer in keyof Numbers]: number | null }
  for (const { answer, figure, isRounded } of shown) {
    const value = valueOf(figure)
    values[answer] = Number.isNaN(value) ? null : isRounded ? twoDecimals(value) : value
  }
  return { ...values, active_ads: values.active_ads ?? 0, changes: record(movers, (mover) => known(valueOf(mover))) }
}

const unknown = shownFigures(() => Number.NaN)

export type FiguresOf = (storeId: number) => StoreFigures

/** Those of a store that is not there are unknown. */
export const figuresIn =
  (figures: ReadonlyMap<number, StoreFigures>): FiguresOf =>
  (storeId) =>
    figures.get(storeId) ?? unknown

/** In an order by a change. */
export const changeIn = ({ changes }: StoreFigures, mover: Mover | undefined): { readonly change?: number | null } =>
  mover === undefined ? {} : { change: changes[mover] }
