/** Reads the domains to collect: from files with one per line, from standard input, or from the arguments. */
import { Effect, Stdio, Stream } from "effect"
import { echo } from "../../domain/ArgumentDecoder.ts"
import * as StoreDomain from "../../domain/catalog/StoreDomain.ts"
import * as WholeFile from "../WholeFile.ts"
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
): Effect.fn.Return<ReadonlyArray<string>, CollectError, Stdio.Stdio> {
  const domains = new Set<string>()
  for (const name of names) {
    const text = yield* textOf(name)
    for (const [index, line] of text
      .replace(/^\uFEFF/u, "")
      .split(/\r?\n/u)
      .entries()) {
      const entry = line.replace(/#.*/su, "").trim()
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

/** Room for a million domains. */
const maxListBytes = 33_554_432

/** A name that is not a file is a domain itself. */
const textOf = Effect.fnUntraced(function* (name: string) {
  if (name === "-") {
    const stdio = yield* Stdio.Stdio
    let bytes = 0
    return yield* stdio.stdin.pipe(
      Stream.mapError((error) => new CollectError({ message: `Standard input cannot be read: ${error.message}.` })),
      Stream.tap((part) =>
        (bytes += part.length) > maxListBytes
          ? Effect.fail(new CollectError({ message: `Standard input has more than ${maxListBytes} bytes.` }))
          : Effect.void
      ),
      Stream.decodeText(),
      Stream.mkString
    )
  }
  const found = yield* Effect.mapError(
    WholeFile.bytesIfThere(name, maxListBytes),
    ({ message }) => new CollectError({ message: `${message}.` })
  )
  return found?.toString("utf8") ?? name
})
