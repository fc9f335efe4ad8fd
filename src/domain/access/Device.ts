/**
 * Names of browsers and systems, by which people recognize their sessions. The header `User-Agent` is untrusted: only
 * names of this list are taken from it.
 */
import { Schema } from "effect"

/** `null` if not recognized. */
export const Device = Schema.Struct({ browser: Schema.NullOr(Schema.String), system: Schema.NullOr(Schema.String) })
export type Device = typeof Device.Type

export const unknownDevice: Device = { browser: null, system: null }

/** User agents also contain the names of the browsers they derive from, so the most specific ones come first. */
const browsers: ReadonlyArray<readonly [name: string, pattern: RegExp]> = [
  ["Edge", /\bEdg(?:e|A|iOS)?\//],
  ["Opera", /\b(?:OPR|OPT|OPX|Opera)\//],
  ["Samsung Internet", /\bSamsungBrowser\//],
  ["Vivaldi", /\bVivaldi\//],
  ["Firefox", /\b(?:Firefox|FxiOS)\//],
  ["Chrome", /\b(?:Chrome|Chromium|HeadlessChrome|CriOS)\//],
  ["Safari", /\bVersion\/[\d.]+ .*\bSafari\//]
]

/** The user agents of phones also contain the names of the systems they derive from. */
const systems: ReadonlyArray<readonly [name: string, pattern: RegExp]> = [
  ["iOS", /\b(?:iPhone|iPod)\b/],
  ["iPadOS", /\biPad\b/],
  ["Android", /\bAndroid\b/],
  ["ChromeOS", /\bCrOS\b/],
  ["Windows", /\bWindows\b/],
  ["macOS", /\bMacintosh\b/],
  ["Linux", /\bLinux\b/]
]

/** Those of current browsers have about 150. */
const maxCharacters = 512

const first = (names: ReadonlyArray<readonly [string, RegExp]>, text: string): string | null =>
  names.find(([, pattern]) => pattern.test(text))?.[0] ?? null

export const of = (userAgent: string | undefined): Device => {
  const text = (userAgent ?? "").slice(0, maxCharacters)
  return { browser: first(browsers, text), system: first(systems, text) }
}
