/** Rules for new passwords: long enough, and not among the first to be guessed (D10; NIST SP 800-63B-4). */
import { brotliDecompressSync } from "node:zlib"
import * as Messages from "../Messages.ts"
import { plans, roles } from "./Account.ts"
import list from "./common-passwords.json" with { type: "json" }

export const minCharacters = 12
/** It bounds the work of hashing. */
export const maxCharacters = 256

/** Words of the service. Like those of the e-mail address, they count for nothing in a password (ASVS 6.1.2). */
export const serviceWords: ReadonlyArray<string> = ["discovery", "administrator", "admin", ...roles, ...plans]
const minWordCharacters = 4
/** Letters that a password needs besides such words. */
const minOtherLetters = 6

/** Makes the same password, typed on different systems, the same text. */
export const normalize = (password: string): string => password.normalize("NFKC")

let decompressed: string | undefined

/** The common passwords in lower case, read on first use. */
export const commonPasswords = (): string =>
  (decompressed ??= `\n${brotliDecompressSync(Buffer.from(list.passwords, "base64")).toString()}\n${list.added.join("\n")}\n`)

const isCommon = (text: string): boolean => commonPasswords().includes(`\n${text}\n`)

const withoutEnd = (text: string): string => text.replace(/[\d\p{P}\p{S}]+$/u, "")

const letters: Readonly<Record<string, string>> = { 0: "o", 1: "i", 3: "e", 4: "a", 5: "s", 7: "t", "@": "a", $: "s" }

/** With letters for the digits and signs that people write in their place. */
const spelled = (text: string): string => text.replaceAll(/[013457@$]/gu, (sign) => letters[sign] ?? sign)

/** Whether the text repeats a part that would be too short as a password. */
const isRepetition = (text: string): boolean => {
  const [, part] = /^(.+?)\1+$/su.exec(text) ?? []
  return part !== undefined && Array.from(part).length < minCharacters
}

/** Whether the password is little more than words that an attacker tries first. */
const isPersonal = (text: string, email: string): boolean => {
  const words = [email, ...email.split("@", 1), ...email.split(/[^\p{L}\p{N}]+/u), ...serviceWords].filter(
    (word) => word.length >= minWordCharacters
  )
  const other = words.reduce((rest, word) => rest.replaceAll(word, ""), text)
  return other !== text && other.replaceAll(/\P{L}/gu, "").length < minOtherLetters
}

export const weaknesses = ["short", "long", "guessable", "personal", "common"] as const
export type Weakness = (typeof weaknesses)[number]

/** `undefined` for an acceptable password. */
export const weakness = (password: string, email: string): Weakness | undefined => {
  const text = normalize(password)
  const characters = Array.from(text)
  if (characters.length < minCharacters) return "short"
  if (characters.length > maxCharacters) return "long"
  const lower = text.toLowerCase()
  const core = withoutEnd(lower)
  if (new Set(characters).size < 5 || /^\d+$/u.test(text) || isRepetition(lower) || isRepetition(core))
    return "guessable"
  const address = email.toLowerCase()
  if (lower.includes(address) || [lower, spelled(lower)].some((each) => isPersonal(each, address))) return "personal"
  return [lower, core, spelled(lower), spelled(core)].some(isCommon) ? "common" : undefined
}

/** {@link weakness} as a message in English. */
export const problem = (password: string, email: string): string | undefined => {
  const found = weakness(password, email)
  return found === undefined
    ? undefined
    : Messages.english.text(`password.weaknesses.${found}`, { min: minCharacters, max: maxCharacters })
}
