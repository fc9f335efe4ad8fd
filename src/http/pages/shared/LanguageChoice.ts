/**
 * The language that a visitor chose (D118), which goes before the one that the browser prefers (D51): a cookie with its code. The form
 * that chooses is at the end of every page, except the documents, which are in English. It needs no session and changes nothing else,
 * so it is a GET.
 */
import { HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http"
import type { AppSettings } from "../../../Config.ts"
import { languages } from "../../../domain/Messages.ts"
import type { Language } from "../../../domain/Messages.ts"
import { html } from "./Html.ts"
import type { Html } from "./Html.ts"
import * as Locale from "./Locale.ts"

/** Sets the cookie, and leads back. */
export const languagePath = "/language"

const maxAge = 365 * 24 * 60 * 60 * 1000

/** As speakers of the language call it: the same on pages of every language. */
const ownNames: Readonly<Record<Language, string>> = { en: "English", de: "Deutsch", fr: "Français", es: "Español" }

export const of = ({ baseUrl }: Pick<AppSettings, "baseUrl">) => {
  const secure = baseUrl.startsWith("https:")
  const name = secure ? "__Host-discovery-language" : "discovery-language"
  return {
    /** The locale of a request. `place` is the page that the visitor comes back to with another language. */
    localeOf: (request: HttpServerRequest.HttpServerRequest, place: string): Locale.Locale => {
      const chosen = languages.find((language) => language === request.cookies[name])
      return { ...Locale.of(chosen ?? request.headers["accept-language"]), place }
    },
    /** The codes have only characters that cookies allow, so setting them cannot fail. */
    set: (language: Language) =>
      HttpServerResponse.setCookieUnsafe(name, language, { httpOnly: true, path: "/", sameSite: "lax", secure, maxAge })
  }
}

/** A longer address would be a noticeable part of the page: the choice then leads to the page without its query. */
const longestPlace = 1_000

const backTo = (place: string): string => (place.length > longestPlace ? (place.split("?", 1)[0] ?? "") : place)

export const languageSwitch = ({ language, place, text }: Locale.Locale): Html | undefined =>
  place === undefined
    ? undefined
    : html`<form method="get" action="${languagePath}" class="languages" aria-label="${text("layout.language")}">
        <input type="hidden" name="back" value="${backTo(place)}" />
        ${languages.map((each) =>
          each === language
            ? html`<strong lang="${each}">${ownNames[each]}</strong>`
            : html`<button type="submit" name="to" value="${each}" lang="${each}" class="quiet">
                ${ownNames[each]}
              </button>`
        )}
      </form>`
