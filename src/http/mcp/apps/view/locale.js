// Texts and numbers in the language of the host.

const texts = JSON.parse(document.getElementById("texts").textContent)

let language = "en"
let locale = "en"

const supported = (tag) => {
  try {
    const [known] = Intl.getCanonicalLocales(tag)
    return known !== undefined && known.slice(0, 2) in texts ? known : undefined
  } catch {
    return undefined
  }
}

/** Sets the language, or English if there are no texts in it, and returns it. */
export const speak = (tag) => {
  locale = supported(tag) ?? "en"
  language = locale.slice(0, 2)
  return language
}

export const text = (key, params = {}) =>
  texts[language][key].replaceAll(/\{(\w+)\}/gu, (whole, name) => (name in params ? params[name] : whole))

const nameOf = (type, tag, code) => new Intl.DisplayNames(tag, { type }).of(code) ?? code

/** Of the languages of the catalog, which it names in English. */
const languageCodes = "ar cs da de el en es fi fr hi hu id it ja ko nl no pl pt ro ru sv th tr vi zh".split(" ")

/** In full, and whole, from a thousand on where the language abbreviates no such number, as German. */
const abbreviated = (value) => {
  const compact = new Intl.NumberFormat(locale, { notation: "compact", maximumFractionDigits: 1 })
  return Math.abs(value) < 1000 || compact.formatToParts(value).some(({ type }) => type === "compact")
    ? compact.format(value)
    : new Intl.NumberFormat(locale, { maximumFractionDigits: 0 }).format(value)
}

export const format = {
  number: (value) => new Intl.NumberFormat(locale, { maximumFractionDigits: 2 }).format(value),
  compact: abbreviated,
  percent: (value) => new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 2 }).format(value / 100),
  growth: (value) =>
    new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 2, signDisplay: "exceptZero" }).format(
      value / 100
    ),
  money: (value, currency, digits) =>
    /^[A-Z]{3}$/u.test(currency ?? "")
      ? new Intl.NumberFormat(locale, { style: "currency", currency, maximumFractionDigits: digits }).format(value)
      : format.number(value),
  day: (value) => new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone: "UTC" }).format(new Date(value)),
  month: (value) =>
    new Intl.DateTimeFormat(locale, { month: "short", year: "numeric", timeZone: "UTC" }).format(
      new Date(`${value}-01`)
    ),
  country: (code) => (/^[A-Z]{2}$/u.test(code) ? nameOf("region", locale, code) : code),
  currency: (code) => (/^[A-Z]{3}$/u.test(code) ? `${nameOf("currency", locale, code)} (${code})` : code),
  language: (name) => {
    const code = languageCodes.find((each) => nameOf("language", "en", each) === name)
    return code === undefined ? name : nameOf("language", locale, code)
  },
  list: (items) => new Intl.ListFormat(locale).format(items)
}
