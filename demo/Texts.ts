/** Titles, headlines, ad texts and descriptions of a store, as long as in real data (D61). */
import type { Lexicon } from "./Lexicons.ts"
import type { Prng } from "./Prng.ts"

/** The store and the products that a text is about. */
export interface Subject {
  readonly shop: string
  readonly lexicon: Lexicon
  readonly kind: string
  /** Key of the parent niche. */
  readonly niche: string
  readonly nouns: ReadonlyArray<string>
}

const fill = (template: string, prng: Prng, { shop }: Subject, noun: string): string =>
  template.includes("{")
    ? template
        .replaceAll("{noun}", noun)
        .replaceAll("{shop}", shop)
        .replaceAll("{percent}", String(prng.int(2, 14) * 5))
        .replaceAll(
          "{count}",
          String(
            prng.weighted([
              [prng.int(3, 40), 1],
              [prng.int(10, 500) * 100, 2]
            ])
          )
        )
    : template

/** 11, 40, 92 and 127 characters at the percentiles 5, 50, 95 and 99; 2, 7, 15 and 23 words. */
export const title = (prng: Prng, subject: Subject): string => {
  const { colors, density, epithets, extras, qualities, space } = subject.lexicon
  const target = prng.logNormal(38, 0.52, 0.8) * density
  const dash = space === "" ? " " : " – "
  const comma = space === "" ? " " : ", "
  const noun = prng.pick(subject.nouns)
  let text = noun
  const add = (longer: string) => {
    if (Math.abs(longer.length - target) < Math.abs(text.length - target)) text = longer
  }
  if (epithets.length > 0 && prng.chance(0.6)) add(`${prng.pick(epithets)}${space}${text}`)
  add(`${text}${space === "" ? " " : space}${prng.pick(qualities[subject.kind] ?? [])}`)
  add(`${text}${dash}${prng.pick(colors)}`)
  for (const extra of prng.some(extras, 5)) add(`${text}${comma}${extra}`)
  if (text.length < target * 0.8) add(`${text}${comma}${prng.pick(subject.nouns)}`)
  return text
}

/** 35 characters in the median. */
export const headline = (prng: Prng, subject: Subject): string =>
  prng.chance(0.6)
    ? title(prng, subject)
    : fill(prng.pick(subject.lexicon.headlines), prng, subject, prng.pick(subject.nouns))

/** Products that a long text lists at most. */
const maxListed = 120

/** About 200 characters in the median, 1,000 and more at the percentile 95. */
export const adText = (prng: Prng, subject: Subject): string => {
  const { closers, density, openers, sentences } = subject.lexicon
  const target = prng.logNormal(190, 1, 0.8) * density
  const noun = prng.pick(subject.nouns)
  const say = (template: string) => fill(template, prng, subject, noun)
  const lines = [say(prng.pick(openers))]
  let length = lines[0]?.length ?? 0
  const add = (line: string): boolean => {
    if (Math.abs(length + line.length - target) >= Math.abs(length - target)) return false
    lines.push(line)
    length += line.length + 1
    return true
  }
  const rest = prng.some(sentences, sentences.length - prng.int(0, 3))
  const offset = prng.int(0, rest.length - 1)
  for (let index = 0; index < rest.length; index++) {
    if (!add(say(rest[(index + offset) % rest.length] ?? ""))) break
  }
  const isTooShort = () => length < target - 80 * density
  for (let more = 0; more < maxListed && isTooShort(); more++) {
    if (!add(`• ${title(prng, subject)}`)) break
  }
  add(say(prng.pick(closers)))
  return lines.join(prng.chance(0.5) ? "\n\n" : prng.chance(0.5) ? "\n" : " ")
}

/** HTML with a heading, paragraphs and, if it is long, a list: 759 characters in the median, 2,743 and 6,055 at the percentiles 95 and 99. */
export const description = (prng: Prng, subject: Subject, about: string): string | null => {
  if (prng.chance(0.06)) return null
  const { colors, density, qualities, sentences, space } = subject.lexicon
  const target = Math.min(20_000, prng.logNormal(750, 0.85, 0.6)) * density
  const noun = prng.pick(subject.nouns)
  const first = prng.int(0, sentences.length - 1)
  let html = `<h3>${about.replaceAll("&", "&amp;")}</h3>`
  for (let index = 0; index < sentences.length && html.length < target; index++) {
    html += `<p>${fill(sentences[(first + index) % sentences.length] ?? "", prng, subject, noun)}</p>`
  }
  if (html.length >= target) return html
  html += "<ul>"
  while (html.length < target) {
    const each = [prng.pick(subject.nouns), prng.pick(qualities[subject.kind] ?? []), prng.pick(colors)].join(space)
    html += `<li>${each.replaceAll("&", "&amp;")}</li>`
  }
  return `${html}</ul>`
}
