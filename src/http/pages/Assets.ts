/** The style sheet of the pages: Pico CSS and what is ours, as one file from this origin under the hash of its content. */
import { Context, Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http"
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"

const files = [import.meta.resolve("@picocss/pico/css/pico.blue.min.css"), import.meta.resolve("./site.css")]

/** The address changes with the content, so that what is kept is never outdated. */
const immutable = "public, max-age=31536000, immutable"

export class Assets extends Context.Service<
  Assets,
  {
    /** Such as `/assets/style.0f1e2d3c4b5a.css`. */
    readonly stylePath: `/${string}`
    readonly style: Uint8Array
  }
>()("discovery/http/pages/Assets") {
  /** Read once, like the code: a file of the package that is not there is a broken installation, and no start. */
  static readonly layer = Layer.sync(Assets, () => {
    const style = new TextEncoder().encode(files.map((file) => readFileSync(fileURLToPath(file), "utf8")).join("\n"))
    const hash = createHash("sha256").update(style).digest("hex").slice(0, 12)
    return { stylePath: `/assets/style.${hash}.css`, style } as const
  })
}

export const routes = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const { style, stylePath } = yield* Assets
    const headers = { "cache-control": immutable, vary: "accept-encoding", "x-content-type-options": "nosniff" }
    const contentType = "text/css; charset=utf-8"
    const plain = HttpServerResponse.uint8Array(style, { contentType, headers })
    const zipped = HttpServerResponse.uint8Array(gzipSync(style, { level: 9 }), {
      contentType,
      headers: { ...headers, "content-encoding": "gzip" }
    })
    yield* router.add("GET", stylePath, (request: HttpServerRequest.HttpServerRequest) =>
      Effect.succeed(
        /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(request.headers["accept-encoding"] ?? "") ? zipped : plain
      )
    )
  })
)
