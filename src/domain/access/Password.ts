/** Rules for new passwords: long enough and not commonly used (D10; NIST SP 800-63B-4). */

export const minCharacters = 12
/** It bounds the work of hashing. */
export const maxCharacters = 256

/** Makes the same password, typed on different systems, the same text. */
export const normalize = (password: string): string => password.normalize("NFKC")

/** Common passwords of 12 characters or more. Case, and trailing digits and punctuation, are ignored. */
const common = new Set(
  [
    "abcdefghijkl abcdefghijklm abcdefghijklmnop administrator adminadminadmin aaaaaaaaaaaa bismillahbismillah",
    "changemechangeme changemeplease correcthorsebatterystaple discoverydiscovery footballfootball googlegoogle",
    "helloworldhello iloveyouforever iloveyouiloveyou iloveyousomuch ihateyouihateyou internetinternet",
    "letmeinletmein letmeinplease motherfucker mypasswordis mynameismyname newpassword newpassword passwordpassword",
    "passwordpasswordpassword passwordforever password qazwsxedcrfv qazwsxedcrfvtgb qwertyuiopas qwertyuiopasdfgh",
    "qwertyuiopasdfghjkl qwertyuiopasdfghjklzxcvbnm qwertyqwerty qwertyuiop qwerty1234567890qwerty secretsecret",
    "supersecretpassword superadministrator testtesttest testpassword thisismypassword unbelievable welcomewelcome",
    "welcometotheworld whatthefuckwhat zaq1xsw2cde3 1q2w3e4r5t6y 1qaz2wsx3edc 1qazxsw23edc qwe123qwe123 abc123abc123"
  ].flatMap((line) => line.split(" "))
)

export const weaknesses = ["short", "long", "guessable"] as const
export type Weakness = (typeof weaknesses)[number]

const messages: Readonly<Record<Weakness, string>> = {
  short: `The password must have at least ${minCharacters} characters; a few unrelated words do well.`,
  long: `The password must have at most ${maxCharacters} characters.`,
  guessable: "The password is too common or too easy to guess; choose a few unrelated words instead."
}

/** `undefined` for an acceptable password. */
export const weakness = (password: string, email: string): Weakness | undefined => {
  const text = normalize(password)
  const characters = Array.from(text)
  if (characters.length < minCharacters) return "short"
  if (characters.length > maxCharacters) return "long"
  const lower = text.toLowerCase()
  const name = email.toLowerCase().split("@")[0] ?? ""
  const guessable =
    new Set(characters).size < 5 ||
    /^\d+$/u.test(text) ||
    common.has(lower) ||
    common.has(lower.replace(/[\d\p{P}\p{S}]+$/u, "")) ||
    lower.includes(email.toLowerCase()) ||
    (name.length >= 4 && lower.replaceAll(name, "").length < 6)
  return guessable ? "guessable" : undefined
}

/** {@link weakness} as a message. */
export const problem = (password: string, email: string): string | undefined => {
  const found = weakness(password, email)
  return found === undefined ? undefined : messages[found]
}
