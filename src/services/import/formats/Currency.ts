/** The currency of written amounts. Amounts are stored in the store's currency, and there is no exchange rate for others. */
import { currencyCodes } from "../../../domain/catalog/Iso.ts"

/** Signs of one currency, or of a few. `$` and `kr` alone are of too many. */
const signs: ReadonlyArray<readonly [sign: string, currencies: ReadonlyArray<string>]> = [
  ["€", ["EUR"]],
  ["£", ["GBP", "EGP", "FKP", "GIP", "LBP", "SDG", "SHP", "SSP", "SYP"]],
  ["¥", ["JPY", "CNY"]],
  ["₹", ["INR"]],
  ["₩", ["KRW", "KPW"]],
  ["₺", ["TRY"]],
  ["₪", ["ILS"]],
  ["₫", ["VND"]],
  ["₴", ["UAH"]],
  ["₽", ["RUB"]],
  ["฿", ["THB"]],
  ["₱", ["PHP"]],
  ["₦", ["NGN"]],
  ["zł", ["PLN"]],
  ["Kč", ["CZK"]]
]

/** By the letters before `$`. */
const dollars: Readonly<Record<string, ReadonlyArray<string>>> = {
  US: ["USD"],
  C: ["CAD", "NIO"],
  CA: ["CAD"],
  A: ["AUD"],
  AU: ["AUD"],
  NZ: ["NZD"],
  HK: ["HKD"],
  NT: ["TWD"],
  S: ["SGD"],
  SG: ["SGD"],
  MX: ["MXN"],
  R: ["BRL"]
}

/** The currencies that an amount such as `USD $51,707.53`, `51,707.53 USD` or `1 234,50 €` may be in; empty if it names none. */
export const currenciesOf = (money: string): ReadonlyArray<string> => {
  // Other words may stand beside an amount as well, such as `TTC`.
  const words = [/^([A-Z]{3})(?![A-Z])/iu, /(?<![A-Z])([A-Z]{3})$/iu].map((word) =>
    word.exec(money)?.[1]?.toUpperCase()
  )
  const code = words.find((word) => word !== undefined && currencyCodes.has(word))
  if (code !== undefined) return [code]
  const letters = /(?<![A-Z])([A-Z]{1,2})\$/iu.exec(money)?.[1]?.toUpperCase()
  if (letters !== undefined) return dollars[letters] ?? []
  return signs.find(([sign]) => money.includes(sign))?.[1] ?? []
}

/**
 * Whether the amount names another currency than that of its store. If its row does not name the store's currency, the amount
 * may be in another one: that of the stored store is not known when the row is read.
 */
export const isOther = (currency: string | undefined, money: string): boolean => {
  // An amount in a currency that is none may be in any.
  if (currency !== undefined && !currencyCodes.has(currency.toUpperCase())) return true
  const named = currenciesOf(money.trim())
  return named.length > 0 && (currency === undefined || !named.includes(currency.toUpperCase()))
}
