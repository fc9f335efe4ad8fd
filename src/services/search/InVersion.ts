/** Queries the catalog with codes of names, so that names and stores are of one version of the catalog. */
import { Effect } from "effect"
import type { UnknownName } from "../../domain/search/Warnings.ts"
import { InvalidArguments } from "../../domain/ToolError.ts"
import type { ServiceUnavailable } from "../../domain/ToolError.ts"
import * as Names from "./Names.ts"
import type { Catalog } from "../../domain/search/CatalogAnswer.ts"

export interface Question<Query, Answer, E> {
  /** The arguments that contain names. */
  readonly names: Names.SentNames
  readonly query: (names: Names.Names, catalog: Catalog) => Query
  readonly ask: (query: Query) => Effect.Effect<Answer, E>
}

/** A bound on waiting for a vocabulary that changes faster than searches run. */
const maxAttempts = 3

/**
 * If another version was searched meanwhile, its names must give the same codes. `unknown` are the names that match nothing in the
 * version that was searched.
 */
export const answer = Effect.fnUntraced(function* <Query, Answer extends { readonly catalog: Catalog }, E>(
  current: Effect.Effect<Catalog, ServiceUnavailable>,
  { ask, names, query }: Question<Query, Answer, E>
): Effect.fn.Return<
  Answer & { readonly unknown: ReadonlyArray<UnknownName> },
  InvalidArguments | ServiceUnavailable | E
> {
  let catalog = yield* current
  for (let attempt = 1; ; attempt++) {
    const codes = Names.of(catalog)
    const issues = yield* Names.unknownNames(names, codes)
    if (issues.length > 0) return yield* InvalidArguments.fromIssues(issues, Names.hint(issues))
    const asked = query(codes, catalog)
    const answer = yield* ask(asked)
    const newerCodes = Names.of(answer.catalog)
    const isSame = () => JSON.stringify(query(newerCodes, answer.catalog)) === JSON.stringify(asked)
    if (answer.catalog === catalog || attempt === maxAttempts || isSame()) {
      return { ...answer, unknown: Names.unmatched(names, newerCodes) }
    }
    catalog = answer.catalog
  }
})
