/**
 * Reports unknown niches and themes of a search, together with all other issues of its arguments (S80, D28). For whole domains in
 * `domains`, which the schema refuses, the hint has the ids of the stores (D106).
 */
import { Effect } from "effect"
import type { ArgumentIssue } from "../../domain/ArgumentIssue.ts"
import * as Warnings from "../../domain/search/Warnings.ts"
import { hint } from "../search/Names.ts"
import { ShopReader } from "../search/ShopReader.ts"
import { Vocabulary } from "../search/Vocabulary.ts"
import { joined } from "./ToolDefinition.ts"
import type { Check, RawArguments } from "./ToolDefinition.ts"

const wholeDomains = ({ domains }: RawArguments): ReadonlyArray<string> =>
  Array.isArray(domains)
    ? domains.filter((domain): domain is string => typeof domain === "string" && !domain.trim().startsWith("."))
    : []

/** `conflicts` finds issues between arguments, without a look-up. */
export const make = (conflicts: (raw: RawArguments) => ReadonlyArray<ArgumentIssue> = () => []) =>
  Effect.gen(function* () {
    const vocabulary = yield* Vocabulary
    const shops = yield* ShopReader

    const check: Check = (raw) => {
      const issues = conflicts(raw)
      const addresses = Warnings.addresses(wholeDomains(raw))
      const hasNames = raw["niches"] !== undefined || raw["themes"] !== undefined
      // Most searches have nothing to look up.
      if (!hasNames && addresses.length === 0) return Effect.succeed({ issues })
      return Effect.gen(function* () {
        const unknown = hasNames ? yield* vocabulary.issues(raw) : []
        const stores = yield* Effect.orElseSucceed(shops.at(addresses), () => [])
        return joined([
          { issues: [...issues, ...unknown], ...(unknown.length === 0 ? {} : { hints: [hint(unknown)] }) },
          { issues: [], ...(stores.length === 0 ? {} : { hints: [Warnings.byId(stores)] }) }
        ])
      })
    }
    return check
  })
