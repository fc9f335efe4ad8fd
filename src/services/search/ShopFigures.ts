/** Figures of stores in answers, from the values by which the catalog is searched, so that they agree with the order of the results. */
import { numberFigures, storeFigures } from "../../domain/catalog/Figures.ts"
import type { FigureAnswer, NumberFigure } from "../../domain/catalog/Figures.ts"
import type { Mover } from "../../domain/catalog/Movers.ts"
import { twoDecimals } from "../../domain/catalog/TwoDecimals.ts"
import type { StoreValues } from "../../domain/search/CatalogAnswer.ts"

type Answer = FigureAnswer<NumberFigure>

/** As answers have them: unknown figures are `null`, and those that are computed have two decimals. */
type StoreFigures = Readonly<Record<Answer, number | null>> & { readonly active_ads: number }

/** Days are shown as the store's row has them. */
const all = numberFigures.map((figure) => ({ figure, ...storeFigures[figure] }))

const orNull = (value: number): number | null => (Number.isNaN(value) ? null : value)

/** Returns a function that reads these figures of a store, in the form of answers. It reads no others, because each is in another column. */
export const shown = <A extends Answer>(
  answers: ReadonlyArray<A>
): ((valueOf: StoreValues) => Pick<StoreFigures, A>) => {
  const figures = all.filter(({ answer }) => answers.some((wanted) => wanted === answer))
  const unknown = Object.fromEntries(figures.map(({ answer }) => [answer, answer === "active_ads" ? 0 : null]))
  return (valueOf) => {
    const values: Record<string, number | null> = { ...unknown }
    for (const { answer, figure, isRounded } of figures) {
      const value = valueOf(figure)
      if (!Number.isNaN(value)) values[answer] = isRounded ? twoDecimals(value) : value
    }
    // It has the keys of `unknown`, which are these.
    return values as Pick<StoreFigures, A>
  }
}

export const allShown = shown(all.map(({ answer }) => answer))

export type FiguresOf = (storeId: number) => StoreValues

const unknown: StoreValues = () => Number.NaN

/** Those of a store that is not there are unknown. */
export const figuresIn =
  (figures: ReadonlyMap<number, StoreValues>): FiguresOf =>
  (storeId) =>
    figures.get(storeId) ?? unknown

/** In an order by a change. */
export const changeIn = (valueOf: StoreValues, mover: Mover | undefined): { readonly change?: number | null } =>
  mover === undefined ? {} : { change: orNull(valueOf(mover)) }
