/** Queries the index with codes of names, so that names and stores are of one version of the catalog. */
import { Effect } from "effect"
import type { UnknownName } from "../../domain/search/Warnings.ts"
import { InvalidArguments } from "../../domain/ToolError.ts"
import type { ServiceUnavailable } from "../../domain/ToolError.ts"
import * as Names from "./Names.ts"
import type { Published } from "./runtime/IndexState.ts"

export interface Question<Query, Answer, E> {
  /** The arguments that contain names. */
  readonly names: Names.SentNames
  readonly query: (names: Names.Names, published: Published) => Query
  readonly ask: (query: Query) => Effect.Effect<Answer, E>
}

/** A bound on waiting for a vocabulary that changes faster than searches run. */
const maxAttempts = 3

/**
 * If another list was searched meanwhile, its names must give the same codes. `unknown` are the names that match nothing in the
 * list that was searched.
 */
export const answer = Effect.fnUntraced(function* <Query, Answer extends { readonly published: Published }, E>(
  current: Effect.Effect<Published, ServiceUnavailable>,
  { ask, names, query }: Question<Query, Answer, E>
): Effect.fn.Return<
  Answer & { readonly unknown: ReadonlyArray<UnknownName> },
  InvalidArguments | ServiceUnavailable | E
> {
  let published = yield* current
  for (let attempt = 1; ; attempt++) {
    const codes = Names.of(published)
    const issues = yield* Names.unknownNames(names, codes)
    if (issues.length > 0) return yield* InvalidArguments.fromIssues(issues, Names.hint(issues))
    const asked = query(codes, published)
    const answer = yield* ask(asked)
    const newerCodes = Names.of(answer.published)
    const isSame = () => JSON.stringify(query(newerCodes, answer.published)) === JSON.stringify(asked)
    if (answer.published === published || attempt === maxAttempts || isSame()) {
      return { ...answer, unknown: Names.unmatched(names, newerCodes) }
    }
    published = answer.published
  }
})
