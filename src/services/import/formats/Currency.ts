/** The currency of written amounts. Amounts are stored in the store's currency, and there is no exchange rate for others. */
import { currencyCodes } from "../../../domain/catalog/Iso.ts"

/** Signs of one currency, or of a few. `$` and `kr` are of too many. */
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

/** The currencies that an amount such as `USD $51,707.53`, `51,707.53 USD` or `1 234,50 €` may be in; empty if it names none. */
const currenciesOf = (money: string): ReadonlyArray<string> => {
  const first = /^([A-Z]{3})(?![A-Za-z])/u.exec(money)?.[1]
  if (first !== undefined) return [first]
  // Other words may follow an amount as well, such as `TTC`.
  const last = /(?<![A-Za-z])([A-Z]{3})$/u.exec(money)?.[1]
  if (last !== undefined && currencyCodes.has(last)) return [last]
  return signs.find(([sign]) => money.includes(sign))?.[1] ?? []
}

/**
 * Whether the amount names another currency than that of its store. If its row does not name the store's currency, the amount
 * may be in another one: that of the stored store is not known when the row is read.
 */
export const isOther = (currency: string | undefined, money: string): boolean => {
  const named = currenciesOf(money.trim())
  return named.length > 0 && (currency === undefined || !named.includes(currency.toUpperCase()))
}
