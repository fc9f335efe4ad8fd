/**
 * What commands print. Names of files, stores and apps, and texts of errors come from others: no control character of theirs
 * reaches the terminal (D31). Nothing else in this folder prints (a test checks it).
 */
import { Console, Effect } from "effect"
import * as ThirdPartyText from "../domain/catalog/ThirdPartyText.ts"

/** Each line without control characters and what could hide or reorder text. */
export const printable = (text: string): string => text.split("\n").map(ThirdPartyText.line).join("\n")

/** Prints one line, whatever it contains. */
export const line = (text: string): Effect.Effect<void> => Console.log(ThirdPartyText.line(text))

/** Prints several lines. */
export const lines = (texts: ReadonlyArray<string>): Effect.Effect<void> =>
  Console.log(texts.map(ThirdPartyText.line).join("\n"))

/** Prints on standard error. */
export const note = (text: string): Effect.Effect<void> => Console.error(printable(text))

/** Sequences that only color text: those of the command line's own help and of pretty logs. */
// oxlint-disable-next-line no-control-regex -- they begin with one
const colors = /(\u001B\[[\d;]{0,20}m)/u

const guardedPart = (part: unknown): unknown =>
  typeof part === "string"
    ? part
        .split(colors)
        .map((piece, index) => (index % 2 === 1 ? piece : printable(piece)))
        .join("")
    : part

const guarded = (live: Console.Console): Console.Console =>
  Object.setPrototypeOf(
    {
      log: (...parts: ReadonlyArray<unknown>) => live.log(...parts.map(guardedPart)),
      error: (...parts: ReadonlyArray<unknown>) => live.error(...parts.map(guardedPart))
    },
    live
  )

/** For what is printed elsewhere, such as logs and errors of the parser of arguments: of escapes only colors are kept. */
export const guard = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Console.Console, (live) => Effect.provideService(effect, Console.Console, guarded(live)))
