/**
 * The style sheet (Pico CSS and our own, in one file) and the scripts of the pages. Served from this origin under content
 * hashes.
 */
import { Context, Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import * as Cacheable from "../../shared/Cacheable.ts"

/** The address changes with the content, so a cached copy is never outdated. */
const immutable = "public, max-age=31536000, immutable"

export interface Asset {
  /** Such as `/assets/style.0f1e2d3c4b5a.css`. */
  readonly path: `/${string}`
  readonly contentType: string
  readonly content: Uint8Array
}

/** Comments and indentation are a tenth of what browsers load; licenses begin with an exclamation mark and stay. */
const shortened = (css: string): string =>
  css
    .split("/*")
    .map((part, index) => {
      if (index === 0) return part
      return part.startsWith("!") ? `/*${part}` : part.slice(part.indexOf("*/") + 2)
    })
    .join("")
    .replaceAll(/\n[\n ]+/gu, "\n")

/** A comment has lines of its own. */
const withoutCommentLines = (script: string): string =>
  script
    .split("\n")
    .filter((line) => !/^(?:\/\/|\/?\*)/u.test(line.trimStart()))
    .join("\n")

/** Read once, at the start. A missing file is a broken installation, so the start fails. */
const read = (name: string, extension: string, contentType: string, files: ReadonlyArray<string>): Asset => {
  const text = files.map((file) => readFileSync(fileURLToPath(file), "utf8")).join("\n")
  const content = new TextEncoder().encode(extension === "css" ? shortened(text) : withoutCommentLines(text))
  return { path: `/assets/${name}.${Cacheable.hashOf(content)}.${extension}`, contentType, content }
}

export class Assets extends Context.Service<
  Assets,
  { readonly style: Asset; readonly script: Asset; readonly passkeys: Asset }
>()("discovery/http/pages/Assets") {
  static readonly layer = Layer.sync(Assets, () => ({
    style: read("style", "css", "text/css; charset=utf-8", [
      import.meta.resolve("./pico/pico.blue.min.css"),
      import.meta.resolve("./styles/base.css"),
      import.meta.resolve("./styles/people.css"),
      import.meta.resolve("./styles/integrations.css"),
      import.meta.resolve("./styles/stores.css"),
      import.meta.resolve("./styles/searches.css"),
      import.meta.resolve("./styles/results.css"),
      import.meta.resolve("./styles/market.css"),
      import.meta.resolve("./styles/changes.css"),
      import.meta.resolve("./styles/usage.css"),
      import.meta.resolve("./styles/boards.css"),
      import.meta.resolve("./styles/controls.css"),
      import.meta.resolve("./styles/docs.css")
    ]),
    script: read("script", "js", "text/javascript; charset=utf-8", [
      import.meta.resolve("./site.js"),
      import.meta.resolve("./filters.js")
    ]),
    passkeys: read("passkeys", "js", "text/javascript; charset=utf-8", [import.meta.resolve("./passkeys.js")])
  }))
}

export const routes = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const { passkeys, script, style } = yield* Assets
    for (const { content, contentType, path } of [style, script, passkeys]) {
      yield* router.add(
        "GET",
        path,
        Cacheable.handler({ content, contentType, headers: { "cache-control": immutable } })
      )
    }
  })
)
