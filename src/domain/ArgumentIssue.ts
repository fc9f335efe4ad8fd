/** What is wrong with an argument or with a field of a record, as data; the words are in `locales/*.json`. */
import { Schema, SchemaIssue } from "effect"
import { catalogs, english } from "./Messages.ts"
import type { MessageKey, Messages, Params } from "./Messages.ts"

/** Every message `issue.*` is one: a code without a text does not compile. */
export type IssueCode = MessageKey extends infer Key ? (Key extends `issue.${infer Code}` ? Code : never) : never

export interface Problem {
  readonly code: IssueCode
  /** What the text repeats; `suggestion` is what was probably meant. */
  readonly params: Params
}

/** One thing that is wrong. `path` is dotted, such as `monthly_revenue.min` or `ctas.0`; "" is the whole object. */
export interface ArgumentIssue extends Problem {
  readonly path: string
}

const isCode = (text: string): text is IssueCode => Object.hasOwn(catalogs.en, `issue.${text}`)

export const ArgumentIssue = Schema.Struct({
  code: Schema.String.pipe(Schema.refine(isCode)),
  path: Schema.String,
  params: Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Finite]))
})

export const problem = (code: IssueCode, params: Params = {}): Problem => ({ code, params })

export const issueAt = (path: string, code: IssueCode, params: Params = {}): ArgumentIssue => ({ code, path, params })

declare module "effect/Schema" {
  namespace Annotations {
    interface Annotations {
      /** Of a check, or of an issue that a check makes: what is wrong with a value that does not pass. */
      readonly problem?: Problem | undefined
    }
  }
}

/** What a check of a schema answers to a value that does not pass. */
export const refused = (code: IssueCode, params: Params = {}): SchemaIssue.Issue =>
  new SchemaIssue.InvalidValue({ problem: problem(code, params) })

/** In the language of the messages. */
export const textOf = ({ code, params }: Problem, { text }: Messages): string => {
  const said = text(`issue.${code}`, params)
  return params["suggestion"] === undefined
    ? said
    : text("didYouMean", { problem: said, suggestion: params["suggestion"] })
}

export const englishOf = (problem: Problem): string => textOf(problem, english)
