/** The metrics and labels that a PromQL expression names; enough for the expressions of this project. */

export interface Matcher {
  readonly label: string
  readonly operator: string
  readonly value: string
}

export interface Selector {
  readonly name: string
  readonly matchers: ReadonlyArray<Matcher>
}

export interface Named {
  readonly selectors: ReadonlyArray<Selector>
  /** Of `by`, `without`, `on` and `ignoring`. */
  readonly grouped: ReadonlyArray<string>
}

/** Aggregations too: their list of labels comes before their parenthesis. */
const keywords = new Set(
  "and or unless bool offset group_left group_right sum min max avg count topk quantile".split(" ")
)

/** A list of labels, a string, a range, a number with a unit, a name, or one other character. */
const token =
  /\b(?:by|without|on|ignoring)\s*\(([^)]*)\)|"(?:[^"\\]|\\.)*"|\[[^\]]*\]|\b\d[\w.]*|([a-zA-Z_:][\w:]*)\s*(\(|\{[^}]*\})?|\S/gu

export const read = (expression: string): Named => {
  const selectors: Array<Selector> = []
  const grouped: Array<string> = []
  for (const [, labels, name, after = ""] of expression.matchAll(token)) {
    if (labels !== undefined) grouped.push(...labels.split(",").map((label) => label.trim()))
    if (name === undefined || keywords.has(name) || after === "(") continue
    const matchers = Array.from(
      after.matchAll(/(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"/gu),
      ([, label = "", operator = "", value = ""]) => ({ label, operator, value })
    )
    selectors.push({ name, matchers })
  }
  return { selectors, grouped }
}
