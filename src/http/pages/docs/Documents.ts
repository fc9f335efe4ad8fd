/** The list of the public documents, and their published Markdown (D65). */
import { readFileSync } from "node:fs"
import { documentationPath } from "../../shared/DocumentationPaths.ts"

export interface Document {
  /** The last part of its addresses. */
  readonly name: string
  /** Its path in the repository. */
  readonly file: string
  readonly label: string
  readonly about: string
}

const document = (name: string, about: string, file = `docs/${name}.md`): Document => ({
  name,
  file,
  label: `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
  about
})

export const documents: readonly [Document, ...ReadonlyArray<Document>] = [
  document("overview", "what the service is, the first call, plans and credits"),
  document(
    "clients",
    "how each client connects, with a sign-in or a key, its known faults, and what it shows when something is wrong"
  ),
  document("tools", "every tool: an example as a JSON-RPC call, its arguments, its cost and its answer"),
  document("errors", "every error code, what it means and what to do"),
  document("limits", "credits, rates, sizes and lifetimes"),
  document("cards", "answers as cards and charts in hosts of MCP Apps"),
  document("dashboard", "the pages for people: searches as addresses, keys, usage, languages"),
  document("changelog", "what has changed, by version", "CHANGELOG.md")
]

/** The first document is at the address of all. */
export const pathOf = ({ name }: Document): `/${string}` =>
  name === documents[0].name ? documentationPath : `${documentationPath}/${name}`

export const markdownPathOf = ({ name }: Document): `/${string}` => `${documentationPath}/${name}.md`

const project = new URL("../../../../", import.meta.url)

/** A file that is not there is a broken installation. */
export const read = ({ file }: Document): string => readFileSync(new URL(file, project), "utf8")

/** Placeholders for the `BASE_URL` of the server. */
const placeholders = /https:\/\/discovery\.example\.com|\{base_url\}/gu

const comments = /<!--[\s\S]*?-->\s*/gu

/** Code in blocks has none of these. */
const links = /\[([^\][]+)\]\(([^()\s]+)\)/gu

/**
 * The Markdown for readers of this server: with its addresses, without comments, and with links to other documents as
 * `toDocument` has them. Of a link to a file that is not published, the text remains.
 */
export const published = (
  { file }: Document,
  markdown: string,
  options: { readonly baseUrl: string; readonly toDocument: (document: Document) => string }
): string => {
  const place = new URL(file, project)
  const link = (whole: string, text: string, target: string): string => {
    if (/^(?:https?:|#)/u.test(target)) return whole
    const { hash, href } = new URL(target, place)
    const linked = documents.find((document) => href === `${new URL(document.file, project).href}${hash}`)
    return linked === undefined ? text : `[${text}](${options.toDocument(linked)}${hash})`
  }
  return markdown.replaceAll(comments, "").replaceAll(links, link).replaceAll(placeholders, options.baseUrl)
}
