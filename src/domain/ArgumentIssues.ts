/** From a schema's issue tree to what the caller reads: every issue, its path, and the nearest right value. */
import type { SchemaAST } from "effect"
import { Result, Schema, SchemaIssue } from "effect"
import { nearest } from "./search/Nearest.ts"
import type { ArgumentIssue } from "./ToolError.ts"

/** More issues than this help nobody and would only make the answer large. */
const maxIssues = 50

/** Names and values of the caller are repeated in messages; longer ones are cut. */
const maxEchoed = 60

export interface DecoderOptions {
  /** What a name at the top is called. */
  readonly noun?: "argument" | "field"
  /** Unknown names are errors, unless others decide which names there are. */
  readonly unknownNames?: "error" | "ignore"
}

/** A decoder, prepared once, that reports all issues at once. */
export const decoder = <S extends Schema.ConstraintDecoder<unknown>>(
  schema: S,
  { noun = "argument", unknownNames = "error" }: DecoderOptions = {}
) => {
  const decode = Schema.decodeUnknownResult(schema, {
    errors: "all",
    onExcessProperty: unknownNames,
    reportInput: true
  })
  return (input: unknown): Result.Result<S["Type"], ReadonlyArray<ArgumentIssue>> =>
    Result.mapError(decode(input), (error) => flatten(error.issue, [], noun).slice(0, maxIssues))
}

type Path = ReadonlyArray<PropertyKey>

const flatten = (issue: SchemaIssue.Issue, path: Path, noun: string): ReadonlyArray<ArgumentIssue> => {
  switch (issue._tag) {
    case "Pointer":
      return flatten(issue.issue, [...path, ...issue.path], noun)
    case "Composite":
      return issue.issues.flatMap((inner) => flatten(inner, path, noun))
    case "Filter":
      return issue.issue._tag === "InvalidValue"
        ? [at(path, SchemaIssue.defaultCheckHook(issue) ?? expected(issue.filter.annotations))]
        : flatten(issue.issue, path, noun)
    case "Encoding":
      return flatten(issue.issue, path, noun)
    case "UnexpectedKey":
      return [at(path, unknownName(path, issue.ast, noun))]
    case "AnyOf": {
      // A member that took the value but refused its content says more than the list of the members.
      const content = issue.issues.filter((inner) => inner._tag !== "InvalidType")
      return content.length > 0
        ? content.flatMap((inner) => flatten(inner, path, noun))
        : [at(path, wrongType(issue.ast, SchemaIssue.hasInput(issue) ? issue.input : undefined))]
    }
    case "InvalidType":
      return [at(path, wrongType(issue.ast, SchemaIssue.hasInput(issue) ? issue.input : undefined))]
    case "MissingKey":
      return [at(path, "is required")]
    default:
      return [at(path, SchemaIssue.defaultLeafHook(issue))]
  }
}

const at = (path: Path, message: string): ArgumentIssue => ({
  path: path.map((key) => echo(String(key))).join("."),
  message
})

const expected = (annotations: Schema.Annotations.Filter | undefined): string =>
  typeof annotations?.["expected"] === "string"
    ? `must be ${annotations["expected"].replaceAll("code points", "characters")}`
    : "is not valid"

const unknownName = (path: Path, ast: SchemaAST.AST, noun: string): string => {
  const names = ast._tag === "Objects" ? ast.propertySignatures.map((property) => String(property.name)) : []
  return `is not a known ${noun}${suggestion(String(path.at(-1)), names)}`
}

const wrongType = (ast: SchemaAST.AST, input: unknown): string => {
  const values = literals(ast)
  if (values.length > 0) {
    const list = values.map((value) => `\`${value}\``).join(", ")
    return typeof input === "string"
      ? `\`${echo(input)}\` is not one of the allowed values${suggestion(input, values) || `: ${list}`}`
      : `must be one of ${list}`
  }
  return `must be ${typeName(ast)}`
}

const literals = (ast: SchemaAST.AST): ReadonlyArray<string> => {
  if (ast._tag === "Literal") return [String(ast.literal)]
  return ast._tag === "Union" && ast.types.every((type) => type._tag === "Literal") ? ast.types.flatMap(literals) : []
}

const typeName = (ast: SchemaAST.AST): string => {
  switch (ast._tag) {
    case "String":
      return "a string"
    case "Number":
      return "a number"
    case "Boolean":
      return "true or false"
    case "Arrays":
      return "an array"
    case "Objects":
      return "an object"
    case "Never":
      return "left out: there is no such argument"
    case "Union":
      return ast.types.map(typeName).join(" or ")
    default:
      return "of another type"
  }
}

const suggestion = (text: string, candidates: ReadonlyArray<string>): string => {
  const found = nearest(text, candidates, Math.max(2, Math.ceil(text.length / 3)))
  return found === undefined ? "" : `; did you mean \`${found}\`?`
}

const echo = (text: string): string => {
  const clean = text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]/gu, "")
  return clean.length <= maxEchoed ? clean : `${Array.from(clean).slice(0, maxEchoed).join("")}…`
}
