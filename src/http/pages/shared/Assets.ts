/**
 * The style sheet (Pico CSS and our own, in one file) and the script of the pages. Served from this origin under content
 * hashes.
 */
import { Context, Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http"
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"

/** The address changes with the content, so a cached copy is never outdated. */
const immutable = "public, max-age=31536000, immutable"

export interface Asset {
  /** Such as `/assets/style.0f1e2d3c4b5a.css`. */
  readonly path: `/${string}`
  readonly contentType: string
  readonly content: Uint8Array
}

/** Read once, at the start. A missing file is a broken installation, so the start fails. */
const read = (name: string, extension: string, contentType: string, files: ReadonlyArray<string>): Asset => {
  const content = new TextEncoder().encode(files.map((file) => readFileSync(fileURLToPath(file), "utf8")).join("\n"))
  const hash = createHash("sha256").update(content).digest("hex").slice(0, 12)
  return { path: `/assets/${name}.${hash}.${extension}`, contentType, content }
}

export class Assets extends Context.Service<Assets, { readonly style: Asset; readonly script: Asset }>()(
  "discovery/http/pages/Assets"
) {
  static readonly layer = Layer.sync(Assets, () => ({
    style: read("style", "css", "text/css; charset=utf-8", [
      import.meta.resolve("@picocss/pico/css/pico.blue.min.css"),
      import.meta.resolve("./styles/base.css"),
      import.meta.resolve("./styles/people.css"),
      import.meta.resolve("./styles/integrations.css"),
      import.meta.resolve("./styles/stores.css"),
      import.meta.resolve("./styles/searches.css"),
      import.meta.resolve("./styles/usage.css")
    ]),
    script: read("script", "js", "text/javascript; charset=utf-8", [import.meta.resolve("./site.js")])
  }))
}

const takesGzip = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
  /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(headers["accept-encoding"] ?? "")

export const routes = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const { script, style } = yield* Assets
    const headers = { "cache-control": immutable, vary: "accept-encoding", "x-content-type-options": "nosniff" }
    for (const { content, contentType, path } of [style, script]) {
      const plain = HttpServerResponse.uint8Array(content, { contentType, headers })
      const zipped = HttpServerResponse.uint8Array(gzipSync(content, { level: 9 }), {
        contentType,
        headers: { ...headers, "content-encoding": "gzip" }
      })
      yield* router.add("GET", path, (request: HttpServerRequest.HttpServerRequest) =>
        Effect.succeed(takesGzip(request) ? zipped : plain)
      )
    }
  })
)
