/** Unknown niches and themes in a search's arguments, told together with whatever else is wrong. */
import { Effect } from "effect"
import type { ArgumentIssue } from "../../domain/ArgumentIssue.ts"
import type { Vocabulary } from "../search/Vocabulary.ts"
import type { Check, RawArguments } from "./ToolDefinition.ts"

const hint =
  'Call list_filter_options with kind "niches" or "themes" to get valid names; a part of the name as query narrows the list.'

/** `conflicts` are issues between arguments, which need no look-up. */
export const make =
  (
    vocabulary: Vocabulary["Service"],
    conflicts: (raw: RawArguments) => ReadonlyArray<ArgumentIssue> = () => []
  ): Check =>
  (raw) => {
    const own = conflicts(raw)
    if (raw["niches"] === undefined && raw["themes"] === undefined) return Effect.succeed({ issues: own })
    return Effect.map(vocabulary.issues(raw), (unknown) =>
      unknown.length === 0 ? { issues: own } : { issues: [...own, ...unknown], hint }
    )
  }
