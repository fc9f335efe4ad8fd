/** What texts cost agents: tokens of o200k, the encoding of OpenAI's models; others differ by some percent. */
import { countTokens } from "gpt-tokenizer/encoding/o200k_base"

export const of = (text: string): number => countTokens(text)

export const sum = (counts: ReadonlyArray<number>): number => counts.reduce((total, count) => total + count, 0)

/** Of ten compact results (D69). */
export const compactBudgets = { search_ads: 1_000, search_products: 950, search_shops: 750 } as const

interface Definition {
  readonly name: string
  readonly description: string
  readonly inputSchema: unknown
  readonly outputSchema?: unknown
}

/** What every client shows its model, and what only some do. */
export const ofDefinitions = (definitions: ReadonlyArray<Definition>) =>
  definitions.map(({ description, inputSchema, name, outputSchema }) => ({
    name,
    input: of(JSON.stringify({ name, description, inputSchema })),
    output: outputSchema === undefined ? 0 : of(JSON.stringify(outputSchema))
  }))
