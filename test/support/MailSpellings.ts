/** Spellings of one e-mail address: mails to all of them reach one mailbox. */

const wide = (text: string): string =>
  text.replaceAll(/[!-~]/gu, (each) => String.fromCodePoint((each.codePointAt(0) ?? 0) + 0xfee0))

const circled = (text: string): string =>
  text.replaceAll(/[a-z]/gu, (each) => String.fromCodePoint((each.codePointAt(0) ?? 0) - 97 + 0x24d0))

/** `domain` has one dot. */
export const spellings = (local: string, domain: string): ReadonlyArray<string> => {
  const [name = "", suffix = ""] = domain.split(".")
  return [
    domain,
    domain.toUpperCase(),
    `${domain}.`,
    `${name}。${suffix}`,
    `${name}｡${suffix}。`,
    wide(domain),
    wide(domain.toUpperCase()),
    circled(domain),
    `${name.slice(0, 1)}${wide(name.slice(1))}.${suffix}`,
    `${wide(name.slice(0, 1))}${name.slice(1)}.${suffix}`,
    `${name.slice(0, 1)}\u00ad${name.slice(1)}.${suffix}`,
    `${name}\u200b.${suffix}`,
    `${name}．${suffix}`,
    `${name}.${wide(suffix)}`
  ].map((each) => `${local}@${each}`)
}
