/** The warnings of a search in the visitor's language. */
import { Effect } from "effect"
import { echo } from "../../../domain/ArgumentDecoder.ts"
import { mostCommon } from "../../../domain/search/Warnings.ts"
import type { CurrencyCount, Warning } from "../../../domain/search/Warnings.ts"
import { Wording } from "../../../services/tools/SearchWarnings.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import type { Locale } from "../shared/Locale.ts"
import { labelOf } from "./FilterField.ts"

const textOf =
  (locale: Locale) =>
  (warning: Warning): string => {
    const { list, quotes, text } = locale
    const quoted = (name: string) => quotes.join(name)
    switch (warning._tag) {
      case "NothingTogether":
        return text("warning.apart", { words: warning.words, filters: warning.filters })
      case "WithoutEffect": {
        const { argument, other, takes, value } = warning
        return text("warning.withoutEffect", {
          argument: quoted(text(`filter.names.${argument}`)),
          other: quoted(text(`filter.names.${other}`)),
          value: quoted(labelOf(locale, other, value)),
          values: list(takes.map((each) => quoted(labelOf(locale, other, each))))
        })
      }
      case "StoresAt":
        return text("warning.storesAt", {
          filter: quoted(text("filter.names.shop_ids")),
          stores: list(warning.stores.map(({ address, id }) => `${id} (${echo(address)})`))
        })
      case "Operators":
        return text("warning.operators", { parts: list(warning.parts.map((part) => quoted(echo(part)))) })
      case "UnknownNames": {
        const { more, names } = warning
        const written = [
          ...names.map(({ name }) => quoted(name)),
          ...(more > 0 ? [text("warning.more", { more })] : [])
        ]
        const near = Array.from(new Set(names.flatMap(({ nearest }) => nearest)), quoted)
        return [
          text(`warning.unknown.${warning.list}`, { count: names.length + more, names: list(written) }),
          ...(near.length === 0 ? [] : [text("warning.nearest", { names: list(near) })])
        ].join(" ")
      }
      case "StorelessAds":
        return text("warning.storeless", { count: warning.ads, order: quoted(text("filter.sorts.newest")) })
      case "SeveralCurrencies": {
        const { currencies, more } = warning
        const count = ({ currency, stores }: CurrencyCount) =>
          text("warning.currency", { currency: currency ?? text("store.unknown"), count: stores })
        const written = [...currencies.map(count), ...(more > 0 ? [text("warning.more", { more })] : [])]
        return text("warning.currencies", {
          currencies: list(written),
          filter: quoted(text("filter.names.currencies")),
          example: mostCommon(currencies)
        })
      }
    }
  }

/** Runs a search whose answer has its warnings in the visitor's language. */
export const worded = <A, E, R>(locale: Locale, search: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(search, Wording, textOf(locale))

/** A remark is about the list as a whole: the other warnings say that the search may not be what was meant. */
const isRemark = ({ _tag }: Warning): boolean => _tag === "StorelessAds" || _tag === "SeveralCurrencies"

/** Like `worded`; tells as well which warnings are remarks. */
export const wordedWithRemarks = <A, E, R>(locale: Locale, search: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const remarks = new Set<string>()
    const write = (warning: Warning): string => {
      const text = textOf(locale)(warning)
      if (isRemark(warning)) remarks.add(text)
      return text
    }
    const isOne = (text: string): boolean => remarks.has(text)
    return Effect.map(Effect.provideService(search, Wording, write), (answer) => ({ answer, isRemark: isOne }))
  })

export const warningLines = (warnings: ReadonlyArray<string>): Html | false =>
  warnings.length > 0 &&
  html`<div class="notice" role="note">${warnings.map((warning) => html`<p dir="auto">${warning}</p>`)}</div>`
