/** Reads the public product taxonomy of Shopify: one category per line, `gid : A > B > C`, and comments that begin with `#`. */
import { Schema } from "effect"
import * as LenientDecoder from "../../../domain/catalog/LenientDecoder.ts"
import * as Fields from "../../../domain/catalog/RecordFields.ts"
import { text } from "./Foreign.ts"
import { decoded, nothing } from "./Reading.ts"
import type { Reading } from "../ImportSource.ts"

const decode = LenientDecoder.make(
  Schema.Struct({
    type: Schema.Literal("taxonomy_niche"),
    key: Fields.identifier(200),
    path: Schema.Array(Fields.line(300))
  })
)

const category = /^(gid:\/\/shopify\/TaxonomyCategory\/[\w-]+)\s*:(.+)/su

export const isTaxonomy = (line: string): boolean => category.test(line.trim())

export const read = (written: string, line: number): Reading => {
  const found = text(written)
  if (found === null || found.startsWith("#")) return nothing
  const [, key, path] = category.exec(found) ?? []
  if (key === undefined || path === undefined) {
    return {
      rows: [],
      rejects: [{ line, field: "", reason: "is no category such as `gid://... : A > B`" }]
    }
  }
  return decoded(line, decode({ type: "taxonomy_niche", key, path: path.split(">") }))
}
