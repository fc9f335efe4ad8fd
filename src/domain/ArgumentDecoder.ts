/** Converts a schema's issue tree to data (D26): every issue, its path, and the nearest allowed value. */
import type { SchemaAST } from "effect"
import { Predicate, Result, Schema, SchemaIssue } from "effect"
import * as ArgumentBounds from "./ArgumentBounds.ts"
import { issueAt, problem } from "./ArgumentIssue.ts"
import type { ArgumentIssue, IssueCode, Problem } from "./ArgumentIssue.ts"
import { argumentOf } from "./catalog/OtherNames.ts"
import type { Params } from "./Messages.ts"
import { nearest } from "./search/Nearest.ts"

/** More issues do not help, and make the answer large. */
const maxIssues = 50

/** Messages repeat names and values of the caller, cut to this length. */
const maxEchoed = 60

/** Names of a range or of the arguments of a small tool. More of them are in the tool's definition. */
const maxNames = 5

/** Finding the nearest allowed value is the most expensive step. A few suggestions are enough to correct the rest. */
const maxSuggestions = 5

export interface DecoderOptions {
  /** Unknown names are errors, unless the names are checked elsewhere. */
  readonly unknownNames?: "error" | "ignore"
}

/** A decoder of records, prepared once, that reports all issues at once. The caller limits the size of a record. */
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
    Result.mapError(decode(input), ({ issue }) => new Issues("unknown_field").of([], issue))
}

export interface DecodedArguments<A> {
  /** As sent, cut to what the schema accepts. */
  readonly args: Readonly<Record<string, unknown>>
  readonly result: Result.Result<A, ReadonlyArray<ArgumentIssue>>
}

/** A decoder of callers' arguments, prepared once: as {@link decoder}, with bounded work. */
export const argumentDecoder = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  const bound = ArgumentBounds.make(schema, maxIssues)
  const decode = Schema.decodeUnknownResult(schema, { errors: "all", reportInput: true })
  return (input: Readonly<Record<string, unknown>>): DecodedArguments<S["Type"]> => {
    const { args, excess } = bound(input)
    const decoded = decode(args)
    if (Result.isSuccess(decoded) && excess.length === 0) return { args, result: Result.succeed(decoded.success) }
    const issues = new Issues("unknown_argument").of(
      excess,
      Result.isFailure(decoded) ? decoded.failure.issue : undefined
    )
    return { args, result: Result.fail(issues) }
  }
}

type Path = ReadonlyArray<PropertyKey>

/** Accepts {@link maxIssues}; further ones cost nothing. */
class Issues {
  readonly #all: Array<ArgumentIssue> = []
  readonly #unknownName: IssueCode
  /** Paths of texts with control characters, of which nothing else is said. */
  readonly #control = new Set<string>()
  #suggestions = 0

  constructor(unknownName: IssueCode) {
    this.#unknownName = unknownName
  }

  of(excess: ReadonlyArray<ArgumentBounds.Excess>, issue: SchemaIssue.Issue | undefined): ReadonlyArray<ArgumentIssue> {
    for (const { path, reason } of excess) {
      this.#push(path, () => {
        switch (reason._tag) {
          case "TooMany":
            return problem("too_many", { most: reason.most })
          case "UnknownName":
            return this.#unknown(path, reason.known)
          case "Control":
            return problem("control_characters")
          case "Repeated":
            return problem("repeated_name", { name: echoName(reason.name) })
        }
      })
      if (reason._tag === "Control") this.#control.add(path.join("."))
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
        // An integer that is too large is one: only its bounds are wrong.
        for (const inner of issue.issues) {
          if (issue.issues.length === 1 || !isUnsafeInteger(inner)) this.#add(inner, path)
        }
        return
      case "Filter": {
        const { filter, issue: inner } = issue
        if (inner._tag !== "InvalidValue") return this.#add(inner, path)
        if (isUnsafeInteger(issue))
          return this.#push(path, () =>
            problem("not_between", { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER })
          )
        return this.#push(path, () => inner.annotations?.problem ?? ofCheck(filter.annotations))
      }
      case "InvalidValue":
        return this.#push(path, () => issue.annotations?.problem ?? problem("invalid"))
      case "Encoding":
        return this.#add(issue.issue, path)
      case "UnexpectedKey":
        return this.#push(path, () => this.#unknown(path, namesOf(issue.ast)))
      case "AnyOf": {
        // A union member that accepts the type but refuses the content has a better message than the list of members.
        const content = issue.issues.filter((inner) => inner._tag !== "InvalidType")
        for (const inner of content) this.#add(inner, path)
        return content.length > 0 ? undefined : this.#push(path, () => this.#wrongType(issue))
      }
      case "InvalidType":
        return this.#push(path, () => this.#wrongType(issue))
      case "MissingKey":
        return this.#push(path, () => problem("required"))
      default:
        return this.#push(path, () => problem("invalid"))
    }
  }

  #push(path: Path, problem: () => Problem): void {
    if (this.#all.length >= maxIssues || this.#control.has(path.join("."))) return
    const { code, params } = problem()
    this.#all.push(issueAt(path.map((key) => echoName(String(key))).join("."), code, params))
  }

  #unknown(path: Path, known: ReadonlyArray<string>): Problem {
    const name = String(path.at(-1))
    const meant = this.#unknownName === "unknown_argument" ? argumentOf(name) : undefined
    const suggestion =
      meant !== undefined && known.includes(meant) ? { suggestion: meant } : this.#suggestion(name, known)
    const areFew = known.length > 0 && known.length <= maxNames
    return this.#unknownName === "unknown_argument" && areFew && suggestion["suggestion"] === undefined
      ? problem("argument_not_among", { names: quoted(known) })
      : problem(this.#unknownName, suggestion)
  }

  #wrongType(issue: SchemaIssue.AnyOf | SchemaIssue.InvalidType): Problem {
    const input = SchemaIssue.hasInput(issue) ? issue.input : undefined
    const values = literals(issue.ast)
    if (values.length === 0) return ofType(issue.ast)
    const allowed = quoted(values)
    if (typeof input !== "string") return problem("not_among", { allowed })
    const value = echo(input)
    const meant = issue.ast.annotations?.meant?.(input)
    const suggestion = meant === undefined ? this.#suggestion(input, values) : { suggestion: meant }
    return suggestion["suggestion"] === undefined
      ? problem("value_not_among", { value, allowed })
      : problem("unknown_value", { value, ...suggestion })
  }

  #suggestion(text: string, candidates: ReadonlyArray<string>): Params {
    if (this.#suggestions++ >= maxSuggestions) return {}
    const suggestion = nearest(text, candidates, Math.max(2, Math.ceil(text.length / 3)))
    return suggestion === undefined ? {} : { suggestion }
  }
}

/** Whether the schema of integers refuses an integer, because a number cannot have it exactly. */
const isUnsafeInteger = (issue: SchemaIssue.Issue): boolean =>
  issue._tag === "Filter" &&
  issue.filter.annotations?.representation?.id === "effect/schema/isInt" &&
  SchemaIssue.hasInput(issue.issue) &&
  Number.isInteger(issue.issue.input)

/** The problem of a check: our own annotation, or for a check of Effect the one of its representation. */
const ofCheck = (annotations: Schema.Annotations.Filter | undefined): Problem => {
  if (annotations?.problem !== undefined) return annotations.problem
  const check = annotations?.representation
  const payload: unknown = check?.payload
  const number = (name: string): number => {
    const value = Predicate.hasProperty(payload, name) ? payload[name] : undefined
    return typeof value === "number" ? value : Number.NaN
  }
  switch (check?.id) {
    case "effect/schema/isInt":
      return problem("not_integer")
    case "effect/schema/isFinite":
      return problem("not_finite")
    case "effect/schema/isBetween":
      return problem("not_between", { minimum: number("minimum"), maximum: number("maximum") })
    case "effect/schema/isGreaterThanOrEqualTo":
      return problem("too_small", { minimum: number("minimum") })
    case "effect/schema/isMaxCodePoints":
      return problem("too_long", { most: number("maxCodePoints") })
    case "effect/schema/isMaxLength":
      return problem("too_many", { most: number("maxLength") })
    default:
      return problem("invalid")
  }
}

const quoted = (names: ReadonlyArray<string>): string => names.map((name) => `\`${name}\``).join(", ")

const ofType = (ast: SchemaAST.AST): Problem => {
  const example = ast.annotations?.["jsonText"]
  if (typeof example === "string") return problem("not_object_like", { example })
  const code = typeCode(ast)
  const names = code === "not_object" ? membersOf(ast).flatMap(namesOf) : []
  return names.length > 0 && names.length <= maxNames
    ? problem("not_object_of", { names: quoted(names) })
    : problem(code)
}

const namesOf = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  ast._tag === "Objects" ? ast.propertySignatures.map(({ name }) => String(name)) : []

/** Members of a union, without `null`. */
const membersOf = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> =>
  ast._tag === "Union" ? ast.types.flatMap(membersOf).filter(({ _tag }) => _tag !== "Null") : [ast]

const literals = (ast: SchemaAST.AST): ReadonlyArray<string> => {
  const members = membersOf(ast)
  return members.every((member) => member._tag === "Literal") ? members.map(({ literal }) => String(literal)) : []
}

const typeCodes: Readonly<Partial<Record<string, IssueCode>>> = {
  String: "not_text",
  Number: "not_number",
  "String,Number": "not_text_or_number",
  Boolean: "not_boolean",
  Arrays: "not_list",
  Objects: "not_object"
}

const typeCode = (ast: SchemaAST.AST): IssueCode => {
  const tags = new Set(membersOf(ast).map(({ _tag }) => _tag))
  return typeCodes[Array.from(tags).join()] ?? "wrong_type"
}

/** The name of an argument as messages repeat it: one that shows nothing is quoted. */
export const echoName = (name: string): string => {
  const shown = echo(name)
  return shown.trim() === "" ? `"${shown}"` : shown
}

/** The caller's text as messages repeat it: cut, without invisible characters. */
export const echo = (text: string): string => {
  const clean = text.slice(0, 4 * maxEchoed).replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]/gu, "")
  const characters = Array.from(clean)
  return characters.length <= maxEchoed && text.length <= 4 * maxEchoed
    ? clean
    : `${characters.slice(0, maxEchoed).join("")}…`
}
