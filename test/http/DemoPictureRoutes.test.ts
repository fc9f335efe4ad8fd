/** The pictures of the demo data over HTTP: there with demo data alone, and only those that records have (D61). */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Pictures from "../../src/domain/catalog/PictureNames.ts"
import { adsPath } from "../../src/http/pages/catalog/AdsPage.ts"
import { productsPath } from "../../src/http/pages/catalog/ProductsPage.ts"
import * as Catalogs from "../support/Catalogs.ts"
import { Site } from "../support/Site.ts"
import * as SiteVisitor from "../support/SiteVisitor.ts"

const product = `${Pictures.root}/products/lamp417.svg`

const imagesOn = (page: string): ReadonlyArray<string> =>
  Array.from(page.matchAll(/<img src="(\/demo\/[^"]+)"/gu), ([, address]) => address ?? "")

layer(Layer.provideMerge(Catalogs.demo("tiny"), Site.layer()), { excludeTestServices: true })(
  "with demo data",
  (it) => {
    it.effect("pages show pictures of this origin, which are served to be kept and to do nothing", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const visitor = yield* SiteVisitor.signedIn(yield* site.account())
        for (const path of [`${adsPath}?sort_by=newest&per_page=25`, `${productsPath}?per_page=25`]) {
          const page = yield* visitor.get(path)
          const images = imagesOn(page.text)
          assert.isAtLeast(images.length, 10)
          assert.include(page.headers.get("content-security-policy") ?? "", "img-src 'self' data: https:;")
          for (const image of images) {
            const { headers, status, text } = yield* site.get(image)
            assert.strictEqual(status, 200, image)
            assert.strictEqual(headers.get("content-type"), "image/svg+xml")
            assert.strictEqual(headers.get("cache-control"), "public, max-age=31536000, immutable")
            assert.strictEqual(
              headers.get("content-security-policy"),
              "default-src 'none'; frame-ancestors 'none'; sandbox"
            )
            assert.strictEqual(headers.get("cross-origin-resource-policy"), "cross-origin")
            assert.match(text, /^<svg xmlns/u)
            const again = yield* site.get(image, { "if-none-match": headers.get("etag") ?? "" })
            assert.deepStrictEqual([again.status, again.text], [304, ""])
          }
        }
      })
    )

    it.effect("an ad's picture has the words of its record, whatever they are, and no other name is drawn", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const sql = yield* SqlClient.SqlClient
        const name = "lamp417-123"
        const address = `${Pictures.root}/ads/123.svg`
        yield* sql`
        UPDATE ad SET key = '123', image_url = ${Pictures.addressOf("ads", name)}, headline = ${`<b onload="x">&amp;</b>`}
        WHERE id = (SELECT min(id) FROM ad)`
        const { status, text } = yield* site.get(address)
        assert.strictEqual(status, 200)
        assert.notInclude(text, "<b")
        assert.include(text.replaceAll(/<[^>]+>/gu, ""), "&lt;b")
        for (const other of [
          `${Pictures.root}/ads/${name}.svg`,
          address.replace("123", "124"),
          address.replace(".svg", ".png"),
          address.replace("123", "9".repeat(21)),
          `${Pictures.root}/ads/%00.svg`,
          `${Pictures.root}/products/${"a".repeat(5_000)}.svg`,
          `${Pictures.root}/products/lamp417-123.svg`,
          `${Pictures.root}/shops/lamp417.svg`
        ]) {
          const answer = yield* site.get(other)
          assert.strictEqual(answer.status, 404, other)
          assert.include(answer.text, "there is nothing at this address")
        }
        assert.strictEqual((yield* site.get(product)).status, 200)
      })
    )
  }
)

layer(Site.layer(), { excludeTestServices: true })("without demo data", (it) => {
  it.effect("there are no pictures", () =>
    Effect.gen(function* () {
      const site = yield* Site
      assert.strictEqual((yield* site.get(product)).status, 404)
    })
  )
})
