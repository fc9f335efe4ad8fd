/** From a schema's issue tree to what the caller reads: every issue, its path, and the nearest right value. */
import type { SchemaAST } from "effect"
import { Result, Schema, SchemaIssue } from "effect"
import * as ArgumentBounds from "./ArgumentBounds.ts"
import { nearest } from "./search/Nearest.ts"
import type { ArgumentIssue } from "./ToolError.ts"

/** More issues than this help nobody and would only make the answer large. */
const maxIssues = 50

/** Names and values of the caller are repeated in messages; longer ones are cut. */
const maxEchoed = 60

/** Looking for the nearest right value is the dearest part: the first few issues teach how to mend the others. */
const maxSuggestions = 5

export interface DecoderOptions {
  /** Unknown names are errors, unless others decide which names there are. */
  readonly unknownNames?: "error" | "ignore"
}

/** A decoder of records, prepared once, that reports all issues at once. How large a record may be is for its reader to say. */
export const decoder = <S extends Schema.ConstraintDecoder<unknown>>(
  schema: S,
  { unknownNames = "error" }: DecoderOptions = {}
) => {
  const decode = Schema.decodeUnknownResult(schema, {
    errors: "all",
    onExcessProperty: unknownNames,
    reportInput: true
  })
  return (input: unknown): Result.Result<S["Type"], ReadonlyArray<ArgumentIssue>> =>
    Result.mapError(decode(input), ({ issue }) => new Issues("field").of([], issue))
}

export interface DecodedArguments<A> {
  /** As they were sent, cut to what the schema can take. */
  readonly args: Readonly<Record<string, unknown>>
  readonly result: Result.Result<A, ReadonlyArray<ArgumentIssue>>
}

/** A decoder of what callers send, prepared once: as {@link decoder}, and bounded in the work that it does. */
export const argumentDecoder = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  const bound = ArgumentBounds.make(schema, maxIssues)
  const decode = Schema.decodeUnknownResult(schema, { errors: "all", reportInput: true })
  return (input: Readonly<Record<string, unknown>>): DecodedArguments<S["Type"]> => {
    const { args, excess } = bound(input)
    const decoded = decode(args)
    if (Result.isSuccess(decoded) && excess.length === 0) return { args, result: Result.succeed(decoded.success) }
    const issues = new Issues("argument").of(excess, Result.isFailure(decoded) ? decoded.failure.issue : undefined)
    return { args, result: Result.fail(issues) }
  }
}

type Path = ReadonlyArray<PropertyKey>

/** Takes {@link maxIssues}, and does no work for more. */
class Issues {
  readonly #all: Array<ArgumentIssue> = []
  /** What a name at the top is called. */
  readonly #noun: "argument" | "field"
  #suggestions = 0

  constructor(noun: "argument" | "field") {
    this.#noun = noun
  }

  of(excess: ReadonlyArray<ArgumentBounds.Excess>, issue: SchemaIssue.Issue | undefined): ReadonlyArray<ArgumentIssue> {
    for (const { path, problem } of excess) {
      this.#push(path, () =>
        problem._tag === "TooMany" ? `must be ${problem.expected}` : this.#unknownName(path, problem.known)
      )
    }
    if (issue !== undefined) this.#add(issue, [])
    return this.#all
  }

  #add(issue: SchemaIssue.Issue, path: Path): void {
    if (this.#all.length >= maxIssues) return
    switch (issue._tag) {
      case "Pointer":
        return this.#add(issue.issue, [...path, ...issue.path])
      case "Composite":
        for (const inner of issue.issues) this.#add(inner, path)
        return
      case "Filter":
        if (issue.issue._tag !== "InvalidValue") return this.#add(issue.issue, path)
        return this.#push(path, () => SchemaIssue.defaultCheckHook(issue) ?? expected(issue.filter.annotations))
      case "Encoding":
        return this.#add(issue.issue, path)
      case "UnexpectedKey":
        return this.#push(path, () => this.#unknownName(path, namesOf(issue.ast)))
      case "AnyOf": {
        // A member that took the value but refused its content says more than the list of the members.
        const content = issue.issues.filter((inner) => inner._tag !== "InvalidType")
        for (const inner of content) this.#add(inner, path)
        return content.length > 0 ? undefined : this.#push(path, () => this.#wrongType(issue))
      }
      case "InvalidType":
        return this.#push(path, () => this.#wrongType(issue))
      case "MissingKey":
        return this.#push(path, () => "is required")
      default:
        return this.#push(path, () => SchemaIssue.defaultLeafHook(issue))
    }
  }

  #push(path: Path, message: () => string): void {
    if (this.#all.length < maxIssues) this.#all.push(at(path, message()))
  }

  #unknownName(path: Path, known: ReadonlyArray<string>): string {
    return `is not a known ${this.#noun}${this.#suggestion(String(path.at(-1)), known)}`
  }

  #wrongType(issue: SchemaIssue.AnyOf | SchemaIssue.InvalidType): string {
    const input = SchemaIssue.hasInput(issue) ? issue.input : undefined
    const values = literals(issue.ast)
    if (values.length === 0) return `must be ${typeName(issue.ast)}`
    const list = values.map((value) => `\`${value}\``).join(", ")
    return typeof input === "string"
      ? `\`${echo(input)}\` is not one of the allowed values${this.#suggestion(input, values) || `: ${list}`}`
      : `must be one of ${list}`
  }

  #suggestion(text: string, candidates: ReadonlyArray<string>): string {
    if (this.#suggestions++ >= maxSuggestions) return ""
    const found = nearest(text, candidates, Math.max(2, Math.ceil(text.length / 3)))
    return found === undefined ? "" : `; did you mean \`${found}\`?`
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

const namesOf = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  ast._tag === "Objects" ? ast.propertySignatures.map(({ name }) => String(name)) : []

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

/** Text of the caller as a message repeats it: cut, and without what is invisible. */
export const echo = (text: string): string => {
  const clean = text.slice(0, 4 * maxEchoed).replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]/gu, "")
  const characters = Array.from(clean)
  return characters.length <= maxEchoed && text.length <= 4 * maxEchoed
    ? clean
    : `${characters.slice(0, maxEchoed).join("")}…`
}
