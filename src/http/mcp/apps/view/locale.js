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

export const format = {
  number: (value) => new Intl.NumberFormat(locale, { maximumFractionDigits: 2 }).format(value),
  compact: (value) => new Intl.NumberFormat(locale, { notation: "compact", maximumFractionDigits: 1 }).format(value),
  percent: (value) => new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 1 }).format(value / 100),
  growth: (value) =>
    new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 1, signDisplay: "exceptZero" }).format(
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
  country: (code) =>
    /^[A-Z]{2}$/u.test(code) ? (new Intl.DisplayNames(locale, { type: "region" }).of(code) ?? code) : code,
  list: (items) => new Intl.ListFormat(locale).format(items)
}
