/** From the Markdown of a document to the parts of its page. */
import { Lexer, Parser, Renderer } from "marked"
import type { Tokens } from "marked"
import { copyText } from "../shared/CopyText.ts"
import { html, rendered } from "../shared/Html.ts"
import type { Locale } from "../shared/Locale.ts"

/** As on GitHub, so that a link to a section works in both places. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-")

const withoutMarks = (text: string): string => text.replaceAll(/[`*]/gu, "")

class PageRenderer extends Renderer {
  readonly locale: Locale
  title = ""
  readonly sections: Array<{ readonly id: string; readonly text: string }> = []
  #blocks = 0

  constructor(locale: Locale) {
    super()
    this.locale = locale
  }

  /** The first is the page's own. */
  override heading({ depth, text, tokens }: Tokens.Heading): string {
    if (depth === 1) {
      this.title = withoutMarks(text)
      return ""
    }
    const section = { id: anchorOf(text), text: withoutMarks(text) }
    if (depth === 2) this.sections.push(section)
    return `<h${depth} id="${section.id}"><a href="#${section.id}">${this.parser.parseInline(tokens)}</a></h${depth}>\n`
  }

  override code({ text }: Tokens.Code): string {
    const id = `code-${++this.#blocks}`
    return String(copyText({ id, named: this.sections.at(-1)?.id ?? "main", text, locale: this.locale }))
  }

  override table(token: Tokens.Table): string {
    const label = token.header.map(({ text }) => withoutMarks(text)).join(", ")
    return String(
      html`<div class="table" tabindex="0" role="group" aria-label="${label}">${rendered(super.table(token))}</div>`
    )
  }

  /** Documents have no markup but that of Markdown: what looks like it is text. */
  override html({ text }: Tokens.HTML | Tokens.Tag): string {
    return String(html`${text}`)
  }

  /** Images of the repository are not published. */
  override image(): string {
    return ""
  }
}

export const render = (markdown: string, locale: Locale) => {
  const renderer = new PageRenderer(locale)
  const body = rendered(Parser.parse(Lexer.lex(markdown), { renderer }))
  return { title: renderer.title, sections: renderer.sections, body }
}
