/** What stores are grouped by, as SQL: spellings of one name are one group, by the spelling that is its first. */
import type { Code, Grouping, SpellingKind } from "../../../domain/search/CatalogQuery.ts"
import type { Spellings } from "../index/IndexedRecords.ts"
import { codeColumn } from "./Conditions.ts"
import type { Draft } from "./Conditions.ts"

/** The spellings that are not the first of their name, and those that are, side by side. */
const respelled = ({ leaders, names }: Spellings[SpellingKind]) => {
  const others = names.flatMap((name, at) => {
    const leader = leaders[at + 1] ?? 0
    return leader === at + 1 ? [] : [{ name, first: names[leader - 1] ?? name }]
  })
  return { from: others.map(({ name }) => name), to: others.map(({ first }) => first) }
}

/** The first spelling of the name that an expression has. */
const firstSpelling = ({ parameters, spellings }: Draft, kind: SpellingKind): ((spelling: string) => string) => {
  const { from, to } = respelled(spellings[kind])
  if (from.length === 0) return (spelling) => spelling
  const [all, firsts] = [parameters.add("Array(String)", from), parameters.add("Array(String)", to)]
  return (spelling) => `transform(${spelling}, ${all}, ${firsts}, ${spelling})`
}

/** The apps of a store, each name once. */
export const appNames = (draft: Draft): string =>
  `arrayDistinct(arrayMap(app -> ${firstSpelling(draft, "app")("toString(app)")}, apps))`

export const bits = (mask: string): string => `arrayMap(bit -> toUInt32(bit), bitPositionsToArray(${mask}))`

/** The group of a code, 0 or empty for none. */
export const groupOfCode = (
  draft: Draft,
  column: Code,
  groups?: Uint32Array
): { readonly isNamed: boolean; readonly sql: string } => {
  const { isNamed, sql } = codeColumn(column)
  if (groups === undefined) {
    return { isNamed, sql: column === "theme" || column === "extension" ? firstSpelling(draft, column)(sql) : sql }
  }
  const { parameters, spellings } = draft
  const codes = Array.from(groups.keys()).filter((code) => groups[code] !== 0)
  const to = parameters.add(
    "Array(UInt32)",
    codes.map((code) => groups[code] ?? 0)
  )
  const from =
    column === "theme" || column === "extension"
      ? parameters.add(
          "Array(String)",
          codes.map((code) => spellings[column].names[code - 1] ?? "")
        )
      : parameters.add("Array(UInt32)", codes)
  return { isNamed: false, sql: `transform(${sql}, ${from}, ${to}, toUInt32(0))` }
}

/** All groups of a store, as an array. */
export const groupsOf = (draft: Draft, grouping: Grouping): { readonly isNamed: boolean; readonly sql: string } => {
  switch (grouping._tag) {
    case "Mask":
      return { isNamed: false, sql: bits(grouping.column) }
    case "App":
      return { isNamed: true, sql: appNames(draft) }
    case "Code": {
      const { isNamed, sql } = groupOfCode(draft, grouping.column, grouping.groups)
      return { isNamed, sql: `arrayFilter(code -> code != ${isNamed ? "''" : "0"}, [${sql}])` }
    }
  }
}

/** The number of a group that a row tells as text: of a name, the id of its first spelling. */
export const readGroup = ({ spellings }: Pick<Draft, "spellings">, grouping: Grouping, text: string): number => {
  const kind = kindOf(grouping)
  return kind === undefined ? Number(text) : spellings[kind].intern(text)
}

/** The inverse of {@link readGroup}. */
export const nameOfGroup = ({ spellings }: Pick<Draft, "spellings">, grouping: Grouping, group: number): string => {
  const kind = kindOf(grouping)
  return kind === undefined ? String(group) : (spellings[kind].names[group - 1] ?? "")
}

const kindOf = (grouping: Grouping): SpellingKind | undefined => {
  if (grouping._tag === "App") return "app"
  if (grouping._tag === "Mask" || grouping.groups !== undefined) return undefined
  return grouping.column === "theme" || grouping.column === "extension" ? grouping.column : undefined
}
