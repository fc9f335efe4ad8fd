/** Domains as people type them: records hold international ones as punycode. */
import { domainToUnicode } from "node:url"

/** All ways in which people write a normalized domain: as it is and, when it is international, in its own script. */
export const spellings = (domain: string): ReadonlyArray<string> => {
  if (!domain.includes("xn--")) return [domain]
  const unicode = domainToUnicode(domain)
  return unicode === "" || unicode === domain ? [domain] : [domain, unicode]
}
