/** Builds segments of stores from their records, and estimates the memory that this needs. */
import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { SegmentBuilder } from "../index/Build.ts"
import type { Spellings } from "../index/IndexedRecords.ts"
import type { SegmentView } from "../index/Segment.ts"
import type { CatalogView, Page, Sizes } from "./CatalogReader.ts"
import { basesFor, defaultLimits } from "./MergePolicy.ts"

/** The machine has too little memory for the index of this catalog. */
export class NotEnoughMemory extends Schema.TaggedError<NotEnoughMemory>()("NotEnoughMemory", {
  message: Schema.String
}) {}

/** Bytes of a row, measured with texts in twelve languages, and the additional factor of a running build. */
const storeBytes = 600
const productBytes = 90
const adBytes = 160
const whileBuilding = 2.5

const neededBytes = ({ ads, products, stores }: Sizes): number =>
  whileBuilding * (stores * storeBytes + products * productBytes + ads * adBytes)

const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`

/** Fails if the index of the whole catalog needs more than the available bytes. */
export const needMemory = (sizes: Sizes, available: number): Effect.Effect<void, NotEnoughMemory> => {
  const needed = neededBytes(sizes)
  return needed <= available
    ? Effect.void
    : Effect.fail(
        new NotEnoughMemory({
          message:
            `The search index of ${sizes.stores} stores, ${sizes.products} products and ${sizes.ads} ads needs about ` +
            `${gigabytes(needed)} of memory while it is built, and ${gigabytes(available)} are available.`
        })
      )
}

/** Limit of items in one segment, so that a change of the whole catalog is processed in parts. */
const maxItems = 8_000_000

/**
 * Builds segments of bounded size for these stores, in the order of ids. They are of equal size if it is known how many stores
 * `all` are.
 */
export const buildSegments = Effect.fnUntraced(function* (
  view: CatalogView,
  ids: "all" | ReadonlyArray<number>,
  spellings: Spellings,
  options: {
    readonly stores?: number
    readonly onRows?: (rows: number) => Effect.Effect<void>
  } = {}
): Effect.fn.Return<ReadonlyArray<SegmentView>, SqlError.SqlError> {
  const { onRows = () => Effect.void, stores = ids === "all" ? 0 : ids.length } = options
  const bases = basesFor(stores, defaultLimits)
  const maxStores = bases === 1 ? defaultLimits.maxStoresOfBase : Math.ceil(stores / bases)
  const segments: Array<SegmentView> = []
  let builder = new SegmentBuilder(spellings)
  const finish = () => {
    if (!builder.isEmpty) segments.push(builder.finish())
    builder = new SegmentBuilder(spellings)
  }
  const add = (page: Page) => {
    let rows = 0
    for (const content of page.pseudoStores) {
      builder.addPseudoStore(content)
      rows += content.ads.length
    }
    for (const content of page.stores) {
      builder.addStore(content)
      rows += 1 + content.products.length + content.ads.length
    }
    if (builder.stores >= maxStores || builder.items >= maxItems) finish()
    return rows
  }
  yield* view.pages(ids, (page) => Effect.suspend(() => onRows(add(page))))
  finish()
  return segments
})
