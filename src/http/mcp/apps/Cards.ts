/** The cards of the extension MCP Apps (P37): one self-contained resource for each kind of answer (P34, P35). */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { numberFigures, storeFigures } from "../../../domain/catalog/Figures.ts"
import { catalogs, languages } from "../../../domain/Messages.ts"
import type { Language } from "../../../domain/Messages.ts"
import type { ToolName } from "../../../services/tools/ToolDefinition.ts"
import { mimeType } from "./Extension.ts"

interface Card {
  readonly name: string
  /** English, shown in the host's list. */
  readonly title: string
  readonly description: string
  readonly tool: ToolName
}

const cards = [
  {
    name: "ads",
    title: "Ads",
    description: "Ads as cards: image, page, status, days, call to action.",
    tool: "search_ads"
  },
  {
    name: "products",
    title: "Products",
    description: "Products as cards: image, price, the store's figures.",
    tool: "search_products"
  },
  {
    name: "stores",
    title: "Stores",
    description: "Stores as cards, with their figures.",
    tool: "search_shops"
  },
  {
    name: "store",
    title: "Store",
    description: "All that is known of a store, its visits as a chart.",
    tool: "get_shop"
  },
  {
    name: "market",
    title: "Market overview",
    description: "Groups of stores as bars, with their sums and medians.",
    tool: "compare_markets"
  }
] as const satisfies ReadonlyArray<Card>

const uriOf = ({ name }: Pick<Card, "name">): string => `ui://discovery/${name}`

const byTool = new Map<string, Card>(cards.map((card) => [card.tool, card]))
const byUri = new Map<string, Card>(cards.map((card) => [uriOf(card), card]))

/** `_meta` of the tool in `tools/list`, if its answer has a card. */
export const toolMeta = (tool: string): { readonly ui: { readonly resourceUri: string } } | undefined => {
  const card = byTool.get(tool)
  return card === undefined ? undefined : { ui: { resourceUri: uriOf(card) } }
}

/** `resources/list`. */
export const resources = cards.map((card) => ({
  uri: uriOf(card),
  name: card.name,
  title: card.title,
  description: card.description,
  mimeType
}))

export const find = (uri: string): Card | undefined => byUri.get(uri)

const read = (file: string): string => readFileSync(fileURLToPath(import.meta.resolve(file)), "utf8")

/** Read once at start, like the code. */
const style = read("./view/card.css")

/** The modules of the view as one script, each after those that it imports. */
const script = ["./view/locale.js", "./view/elements.js", "./view/views.js", "./view/host.js"]
  .map((file) => read(file).replaceAll(/^import [^"]*"[^"]*"\n|^export (?=const )/gmu, ""))
  .join("")

/** Whole keys of messages, and the beginnings of those whose last part is a value of the catalog. */
const namedInScript = Array.from(script.matchAll(/["`](\w+(?:\.\w+)+\.?)["$]/gu), ([, key = ""]) => key)

const messagesOf = (language: Language) =>
  Object.fromEntries(
    Object.entries(catalogs[language]).filter(([key]) =>
      namedInScript.some((named) => (named.endsWith(".") ? key.startsWith(named) : key === named))
    )
  )

/** The messages that the script uses. Escaped, because `</script>` or a comment would end the element that contains it. */
const texts = JSON.stringify(
  Object.fromEntries(languages.map((language) => [language, messagesOf(language)]))
).replaceAll("<", "\\u003c")

const figures = JSON.stringify(
  numberFigures.map((name) => {
    const { answer, isRounded, unit } = storeFigures[name]
    return { name, field: answer, unit, isRounded }
  })
)

const hash = (content: string): string => `'sha256-${createHash("sha256").update(content).digest("base64")}'`

const ownSources = [`script-src ${hash(script)}`, `style-src ${hash(style)}`]

/**
 * Stricter than the policy that hosts derive from `_meta.ui.csp`, which lets the hosts of images serve scripts and styles too.
 * `connect-src` and all others are `none`.
 */
const policy = (imageOrigins: ReadonlyArray<string>): string =>
  [
    "default-src 'none'",
    ...ownSources,
    `img-src ${imageOrigins.length === 0 ? "'none'" : imageOrigins.join(" ")}`,
    "base-uri 'none'",
    "form-action 'none'"
  ].join("; ")

const html = ({ name, title }: Card, imageOrigins: ReadonlyArray<string>): string => `<!doctype html>
<html lang="en" data-card="${name}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy(imageOrigins)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<main></main>
<script type="application/json" id="texts">${texts}</script>
<script type="application/json" id="figures">${figures}</script>
<script type="module">${script}</script>
</body>
</html>
`

/** `contents` of `resources/read`. The origins must be safe in a policy. */
export const contents = (card: Card, imageOrigins: ReadonlyArray<string>) => [
  {
    uri: uriOf(card),
    mimeType,
    text: html(card, imageOrigins),
    _meta: { ui: { csp: { resourceDomains: imageOrigins }, prefersBorder: true } }
  }
]
