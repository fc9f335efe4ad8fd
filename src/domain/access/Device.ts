/**
 * Names of browsers and systems, by which people recognize their sessions. The header `User-Agent` is untrusted: only
 * names of this list are taken from it.
 */
import { Schema } from "effect"

/** `null` where the header tells nothing that we know. */
export const Device = Schema.Struct({ browser: Schema.NullOr(Schema.String), system: Schema.NullOr(Schema.String) })
export type Device = typeof Device.Type

export const unknownDevice: Device = { browser: null, system: null }

/** Browsers name those that they descend from as well, so the youngest come first. */
const browsers: ReadonlyArray<readonly [name: string, pattern: RegExp]> = [
  ["Edge", /\bEdg(?:e|A|iOS)?\//],
  ["Opera", /\b(?:OPR|OPT|OPX|Opera)\//],
  ["Samsung Internet", /\bSamsungBrowser\//],
  ["Vivaldi", /\bVivaldi\//],
  ["Firefox", /\b(?:Firefox|FxiOS)\//],
  ["Chrome", /\b(?:Chrome|Chromium|HeadlessChrome|CriOS)\//],
  ["Safari", /\bVersion\/[\d.]+ .*\bSafari\//]
]

/** Phones name the systems that theirs descend from as well. */
const systems: ReadonlyArray<readonly [name: string, pattern: RegExp]> = [
  ["iOS", /\b(?:iPhone|iPod)\b/],
  ["iPadOS", /\biPad\b/],
  ["Android", /\bAndroid\b/],
  ["ChromeOS", /\bCrOS\b/],
  ["Windows", /\bWindows\b/],
  ["macOS", /\bMacintosh\b/],
  ["Linux", /\bLinux\b/]
]

/** Those of today's browsers have about 150. */
const maxCharacters = 512

const first = (names: ReadonlyArray<readonly [string, RegExp]>, text: string): string | null =>
  names.find(([, pattern]) => pattern.test(text))?.[0] ?? null

/** Of a header as it was sent, of any length and content. */
export const of = (userAgent: string | undefined): Device => {
  const text = (userAgent ?? "").slice(0, maxCharacters)
  return { browser: first(browsers, text), system: first(systems, text) }
}
