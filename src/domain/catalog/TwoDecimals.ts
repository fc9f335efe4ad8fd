/**
 * Figures that are computed, such as the growth score and the average price, are shown with two decimals and stored as
 * they are (D91). A bound of a filter that has two decimals itself, as a shown figure has, is compared with what is
 * shown, so that a store is found by the figure that an answer gave. Any other bound is compared with what is stored.
 */
interface Range {
  readonly min?: number
  readonly max?: number
}

/** Rounded to two decimals; never negative zero. Does not decrease when the value increases. */
export const twoDecimals = (value: number): number => Number(value.toFixed(2)) + 0

const isShown = (bound: number): boolean => twoDecimals(bound) === bound

/** The last number between `inside` and `outside` that is still `isInside`; where they are adjacent, `inside`. */
const lastInside = (inside: number, outside: number, isInside: (value: number) => boolean): number => {
  let [within, beyond] = [inside, outside]
  for (;;) {
    const middle = within + (beyond - within) / 2
    if (middle === within || middle === beyond) return within
    if (isInside(middle)) within = middle
    else beyond = middle
  }
}

/** More than a shown figure differs from the stored one. */
const most = 0.01

/** The bounds of the stored figures whose shown ones are in the range. */
export const storedBounds = ({ max, min }: Range): Range => ({
  ...(min === undefined
    ? {}
    : { min: isShown(min) ? lastInside(min, min - most, (value) => twoDecimals(value) >= min) : min }),
  ...(max === undefined
    ? {}
    : { max: isShown(max) ? lastInside(max, max + most, (value) => twoDecimals(value) <= max) : max })
})
