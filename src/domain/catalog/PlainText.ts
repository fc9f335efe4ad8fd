/**
 * The visible text of third-party HTML: no tags, no scripts, entities decoded, each block on its own line. Linear in
 * the length of the markup. This is not a sanitizer: escape the result wherever it is shown.
 */
import { clean } from "./ThirdPartyText.ts"

/** Elements whose content is not text. */
const unseen = new Set(["script", "style", "noscript", "template", "iframe", "object", "svg", "head", "title"])

const blocks = new Set(
  (
    "address article aside blockquote br dd details div dl dt figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li " +
    "main nav ol p pre section summary table tbody tfoot thead tr ul"
  ).split(" ")
)

const named: Readonly<Record<string, string>> = {
  amp: "&",
  apos: "'",
  bull: "•",
  cent: "¢",
  copy: "©",
  deg: "°",
  eacute: "é",
  egrave: "è",
  euro: "€",
  frac12: "½",
  gt: ">",
  hellip: "…",
  laquo: "«",
  ldquo: "“",
  lsquo: "‘",
  lt: "<",
  mdash: "—",
  middot: "·",
  nbsp: " ",
  ndash: "–",
  pound: "£",
  quot: '"',
  raquo: "»",
  rdquo: "”",
  reg: "®",
  rsquo: "’",
  times: "×",
  trade: "™"
}

const maxCodePoint = 0x10ffff

const decodeEntities = (text: string): string =>
  text.replaceAll(
    /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-zA-Z][a-zA-Z\d]{1,9}));/gu,
    (whole, decimal, hex, name) => {
      if (typeof name === "string") return Object.hasOwn(named, name) ? (named[name] ?? whole) : whole
      const code = typeof decimal === "string" ? Number.parseInt(decimal, 10) : Number.parseInt(String(hex), 16)
      return code <= maxCodePoint ? String.fromCodePoint(code) : ""
    }
  )

/**
 * The index after the tag that begins at `start`. A `>` in quotes does not end it; an unclosed tag ends with the text.
 */
const tagEnd = (html: string, start: number): number => {
  let quote = ""
  for (let index = start; index < html.length; index++) {
    const character = html[index] ?? ""
    if (quote !== "") {
      if (character === quote) quote = ""
    } else if (character === ">") {
      return index + 1
    } else if ((character === '"' || character === "'") && html[index - 1] === "=") {
      quote = character
    }
  }
  return html.length
}

const tagName = /[a-zA-Z][a-zA-Z\d]{0,20}/uy
const opensTag = /[a-zA-Z/!?]/u

/** The index after the end tag of an element whose content is not text. */
const closing = (html: string, name: string, from: number): number => {
  const end = new RegExp(`</${name}`, "giu")
  end.lastIndex = from
  const found = end.exec(html)
  return found === null ? html.length : tagEnd(html, found.index)
}

const withoutTags = (html: string): string => {
  const parts: Array<string> = []
  let at = 0
  while (at < html.length) {
    const open = html.indexOf("<", at)
    if (open === -1) {
      parts.push(html.slice(at))
      break
    }
    parts.push(html.slice(at, open))
    if (!opensTag.test(html[open + 1] ?? "")) {
      parts.push("<")
      at = open + 1
    } else if (html.startsWith("<!--", open)) {
      const end = html.indexOf("-->", open + 4)
      at = end === -1 ? html.length : end + 3
    } else {
      const isEnd = html[open + 1] === "/"
      tagName.lastIndex = open + (isEnd ? 2 : 1)
      const name = tagName.exec(html)?.[0].toLowerCase() ?? ""
      at = tagEnd(html, open + 1)
      if (!isEnd && unseen.has(name)) at = closing(html, name, at)
      else if (blocks.has(name)) parts.push(!isEnd && name === "li" ? "\n- " : "\n")
      else if (name === "td" || name === "th") parts.push(" ")
    }
  }
  return parts.join("")
}

/** Trims lines and merges empty ones. Entities are decoded last, so that `&lt;b&gt;` stays text. */
export const fromHtml = (html: string): string =>
  clean(decodeEntities(withoutTags(html)))
    .split("\n")
    .map((line) => line.replaceAll(/\s+/gu, " ").trim())
    .filter((line) => line !== "" && line !== "-")
    .join("\n")
