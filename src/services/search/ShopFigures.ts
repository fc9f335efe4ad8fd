/** Figures of stores in answers, from the values by which the catalog is searched, so that they agree with the order of the results. */
import { numberFigures, storeFigures } from "../../domain/catalog/Figures.ts"
import type { NumberFigure } from "../../domain/catalog/Figures.ts"
import { twoDecimals } from "../../domain/catalog/TwoDecimals.ts"
import type { StoreFigures } from "../../domain/search/CatalogAnswer.ts"

/** Days are shown as the store's row has them. */
const shown = numberFigures.map((figure) => {
  const { answer, isRounded } = storeFigures[figure]
  return { figure, answer, isRounded }
})

/** `valueOf` is NaN for unknown. */
export const shownFigures = (valueOf: (figure: NumberFigure) => number): StoreFigures => {
  // The loop assigns every key.
  const values = {} as { -readonly [Answer in keyof StoreFigures]: number | null }
  for (const { answer, figure, isRounded } of shown) {
    const value = valueOf(figure)
    values[answer] = Number.isNaN(value) ? null : isRounded ? twoDecimals(value) : value
  }
  return { ...values, active_ads: values.active_ads ?? 0 }
}

const unknown = shownFigures(() => Number.NaN)

export type FiguresOf = (storeId: number) => StoreFigures

/** Those of a store that is not there are unknown. */
export const figuresIn =
  (figures: ReadonlyMap<number, StoreFigures>): FiguresOf =>
  (storeId) =>
    figures.get(storeId) ?? unknown
