/** How a kind of table says what a product is: the columns that it has, and what their cells say of a product and its variants. */
import type * as Storefront from "../../../domain/catalog/Storefront.ts"
import type { Reject } from "../ImportSource.ts"
import { text } from "./Foreign.ts"
import type { Unread } from "./Foreign.ts"

export type Cells = ReadonlyArray<string>

/** The columns of a table that are read: the places of their cells in a row. Rows are kept with these cells only. */
export class Columns<Column extends string> {
  readonly places: ReadonlyArray<number>
  readonly #at: Partial<Record<Column, number>> = {}

  constructor(places: Readonly<Partial<Record<Column, number>>>) {
    const all: Array<number> = []
    for (const column in places) {
      const place = places[column]
      if (place !== undefined) this.#at[column] = all.push(place) - 1
    }
    this.places = all
  }

  /** Trimmed; `null` if it is blank or not there. */
  readonly cell = (cells: Cells, column: Column): string | null => {
    const at = this.#at[column]
    return at === undefined ? null : text(cells[at])
  }
}

/** What a row says of a variant. Amounts are as they are written. */
export interface Variant {
  readonly price: string
  readonly compareAtPrice: string | null
  readonly sku: string | null
  readonly isAvailable: boolean | null
}

type Options = readonly [string | null, string | null, string | null]

interface Sale {
  readonly price: string | null
  /** Its first and last day, if there are any. */
  readonly starts: string | null
  readonly ends: string | null
}

/** The price on a day, and the regular one if that is the one of a sale; `null` without a price. */
export const priceOn = (
  day: string,
  regular: string | null,
  { ends, price, starts }: Sale
): Pick<Variant, "price" | "compareAtPrice"> | null => {
  if (price !== null && (starts === null || starts <= day) && (ends === null || ends >= day)) {
    return { price, compareAtPrice: regular }
  }
  return regular === null ? null : { price: regular, compareAtPrice: null }
}

/** What the first row says of its product. */
export interface Described {
  readonly product: Storefront.Product
  readonly optionNames: Options
  /** The name of its category, by which the niche of the store may be found. */
  readonly category: string | null
  /** Fields whose values do not fit. */
  readonly invalidFields: ReadonlyArray<string>
}

/** How a kind of table says what a product is. All functions take the cells at `places`. */
export interface ProductTable {
  readonly places: ReadonlyArray<number>
  /** The names of columns, for messages. */
  readonly handleName: string
  readonly priceName: string
  /** Why a row without a title is rejected whose product is not known. */
  readonly orphan: (cells: Cells) => Pick<Reject, "field" | "reason">
  /** What the rows of a product have in common; `null` if the row has none. It is read once for each row. */
  readonly handle: (cells: Cells) => string | null | Unread
  /** `null` if the row does not begin a product. */
  readonly title: (cells: Cells) => string | null
  /** `null` if the row has none. */
  readonly variant: (cells: Cells) => Variant | null
  readonly options: (cells: Cells) => Options
  readonly images: (cells: Cells) => ReadonlyArray<string>
  /** `handle`: that of the group; without one, a slug of the title. */
  readonly describe: (first: Cells, title: string, handle: string) => Described
}
