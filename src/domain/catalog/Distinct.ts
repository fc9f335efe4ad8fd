/** The distinct texts of a list. A `Set` enters each into the engine's table of texts, which takes longer than comparing a few. */

const few = 12

/** The list itself if no text occurs twice. */
export const distinct = <A>(items: ReadonlyArray<A>): ReadonlyArray<A> =>
  items.length <= few && items.every((item, at) => items.indexOf(item) === at) ? items : Array.from(new Set(items))
