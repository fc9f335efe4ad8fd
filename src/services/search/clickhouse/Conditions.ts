/**
 * The conditions of a filter as SQL, for the rows of one table and one version of the catalog.
 *
 * Everything here runs within a shard: a store and its items are on one. {@link gather} is the only way from the shards to the
 * server that was asked, and what passes it is a page or counts.
 */
import { ctas, mediaTypes } from "../../../domain/catalog/Enumerations.ts"
import type {
  Code,
  Filter,
  ItemCondition,
  Range,
  SpellingKind,
  StoreCondition,
  Subject,
  StoreNumber
} from "../../../domain/search/CatalogQuery.ts"
import type { WantedWord } from "../../../domain/search/WantedWords.ts"
import { lastDay } from "../index/AdKey.ts"
import type { Spellings } from "../index/IndexedRecords.ts"
import { Parameters } from "./Parameters.ts"

/** Where rows are, and what the codes of a query mean. */
export interface Place {
  /** The tables of one generation, as they are on each shard. */
  readonly tables: Readonly<Record<Subject, string>>
  /** Its name in the configuration of ClickHouse; absent for one node. */
  readonly cluster?: string
  readonly version: number
  readonly spellings: Spellings
}

/** A statement that is being written. */
export interface Draft extends Place {
  readonly parameters: Parameters
}

export const draft = (place: Place): Draft => ({ ...place, parameters: new Parameters() })

/** The rows that each shard answers with. A view is sent as it is, so that nothing in it reaches for other shards. */
export const gather = ({ cluster }: Place, sql: string): string =>
  cluster === undefined ? `(${sql})` : `cluster('${cluster}', view(${sql}))`

export const figureColumn = (figure: StoreNumber): string => `figure_${figure}`

const all = (conditions: ReadonlyArray<string>): string => (conditions.length === 0 ? "1" : conditions.join(" AND "))
const any = (conditions: ReadonlyArray<string>): string =>
  conditions.length === 0 ? "0" : `(${conditions.map((condition) => `(${condition})`).join(" OR ")})`

/** A row of these conditions. */
export const select = (columns: string, table: string, conditions: ReadonlyArray<string>): string =>
  `SELECT ${columns} FROM ${table} WHERE ${all(conditions)}`

/** The row is of the version. */
export const live = ({ parameters, version }: Draft): string => {
  const asked = parameters.add("UInt32", version)
  return `from_version <= ${asked} AND until_version > ${asked}`
}

/** Bounds; NaN is in no range. */
const between = ({ parameters }: Draft, column: string, { max, min }: Range): ReadonlyArray<string> => [
  ...(min === Number.NEGATIVE_INFINITY ? [] : [`${column} >= ${parameters.add("Float64", min)}`]),
  ...(max === Number.POSITIVE_INFINITY ? [] : [`${column} <= ${parameters.add("Float64", max)}`]),
  `NOT isNaN(${column})`
]

const isNamed = (column: Code): column is Extract<Code, SpellingKind> => column === "theme" || column === "extension"

/** The spellings with these codes. */
export const namesOf = (
  { spellings }: Place,
  kind: SpellingKind,
  codes: ReadonlyArray<number>
): ReadonlyArray<string> => codes.flatMap((code) => spellings[kind].names[code - 1] ?? [])

/** The column of a code: its spelling, or its number. */
export const codeColumn = (column: Code): { readonly isNamed: boolean; readonly sql: string } => ({
  isNamed: isNamed(column),
  sql: isNamed(column) ? `toString(${column})` : column
})

export const storeCondition = (draft: Draft, condition: StoreCondition): string => {
  const { parameters } = draft
  switch (condition._tag) {
    case "AnyOf": {
      const { column, values } = condition
      return isNamed(column)
        ? `${column} IN ${parameters.add("Array(String)", namesOf(draft, column, values))}`
        : `${column} IN ${parameters.add("Array(UInt32)", values)}`
    }
    case "AnyBit":
      return `bitAnd(${condition.column}, ${parameters.add("UInt32", condition.mask >>> 0)}) != 0`
    case "AnyId":
      return `id IN ${parameters.add("Array(Int32)", condition.ids)}`
    case "AnyApp":
      return `hasAny(apps, ${parameters.add("Array(String)", namesOf(draft, "app", condition.values))})`
    case "Between":
      return all(between(draft, figureColumn(condition.column), condition.range))
  }
}

const wordCondition = ({ parameters }: Draft, word: WantedWord): string =>
  `hasAnyTokens(words, ${parameters.add("Array(String)", word)})`

/** The words of the filter, each of which is a token of the row. */
const wordConditions = (draft: Draft, { phrases, words }: Filter): ReadonlyArray<string> => [
  ...words.map((word) => wordCondition(draft, word)),
  ...(phrases === undefined
    ? []
    : [any(phrases.map((phrase) => all(phrase.map((word) => wordCondition(draft, word)))))])
]

const own = (draft: Draft, filter: Filter): ReadonlyArray<string> => [
  ...wordConditions(draft, filter),
  ...(filter.idAbove === undefined ? [] : [`id > ${draft.parameters.add("Int32", filter.idAbove)}`])
]

/** What a row of a store has to meet for a search of stores, besides being of the version. */
export const storeConditions = (draft: Draft, filter: Filter): ReadonlyArray<string> => [
  ...filter.stores.map((condition) => storeCondition(draft, condition)),
  ...own(draft, filter)
]

const dayMillis = 86_400_000

const itemConditions = (draft: Draft, item: ItemCondition | undefined): ReadonlyArray<string> => {
  const { parameters } = draft
  if (item === undefined) return []
  if (item._tag === "Product") {
    return [
      ...(item.price === undefined ? [] : between(draft, "price", item.price)),
      ...(item.created === undefined
        ? []
        : [
            `created >= ${parameters.add("Float64", item.created.from * dayMillis)}`,
            `created < ${parameters.add("Float64", (item.created.to + 1) * dayMillis)}`
          ])
    ]
  }
  const { criteria, firstDay: first, lastDay: last } = item
  const { ctas: labels, mediaTypes: media, partnershipOnly, runningOnly, status } = criteria
  const positions = (values: ReadonlyArray<number>) => parameters.add("Array(UInt32)", values)
  return [
    ...(status === "all" ? [] : [status === "active" ? "running = 1" : "running = 0"]),
    ...(runningOnly ? ["running = 1"] : []),
    ...(partnershipOnly ? ["partnership = 1"] : []),
    ...(media.length === 0 ? [] : [`media IN ${positions(media.map((type) => mediaTypes.indexOf(type)))}`]),
    ...(labels.length === 0 ? [] : [`cta IN ${positions(labels.map((label) => ctas.indexOf(label) + 1))}`]),
    ...(first > 0 ? [`started >= ${parameters.add("Int64", first)}`] : []),
    ...(last < lastDay ? [`started <= ${parameters.add("Int64", last)}`] : [])
  ]
}

/** Which items match. Those of matching stores are a set of the same shard. */
export const itemRows = (draft: Draft, filter: Filter, columns: string, more: ReadonlyArray<string> = []): string =>
  select(columns, draft.tables[filter.subject], [
    live(draft),
    ...itemConditions(draft, filter.item),
    ...own(draft, filter),
    ...(filter.isStoreless === true ? ["shop_id = 0"] : []),
    ...(filter.stores.length === 0
      ? []
      : [
          `shop_id IN (${storeRows(
            draft,
            filter.stores.map((condition) => storeCondition(draft, condition)),
            "id"
          )})`
        ]),
    ...more
  ])

/** Stores of the version that meet these conditions. */
export const storeRows = (draft: Draft, conditions: ReadonlyArray<string>, columns: string): string =>
  select(columns, draft.tables.stores, [live(draft), ...conditions])
