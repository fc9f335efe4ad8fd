/** The words of each language from which titles, ads and descriptions of the demo data are made. */
import type { Language } from "../src/domain/catalog/Enumerations.ts"
import Arabic from "./lexicons/Arabic.json" with { type: "json" }
import Chinese from "./lexicons/Chinese.json" with { type: "json" }
import Dutch from "./lexicons/Dutch.json" with { type: "json" }
import English from "./lexicons/English.json" with { type: "json" }
import French from "./lexicons/French.json" with { type: "json" }
import German from "./lexicons/German.json" with { type: "json" }
import Italian from "./lexicons/Italian.json" with { type: "json" }
import Japanese from "./lexicons/Japanese.json" with { type: "json" }
import Korean from "./lexicons/Korean.json" with { type: "json" }
import Portuguese from "./lexicons/Portuguese.json" with { type: "json" }
import Spanish from "./lexicons/Spanish.json" with { type: "json" }
import Thai from "./lexicons/Thai.json" with { type: "json" }

/** Texts may hold `{noun}`, `{shop}`, `{percent}` and `{count}`. They are worded so that no noun needs agreement. */
export interface Lexicon {
  /** Length of a text, relative to its translation into English. */
  readonly density: number
  /** The separator of words: one space or nothing. */
  readonly space: string
  /** `{}` stands for the invented name. */
  readonly shopNames: ReadonlyArray<string>
  /** Nouns by the key of the parent niche. English has nouns for every child niche instead. */
  readonly nouns?: Readonly<Record<string, ReadonlyArray<string>>>
  /** Words before the noun. */
  readonly epithets: ReadonlyArray<string>
  /** Words after the noun, by the kind of the niche. */
  readonly qualities: Readonly<Record<string, ReadonlyArray<string>>>
  readonly colors: ReadonlyArray<string>
  /** Words at the end of long titles. */
  readonly extras: ReadonlyArray<string>
  readonly headlines: ReadonlyArray<string>
  readonly openers: ReadonlyArray<string>
  readonly sentences: ReadonlyArray<string>
  readonly closers: ReadonlyArray<string>
}

const lexicons: Partial<Record<Language, Lexicon>> = {
  Arabic,
  Chinese,
  Dutch,
  English,
  French,
  German,
  Italian,
  Japanese,
  Korean,
  Portuguese,
  Spanish,
  Thai
}

/** Returns English for a language without a lexicon. */
export const lexiconOf = (language: Language): Lexicon => lexicons[language] ?? English
