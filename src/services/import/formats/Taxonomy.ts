/** Reads the public product taxonomy of Shopify: one category per line, `gid : A > B > C`, and comments that begin with `#`. */
import { text } from "./Foreign.ts"
import { nothing } from "./Reading.ts"
import type { Reading } from "./Reading.ts"

const category = /^(gid:\/\/shopify\/TaxonomyCategory\/[\w-]+)\s*:\s*(.+)$/u

export const isTaxonomy = (line: string): boolean => category.test(line.trim())

export const read = (written: string, line: number): Reading => {
  const found = text(written)
  if (found === null || found.startsWith("#")) return nothing
  const [, key, path] = category.exec(found) ?? []
  if (key === undefined || path === undefined) {
    return {
      rows: [],
      rejects: [{ line, field: "", reason: "is no category such as `gid://... : A > B`" }],
      skipped: 0
    }
  }
  const names = path.split(">").map((name) => name.trim())
  return { rows: [{ line, record: { type: "taxonomy_niche", key, path: names } }], rejects: [], skipped: 0 }
}
