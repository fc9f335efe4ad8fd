/**
 * The domains of stores that one without a store may have been mistaken for. Reads a bounded number of rows by the index of
 * domains, whatever the size of the catalog: every domain that differs in one character or in two that are swapped, the same
 * name with every extension of the catalog, and the neighbors in the order of domains, which differ at the end.
 */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import * as StoreDomain from "../../domain/catalog/StoreDomain.ts"
import { nearest } from "../../domain/search/Nearest.ts"
import { rowsOf } from "../database/Rows.ts"

/** At most as many are suggested. */
const maxNear = 3

/** Domains before and after it that are compared. */
const neighbors = 1_000

/** Of a longer domain, no spellings are tried: a domain of this length has some 5,000. */
const maxVaried = 64

const maxExtensions = 1_000

/** Greater than any distance. */
const anyDistance = 1_000

const characters = "abcdefghijklmnopqrstuvwxyz0123456789-."

const decodeDomains = rowsOf(Schema.Struct({ domain: Schema.String }))

/** What a text becomes with one character replaced, added or left out, or two adjacent ones swapped. */
const spellings = (text: string): ReadonlySet<string> => {
  const found = new Set<string>()
  if (text.length > maxVaried) return found
  for (let at = 0; at <= text.length; at++) {
    const [before, after] = [text.slice(0, at), text.slice(at)]
    found.add(before + after.slice(1))
    found.add(before + after.slice(1, 2) + after.slice(0, 1) + after.slice(2))
    for (const character of characters) {
      found.add(before + character + after)
      found.add(before + character + after.slice(1))
    }
  }
  return found
}

const nameOf = (host: string): string => host.split(".", 1)[0] ?? ""

/** Closest first: other spellings of the whole host, then the same name with another extension, then what is spelled alike. */
const closest = (
  { above, host, ofHost }: { readonly above: string; readonly host: string; readonly ofHost: ReadonlySet<string> },
  domains: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const name = nameOf(above)
  const groupOf = (domain: string) =>
    domain.startsWith(`${name}.`) && StoreDomain.registrable(domain) === domain
      ? "sameName"
      : ofHost.has(domain) && host !== above
        ? "sameHost"
        : "alike"
  const { alike = [], sameHost = [], sameName = [] } = Object.groupBy(domains, groupOf)
  return [...take(host, sameHost, anyDistance), ...take(above, sameName, anyDistance), ...take(above, alike)].slice(
    0,
    maxNear
  )
}

const take = (host: string, domains: ReadonlyArray<string>, maxDistance?: number): ReadonlyArray<string> => {
  const left = new Set(domains)
  const found: Array<string> = []
  while (found.length < maxNear) {
    const near = nearest(host, left, maxDistance)
    if (near === undefined) break
    found.push(near)
    left.delete(near)
  }
  return found
}

/**
 * Up to three, closest first. `candidates` are the domains that the store may be known by (StoreDomain), and `extensions`
 * those of the catalog, most stores first.
 */
export const near = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  candidates: ReadonlyArray<string>,
  extensions: ReadonlyArray<string>
) {
  const [host = "", above = host] = candidates
  const name = nameOf(above)
  const ofHost = spellings(host)
  const tried = [
    ...ofHost,
    ...(host === above ? [] : spellings(above)),
    ...extensions.slice(0, maxExtensions).map((extension) => `${name}${extension}`)
  ]
  const rows = yield* sql`
    SELECT domain FROM shop WHERE domain = ANY(${tried}::text[])
    UNION (SELECT domain FROM shop WHERE domain > ${above} ORDER BY domain LIMIT ${neighbors}::int)
    UNION (SELECT domain FROM shop WHERE domain < ${above} ORDER BY domain DESC LIMIT ${neighbors}::int)`.pipe(
    decodeDomains
  )
  return closest({ host, above, ofHost }, rows.map(({ domain }) => domain).toSorted())
})
