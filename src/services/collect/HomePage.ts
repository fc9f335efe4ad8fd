/** Reads a store's theme, apps, pixels, social networks and language from its home page. */
import { Option, Schema } from "effect"
import type { Language, Pixel, SocialNetwork } from "../../domain/catalog/Enumerations.ts"
import { languageOf } from "../import/formats/ShopCsv.ts"
import type { Signatures } from "./Signatures.ts"

export interface HomePage {
  readonly theme: string | undefined
  readonly language: Language | undefined
  readonly apps: ReadonlyArray<string>
  readonly pixels: ReadonlyArray<Pixel>
  readonly socialNetworks: ReadonlyArray<SocialNetwork>
}

export const read = (html: string, tables: ReadonlyArray<Signatures>): HomePage => {
  const { scripts, tags } = partsOf(html)
  const code = lower([...tags, ...scripts].map(unescaped).join("\n"))
  const links = tags.flatMap(linksOf)
  const isIn = ({ texts }: { readonly texts: ReadonlyArray<string> }) =>
    texts.some((text) => code.includes(lower(text)))
  return {
    theme: themeOf(scripts),
    language: languageOfTags(tags),
    apps: namesOf(tables, ({ apps = [] }) => apps.filter(isIn)),
    pixels: namesOf(tables, ({ pixels = [] }) => pixels.filter(isIn)),
    socialNetworks: namesOf(tables, ({ social_networks = [] }) =>
      social_networks.filter((network) => links.some((link) => isProfile(link, network)))
    )
  }
}

const namesOf = <A>(
  tables: ReadonlyArray<Signatures>,
  found: (table: Signatures) => ReadonlyArray<{ readonly name: A }>
): ReadonlyArray<A> => Array.from(new Set(tables.flatMap((table) => found(table).map(({ name }) => name))))

/** Lowers only ASCII, so that positions stay the same. */
const lower = (text: string): string => text.replaceAll(/[A-Z]+/gu, (found) => found.toLowerCase())

/** Unescapes addresses and JSON in attributes, in scripts, and in strings within them. */
const unescaped = (text: string): string =>
  text
    // Every run of backslashes matches, whatever follows, so that none is read twice.
    .replaceAll(/\\+(?:u002f|[/"])?/giu, (found) => {
      const last = found.at(-1) ?? ""
      return last === "/" || last === '"' ? last : last === "\\" ? found : "/"
    })
    .replaceAll("&amp;", "&")

/**
 * Extracts tags and scripts, but no text, and of comments only those by which the platform names the app of a part of the page.
 * Each character is read once, whatever the page.
 */
const partsOf = (html: string): { readonly tags: ReadonlyArray<string>; readonly scripts: ReadonlyArray<string> } => {
  const tags: Array<string> = []
  const scripts: Array<string> = []
  const text = lower(html)
  const endOf = (what: string, from: number) => {
    const found = text.indexOf(what, from)
    return found === -1 ? text.length : found
  }
  for (let at = text.indexOf("<"); at !== -1; at = text.indexOf("<", at)) {
    if (text.startsWith("<!--", at)) {
      const end = endOf("-->", at + 4)
      if (text.startsWith("<!-- begin app block:", at)) tags.push(html.slice(at, end))
      at = end
      continue
    }
    const end = endOf(">", at + 1)
    tags.push(html.slice(at, end))
    const isScript = /^<script[\s/>]/u.test(text.slice(at, at + 8))
    at = end
    if (!isScript) continue
    at = endOf("</script", end)
    scripts.push(html.slice(end + 1, at))
  }
  return { tags, scripts }
}

const linksOf = (tag: string): ReadonlyArray<URL> => {
  if (!/^<a\s/iu.test(tag)) return []
  const [, double, single] = /\shref\s*=\s*(?:"([^"]*)"|'([^']*)')/iu.exec(tag) ?? []
  const link = URL.parse(unescaped(double ?? single ?? "").trim(), "https://invalid")
  return link === null ? [] : [link]
}

const isProfile = (
  { hostname, pathname, search }: URL,
  { except = [], hosts }: { readonly hosts: ReadonlyArray<string>; readonly except?: ReadonlyArray<string> }
): boolean =>
  hosts.some((host) => hostname === host || hostname.endsWith(`.${host}`)) &&
  pathname.length + search.length > 1 &&
  !except.some((start) => pathname.startsWith(start))

const Theme = Schema.Struct({
  /** The merchant's name for this copy of the theme. */
  name: Schema.optionalKey(Schema.NullOr(Schema.String)),
  /** The name of the theme itself. */
  schema_name: Schema.optionalKey(Schema.NullOr(Schema.String))
})
const decodeTheme = Schema.decodeUnknownOption(Schema.fromJsonString(Theme))

const maxThemeCharacters = 100

const themeOf = (scripts: ReadonlyArray<string>): string | undefined => {
  const [found] = scripts.flatMap(
    (script) => /\bShopify\.theme\s{0,9}=\s{0,9}(\{[^{}]{1,2000}\})/u.exec(script)?.[1] ?? []
  )
  return Option.getOrUndefined(
    Option.map(decodeTheme(found), ({ name, schema_name }) => (schema_name ?? name ?? "").trim()).pipe(
      Option.filter((name) => name !== "" && name.length <= maxThemeCharacters)
    )
  )
}

const languageOfTags = (tags: ReadonlyArray<string>): Language | undefined => {
  const tag = tags.find((tag) => /^<html\s/iu.test(tag)) ?? ""
  const code = /\slang\s*=\s*["']?([a-z]{2,3}(?:[-_][a-z0-9-_]*)?)/iu.exec(tag)?.[1]
  return code === undefined ? undefined : languageOf(code)
}
