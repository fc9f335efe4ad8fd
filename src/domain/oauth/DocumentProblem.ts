/**
 * What is wrong with a client metadata document, or with the answer of its server (R49, R50): as data, which a page writes in
 * the visitor's language, and as an English text for the log. It quotes nothing of the document.
 */
import { Schema } from "effect"
import { english } from "../Messages.ts"
import type { Messages } from "../Messages.ts"

export const DocumentProblem = Schema.Union([
  Schema.Struct({ code: Schema.Literal("status"), status: Schema.String }),
  Schema.Struct({ code: Schema.Literal("too_large"), bytes: Schema.Int }),
  /** The names of members that are missing or wrong. */
  Schema.Struct({ code: Schema.Literal("members"), members: Schema.String }),
  Schema.Struct({
    code: Schema.Literals([
      "media_type",
      "encoding",
      "not_utf8",
      "not_object",
      "repeated_member",
      "secret",
      "other_client_id",
      "auth_method",
      "unseen_name"
    ])
  })
])
export type DocumentProblem = typeof DocumentProblem.Type

/** The end of a sentence about the document, in the language of the messages. */
export const textOf = ({ code, ...params }: DocumentProblem, { text }: Pick<Messages, "text">): string =>
  text(`consent.problem.${code}`, params)

export const englishOf = (problem: DocumentProblem): string => textOf(problem, english)
