/** The lexicon of a store: of its first language if there is one, otherwise English, as such stores do. */
import type { Language } from "../../../../domain/catalog/Enumerations.ts"
import { Arabic } from "./Arabic.ts"
import { Chinese } from "./Chinese.ts"
import { Dutch } from "./Dutch.ts"
import { English } from "./English.ts"
import { French } from "./French.ts"
import { German } from "./German.ts"
import { Italian } from "./Italian.ts"
import { Japanese } from "./Japanese.ts"
import { Korean } from "./Korean.ts"
import type { Lexicon } from "./Lexicon.ts"
import { Portuguese } from "./Portuguese.ts"
import { Spanish } from "./Spanish.ts"
import { Thai } from "./Thai.ts"

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

export const lexiconOf = (language: Language | undefined): Lexicon =>
  (language === undefined ? undefined : lexicons[language]) ?? English
