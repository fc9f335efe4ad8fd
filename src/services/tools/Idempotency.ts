/** Idempotency keys: a repeated call with the same key is not charged again (D16). */
import { Result } from "effect"
import { hash } from "node:crypto"
import { isIdempotencyKey, keyPath, metaKey } from "../../domain/access/IdempotencyKey.ts"
import { issueAt } from "../../domain/ArgumentIssue.ts"
import type { ArgumentIssue } from "../../domain/ArgumentIssue.ts"
import type { RawArguments } from "./ToolDefinition.ts"

/** The key in `_meta` of a call. */
export const keyOf = (
  meta: Readonly<Record<string, unknown>> | undefined
): Result.Result<string | undefined, ArgumentIssue> => {
  const key = meta?.[metaKey] ?? undefined
  return key === undefined || isIdempotencyKey(key)
    ? Result.succeed(key)
    : Result.fail(issueAt(keyPath, "bad_idempotency_key"))
}

/** Identifies a call by its tool and arguments. Only for decoded arguments, whose nesting is bounded. */
export const fingerprint = (tool: string, args: RawArguments): string =>
  hash("sha256", `${tool}\n${canonical(args)}`, "hex")

/** JSON with sorted keys and without `null` members: neither changes a call. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(
          Object.entries(inner)
            .filter(([, member]) => member !== null)
            .sort(([a], [b]) => (a < b ? -1 : 1))
        )
      : inner
  )
