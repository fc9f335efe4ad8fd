/** Names and notes of boards, and the keys of kept items (D117). */
import { assert, describe, it } from "@effect/vitest"
import { Option, Schema } from "effect"
import {
  BoardName,
  ItemKey,
  keyOf,
  KeptKind,
  maxNoteCharacters,
  Note,
  noteOf
} from "../../../src/domain/catalog/Board.ts"

const isNote = Schema.is(Note)

describe("D117 boards", () => {
  it("a note is plain text: no control characters, and lines that end as everywhere", () => {
    assert.strictEqual(noteOf(" one\r\ntwo\u0000\u202E\u0007\rthree\u2028four "), "one\ntwo\nthree\nfour")
  })

  const pieces = ["\r\n", "\r", "\u0000", "\u202E", "\u200D", " ", "x", "\uD800", "😀", "\u2028", "\t"]
  it.prop("what is cleaned once stays the same, and is a note", [Schema.Array(Schema.Literals(pieces))], ([typed]) => {
    const note = noteOf(typed.join("").slice(0, 400))
    assert.strictEqual(noteOf(note), note)
    assert.notMatch(note, /(?![\n\t])[\p{Cc}\p{Cs}\u202A-\u202E]/u)
    assert.isTrue(isNote(note))
  })

  it("a note has at most 500 characters, however many bytes they have", () => {
    assert.isTrue(isNote(""))
    assert.isTrue(isNote("😀".repeat(maxNoteCharacters)))
    assert.isFalse(isNote("x".repeat(maxNoteCharacters + 1)))
    assert.isFalse(isNote("\u202Ex"))
  })

  it("a name is one visible line of 1 to 60 characters", () => {
    const isName = Schema.is(BoardName)
    for (const name of ["x", "Lamps for spring", "مصابيح", "😀".repeat(60)]) assert.isTrue(isName(name), name)
    for (const name of ["", " x", "two\nlines", "\u202Ex", "x".repeat(61)]) assert.isFalse(isName(name), name)
  })

  it("the key of an item is read as the item, and nothing else is", () => {
    const decode = Schema.decodeUnknownOption(ItemKey)
    for (const kind of KeptKind.literals) {
      for (const id of [1, 10, 2_147_483_647]) {
        assert.deepStrictEqual(Option.getOrUndefined(decode(keyOf({ kind, id }))), { kind, id })
      }
    }
    for (const key of [
      "",
      "ad",
      "ad:",
      "ad:0",
      "ad:01",
      "ad:1.5",
      "ad:2147483648",
      "shop:1",
      "ad:1 ",
      "ad:1:2",
      "AD:1"
    ]) {
      assert.isTrue(Option.isNone(decode(key)), key)
    }
  })
})
