/** Escaped HTML. Only {@link html} and {@link rendered} create it; the first escapes every value that is not `Html`. */
import { html as template, raw } from "hono/html"
import type { HtmlEscapedString } from "hono/utils/html"

export type Html = HtmlEscapedString

/** Values of a template. `undefined` and `false` are left out. */
export type Value = string | number | false | undefined | Html | ReadonlyArray<string | Html>

/** Write attribute values in double quotes. */
export const html = (strings: TemplateStringsArray, ...values: ReadonlyArray<Value>): Html =>
  // The result is a promise only if a value is one, and the type excludes that.
  template(strings, ...values) as Html

/** HTML that a renderer of our own Markdown has escaped. Never for text of third parties. */
export const rendered = (text: string): Html => raw(text)
