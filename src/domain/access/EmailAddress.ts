/**
 * The one spelling in which an e-mail address is counted, compared, stored and sent to (D86). A domain has many spellings, such as
 * in full-width letters, in capitals, with a dot at its end or in Unicode; mails to all of them reach one mailbox.
 */
import { Schema } from "effect"

/** ASCII characters that no host name has. The parser of hosts would decode some of them, and end the host at others. */
const foreign = /[\0-,/:-@[-^`{-\x7f]/u

/** As UTS 46 maps it; `undefined` for no host. */
const hostOf = (domain: string): string | undefined => URL.parse(`http://${domain}`)?.hostname

/**
 * With the domain as UTS 46 maps it: in lower case and ASCII, without a dot at its end. The part before the @ belongs to its mail
 * server and stays as it is. Text that is no address is returned without outer blanks.
 */
export const canonical = (text: string): string => {
  const address = text.trim()
  const at = address.lastIndexOf("@")
  const domain = address.slice(at + 1)
  if (at === -1 || foreign.test(domain)) return address
  const mapped = hostOf(domain)?.replace(/\.$/u, "")
  return mapped === undefined ? address : `${address.slice(0, at)}@${mapped}`
}

/** To look up an address that anyone may have entered: without characters that PostgreSQL refuses, and no longer than any address. */
export const toLookUp = (text: string): string => canonical(text.slice(0, 255).replaceAll(/[\p{Cc}\p{Cs}]/gu, ""))

/** One @, no spaces, a dot in the domain. No mail is sent to check it. For a canonical address. */
export const isEmail: (text: string) => boolean = Schema.is(
  Schema.String.check(
    Schema.isMaxLength(254),
    Schema.isPattern(/^[^\s@\p{Cc}\p{Cf}\p{Cs}]+@[^\s@\p{Cc}\p{Cf}\p{Cs}.]+(\.[^\s@\p{Cc}\p{Cf}\p{Cs}.]+)+$/u)
  )
)

/** Letters as in RFC 6531, without quotes, comments and lists (RFC 5321, 4.1.2). */
const localPart = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u

/** A name, not an IP address: the last label has a letter. */
const hostName = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?=[a-z0-9-]*[a-z])[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$/u

/** The canonical form of an address that mails are sent to. `undefined` for any other text. */
export const mailable = (text: string): string | undefined => {
  const address = canonical(text)
  const at = address.lastIndexOf("@")
  const domain = address.slice(at + 1)
  return isEmail(address) &&
    at <= 64 &&
    localPart.test(address.slice(0, at)) &&
    hostName.test(domain) &&
    hostOf(domain) === domain
    ? address
    : undefined
}
