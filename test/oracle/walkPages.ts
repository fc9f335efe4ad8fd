/** Requests all pages of a search and compares them with the naive answer. */
import { Effect } from "effect"
import { lastPage } from "../../src/domain/search/Page.ts"
import type { AdPagination, Pagination } from "../../src/domain/search/Page.ts"

export interface PageOf<Item> {
  readonly items: ReadonlyArray<Item>
  readonly pagination: Pagination | AdPagination
}

export interface Expected {
  /** Ids of everything that is paged over, in order. */
  readonly ids: ReadonlyArray<number>
  readonly total: number
  readonly mode?: "grouped_by_shop" | "flat"
}

/**
 * Returns what is wrong, or `undefined`. Checks the pagination (S28 to S30, D42) and the ids; the caller compares the
 * content of items.
 */
export const walkPages = Effect.fnUntraced(function* <Item extends { readonly id: number }, E, R>(
  perPage: number,
  expected: Expected,
  search: (page: number) => Effect.Effect<PageOf<Item>, E, R>,
  check: (item: Item) => string | undefined
) {
  const pages = Math.max(1, Math.min(lastPage, Math.ceil(expected.ids.length / perPage)))
  for (let page = 1; page <= pages; page++) {
    const { items, pagination } = yield* search(page)
    const wanted = {
      page,
      per_page: perPage,
      total: expected.total,
      has_more: page < lastPage && page * perPage < expected.ids.length,
      ...(expected.mode === undefined ? {} : { mode: expected.mode }),
      ...(expected.mode === "grouped_by_shop" ? { matching_shops: expected.ids.length } : {})
    }
    const ids = expected.ids.slice((page - 1) * perPage, page * perPage)
    const found = items.map((item) => item.id)
    for (const key of new Set([...Object.keys(wanted), ...Object.keys(pagination)])) {
      const [want, got] = [Reflect.get(wanted, key), Reflect.get(pagination, key)]
      if (want !== got) return `page ${page}: ${key} is ${String(got)}, not ${String(want)}`
    }
    if (found.join() !== ids.join()) return `page ${page}: items are ${found.join()}, not ${ids.join()}`
    for (const item of items) {
      const wrong = check(item)
      if (wrong !== undefined) return `page ${page}: ${wrong}`
    }
  }
  return undefined
})

/** Removes arguments while the case still fails, for a minimal failing case. */
export const shrink = Effect.fnUntraced(function* <E, R>(
  args: Record<string, unknown>,
  failure: (args: Record<string, unknown>) => Effect.Effect<string | undefined, E, R>
) {
  let smallest = args
  for (const name of Object.keys(args)) {
    const { [name]: _, ...fewer } = smallest
    if ((yield* failure(fewer)) !== undefined) smallest = fewer
  }
  return smallest
})
