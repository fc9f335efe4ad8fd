/** Issues with an argument or a field of a record, as data. Their texts are in `locales/*.json`. */
import { Schema, SchemaIssue } from "effect"
import { catalogs, english } from "./Messages.ts"
import type { MessageKey, Messages, Params } from "./Messages.ts"

/** Every key `issue.*` is a code: a code without a text does not compile. */
export type IssueCode = MessageKey extends infer Key ? (Key extends `issue.${infer Code}` ? Code : never) : never

export interface Problem {
  readonly code: IssueCode
  /** Parameters of the text; `suggestion` is the value that was probably meant. */
  readonly params: Params
}

/** One issue. `path` is dotted, such as `monthly_revenue.min` or `ctas.0`; "" is the whole object. */
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
      /** The problem of a check, or of an issue that a check creates. */
      readonly problem?: Problem | undefined
      /** The member of a closed vocabulary that a text which is none means. */
      readonly meant?: ((text: string) => string | undefined) | undefined
    }
  }
}

/** The result of a schema's check for a value that fails. */
export const refused = (code: IssueCode, params: Params = {}): SchemaIssue.Issue =>
  new SchemaIssue.InvalidValue({ problem: problem(code, params) })

/** The text in the language of the messages. */
export const textOf = ({ code, params }: Problem, { text }: Messages): string => {
  const sentence = text(`issue.${code}`, params)
  return params["suggestion"] === undefined
    ? sentence
    : text("didYouMean", { problem: sentence, suggestion: params["suggestion"] })
}

export const englishOf = (problem: Problem): string => textOf(problem, english)

/** For messages about several: each after its path. */
export const listOf = (issues: ReadonlyArray<ArgumentIssue>): string =>
  issues.map((issue) => `${issue.path} ${englishOf(issue)}`.trim()).join("; ")
