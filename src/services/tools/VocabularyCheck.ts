/** Reports unknown niches and themes of a search, together with all other issues of its arguments (S80, D28). */
import { Effect } from "effect"
import type { ArgumentIssue } from "../../domain/ArgumentIssue.ts"
import { hint } from "../search/Names.ts"
import { Vocabulary } from "../search/Vocabulary.ts"
import type { Check, RawArguments } from "./ToolDefinition.ts"

/** `conflicts` finds issues between arguments, without a look-up. */
export const make = (conflicts: (raw: RawArguments) => ReadonlyArray<ArgumentIssue> = () => []) =>
  Effect.map(Vocabulary, (vocabulary): Check => (raw) => {
    const issues = conflicts(raw)
    if (raw["niches"] === undefined && raw["themes"] === undefined) return Effect.succeed({ issues })
    return Effect.map(vocabulary.issues(raw), (unknown) =>
      unknown.length === 0 ? { issues } : { issues: [...issues, ...unknown], hint: hint(unknown) }
    )
  })
