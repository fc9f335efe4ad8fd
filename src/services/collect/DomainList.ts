/** Reads the domains to collect: from files with one per line, from standard input, or from the arguments. */
import { Effect, FileSystem, Stdio, Stream } from "effect"
import { echo } from "../../domain/ArgumentDecoder.ts"
import * as StoreDomain from "../../domain/catalog/StoreDomain.ts"
import { CollectError } from "./CollectError.ts"

/** The domain, or the host of an address. */
const domainIn = (text: string): string | undefined => {
  const host = /^https?:\/\//iu.test(text) ? (URL.parse(text)?.hostname ?? "") : text
  const domain = StoreDomain.normalize(host)
  return StoreDomain.isPublic(domain) ? domain : undefined
}

/** Returns each domain once, in the order of first mention. `#` begins a comment. */
export const read = Effect.fn("DomainList.read")(function* (
  names: ReadonlyArray<string>
): Effect.fn.Return<ReadonlyArray<string>, CollectError, FileSystem.FileSystem | Stdio.Stdio> {
  const domains = new Set<string>()
  for (const name of names) {
    const text = yield* textOf(name)
    for (const [index, line] of text
      .replace(/^\uFEFF/u, "")
      .split(/\r?\n/u)
      .entries()) {
      const entry = line.replace(/#.*$/u, "").trim()
      if (entry === "") continue
      const domain = domainIn(entry)
      if (domain === undefined) {
        return yield* new CollectError({
          message:
            text === name
              ? `${echo(name)} is neither a file nor the domain of a store.`
              : `Line ${index + 1} of ${name === "-" ? "standard input" : name} is no domain of a store: ${echo(entry)}`
        })
      }
      domains.add(domain)
    }
  }
  if (domains.size > 0) return Array.from(domains)
  return yield* new CollectError({ message: "There are no domains to collect: name some, or a file with one a line." })
})

/** A name that is not a file is a domain itself. */
const textOf = Effect.fnUntraced(function* (name: string) {
  if (name === "-") {
    const stdio = yield* Stdio.Stdio
    return yield* stdio.stdin.pipe(
      Stream.decodeText(),
      Stream.mkString,
      Effect.mapError((error) => new CollectError({ message: `Standard input cannot be read: ${error.message}.` }))
    )
  }
  const files = yield* FileSystem.FileSystem
  if (!(yield* Effect.orElseSucceed(files.exists(name), () => false))) return name
  return yield* Effect.mapError(
    files.readFileString(name),
    (error) => new CollectError({ message: `${name} cannot be read: ${error.message}.` })
  )
})
