/** The words of records, as the specification of the search has them; not taken from the index, which is checked with them. */
import { documentWords } from "../../test/oracle/documentWords.ts"

interface StoreTexts {
  readonly name: string
  readonly domain: string
}

export interface AdTexts {
  /** The store's; `null` for an ad without one. */
  readonly name: string | null
  readonly page_name: string
  readonly headline: string | null
  readonly ad_text: string | null
}

export const ofStore = ({ domain, name }: StoreTexts): ReadonlySet<string> => documentWords([name, domain])

export const ofProduct = ({ domain, name, title }: StoreTexts & { readonly title: string }): ReadonlySet<string> =>
  documentWords([name, domain, title])

export const ofAd = ({ ad_text, headline, name, page_name }: AdTexts): ReadonlySet<string> =>
  documentWords([name, page_name, headline, ad_text])
