/** Text that is HTML: made by {@link html} alone, which escapes every value that is not HTML itself. */
import { html as template } from "hono/html"
import type { HtmlEscapedString } from "hono/utils/html"

export type Html = HtmlEscapedString

/** What can stand in a template. Left out: `undefined` and `false`. */
export type Value = string | number | false | undefined | Html | ReadonlyArray<string | Html>

/** Attributes are written with double quotes around their values. */
export const html = (strings: TemplateStringsArray, ...values: ReadonlyArray<Value>): Html =>
  // A promise comes only of values that are promises, and no value is one.
  template(strings, ...values) as Html
