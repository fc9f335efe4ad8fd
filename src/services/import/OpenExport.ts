/** The table of products of the last file: the next file may begin with more rows of its last product. */
import { Stream } from "effect"
import { chunk } from "./Conversion.ts"
import type { Converter } from "./Conversion.ts"
import * as ProductRows from "./formats/ProductRows.ts"
import type { ProductTable } from "./formats/ProductTable.ts"
import { ofFile } from "./formats/Reading.ts"
import type { ImportChunk } from "./ImportSource.ts"
import type { CompleteStores } from "./CompleteStores.ts"

interface Open {
  readonly rows: ProductRows.ProductRows
  readonly header: ReadonlyArray<string>
  readonly domain: string
  readonly file: string
}

export class OpenExport {
  readonly #completeStores: CompleteStores
  #open: Open | undefined

  /** The last product of the export, at the end of all files. */
  readonly rest = Stream.suspend(() => Stream.fromIterable(this.close()))

  constructor(completeStores: CompleteStores) {
    this.#completeStores = completeStores
  }

  /**
   * Reads a file, which goes on with the export before if its store and its columns are the same. `left`: otherwise, the last product
   * of that export.
   */
  read(
    makeTable: (header: ReadonlyArray<string>) => ProductTable,
    header: ReadonlyArray<string>,
    domain: string,
    file: string
  ): { readonly left: ReadonlyArray<ImportChunk>; readonly rows: Converter } {
    const isSame = this.#open?.domain === domain && this.#open.header.join("\n") === header.join("\n")
    const left = isSame ? [] : this.close()
    const rows = this.#open?.rows ?? ProductRows.make(makeTable(header), domain)
    rows.begin(file)
    this.#open = { rows, header, domain, file }
    const end = (isCut: boolean) => {
      if (!isCut) return rows.flush()
      this.#open = undefined
      return rows.end(true)
    }
    return { left, rows: { row: rows.push, lost: rows.lose, end } }
  }

  /** Ends the export. Returns its last product. */
  close(): ReadonlyArray<ImportChunk> {
    if (this.#open === undefined) return []
    const { domain, file, rows } = this.#open
    this.#open = undefined
    const last = { ...chunk(ofFile(rows.end(false), file)), part: domain }
    this.#completeStores.take(last, domain)
    return [last]
  }
}
