/**
 * Boards (D117): the ads, products and stores that an account keeps, each with a note. A kept item is named by its kind and its id in
 * the catalog, and stays when the record goes.
 *
 * Read next: services/accounts/Boards, which writes them; services/search/BoardReader, which reads the records.
 */
import { Schema, SchemaTransformation } from "effect"
import { Id } from "../Scalars.ts"
import { visibleName } from "../VisibleName.ts"
import { clean } from "./ThirdPartyText.ts"

/** Limit for one account. */
export const maxBoards = 50

/** Limit for one board. */
export const maxKeptItems = 500

export const maxNameCharacters = 60

export const BoardName = visibleName(maxNameCharacters)

export const maxNoteCharacters = 500

/** As {@link noteOf} gives it; empty for none. */
export const Note = Schema.String.check(
  Schema.isMaxCodePoints(maxNoteCharacters),
  Schema.makeFilter((text: string) => noteOf(text) === text)
)

/** The plain text of what somebody typed: lines end as everywhere, and no character is invisible or reorders text. Idempotent. */
export const noteOf = (typed: string): string => clean(typed.replaceAll(/\r\n?|[\v\f\u0085\u2028\u2029]/gu, "\n"))

export const KeptKind = Schema.Literals(["ad", "product", "store"])
export type KeptKind = typeof KeptKind.Type

/** An item of the catalog. */
export interface ItemRef {
  readonly kind: KeptKind
  readonly id: number
}

export const keyOf = ({ id, kind }: ItemRef): string => `${kind}:${id}`

/** As {@link keyOf} writes it: the value of a button. */
export const ItemKey = Schema.String.check(Schema.isPattern(/^(?:ad|product|store):[1-9]\d{0,9}$/u)).pipe(
  Schema.decodeTo(
    Schema.Struct({ kind: KeptKind, id: Id }),
    SchemaTransformation.transform({
      decode: (key) => {
        const [name, id] = key.split(":")
        // The pattern has no other name.
        return { kind: KeptKind.literals.find((kind) => kind === name) ?? "ad", id: Number(id) }
      },
      encode: keyOf
    })
  )
)
