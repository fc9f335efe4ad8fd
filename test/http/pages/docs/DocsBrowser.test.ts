/** The documents as people read them: small and large, light and dark, by keyboard (D52, D65). */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { documents, pathOf } from "../../../../src/http/pages/docs/Documents.ts"
import { Browser, checker, isAvailable, overflow, picture, wideLooks } from "../../../support/Browser.ts"
import { Site } from "../../../support/Site.ts"
import { at, goTo, leave } from "../../../support/Steps.ts"

const services = Layer.merge(Browser.layer, Site.layer())

describe.skipIf(!isAvailable())("documents in a browser", () => {
  layer(services, { excludeTestServices: true })((it) => {
    it.effect.each(wideLooks)("pass axe and fit at $width pixels, $scheme", (look) =>
      Effect.gen(function* () {
        const page = yield* (yield* Browser).open(look)
        const check = checker(page, look)
        for (const document of documents) {
          yield* goTo(page, pathOf(document))
          yield* check(`docs-${document.name}`)
        }
      })
    )

    it.effect.each([320, 390, 1280])("fit at %i pixels, all of them", (width) =>
      Effect.gen(function* () {
        const page = yield* (yield* Browser).open({ width })
        for (const document of documents) {
          yield* goTo(page, pathOf(document))
          assert.isAtMost(yield* overflow(page), 0, document.name)
          yield* picture(page, `docs-${document.name}-${width}`)
        }
      })
    )

    it.effect("lead from one to another and to their sections, by keyboard as well", () =>
      Effect.gen(function* () {
        const page = yield* (yield* Browser).open({ width: 390 })
        yield* goTo(page, "/docs")
        yield* leave(page, () => page.getByRole("navigation").getByRole("link", { name: "Errors" }).press("Enter"))
        assert.strictEqual(at(page), "/docs/errors")
        const section = page.getByRole("navigation", { name: "On this page" }).getByRole("link", { name: "Codes" })
        assert.isFalse(yield* Effect.promise(() => section.isVisible()))
        yield* Effect.promise(() => page.getByText("On this page").click())
        yield* Effect.promise(() => section.press("Enter"))
        assert.strictEqual(new URL(page.url()).hash, "#codes")
        assert.isTrue(yield* Effect.promise(() => page.getByRole("button", { name: "Copy" }).first().isVisible()))
      })
    )
  })
})
