/** Spellings of domains: records hold international domains in punycode. */
import { domainToUnicode } from "node:url"

/** The spellings of a normalized domain: unchanged, and for an international domain also in Unicode. */
export const spellings = (domain: string): ReadonlyArray<string> => {
  if (!domain.includes("xn--")) return [domain]
  const unicode = domainToUnicode(domain)
  return unicode === "" || unicode === domain ? [domain] : [domain, unicode]
}
