/** The warnings of an answer, as its field. */
import { Context, Effect } from "effect"
import * as Warnings from "../../domain/search/Warnings.ts"
import { ShopReader } from "../search/ShopReader.ts"
import { Vocabulary } from "../search/Vocabulary.ts"

/** How a warning is written: for agents, unless a page sets it to the visitor's language. */
export const Wording = Context.Reference<(warning: Warnings.Warning) => string>(
  "discovery/tools/SearchWarnings/Wording",
  { defaultValue: () => Warnings.english }
)

/** The stores at the addresses among the words of a search for ads that found none (D106). */
export const storesAt = Effect.map(
  ShopReader,
  (shops) =>
    ({ query = "", query_any: phrases = [] }: Warnings.Query, total: number) =>
      // An answer is not lost for a hint.
      total === 0
        ? Effect.orElseSucceed(shops.at(Warnings.addresses([query, ...phrases])), () => [])
        : Effect.succeed([])
)

/** Without warnings there is no field. `withoutEffect` finds the arguments of a query that do nothing. */
export const make = <Query extends Warnings.Query>(
  withoutEffect: (query: Query) => ReadonlyArray<Warnings.WithoutEffect> = () => []
) =>
  Effect.map(Vocabulary, (vocabulary) =>
    Effect.fnUntraced(function* (
      query: Query,
      findings: Warnings.Findings
    ): Effect.fn.Return<{ readonly warnings?: ReadonlyArray<string> }> {
      const near = new Map<Warnings.UnknownName, ReadonlyArray<string>>()
      for (const name of Warnings.named(findings.unknown)) near.set(name, yield* vocabulary.nearest(name))
      const warnings = Warnings.of(query, findings, (name) => near.get(name) ?? [], withoutEffect(query))
      const write = yield* Wording
      return warnings.length === 0 ? {} : { warnings: warnings.map(write) }
    })
  )
