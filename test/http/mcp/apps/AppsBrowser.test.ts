/** The cards of MCP Apps in a browser, with the host library of the extension, against the whole service (P37). */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import type { McpUiHostContext, McpUiStyles } from "@modelcontextprotocol/ext-apps/app-bridge"
import type { Frame } from "playwright-core"
import { modernVersion } from "../../../../src/domain/mcp/Protocol.ts"
import * as Access from "../../../support/Access.ts"
import * as AppHost from "../../../support/AppHost.ts"
import { Browser, isAvailable, looks, picture, violations } from "../../../support/Browser.ts"
import { connectV2 } from "../../../support/RealClients.ts"
import { Site } from "../../../support/Site.ts"
import * as StoreRecords from "../../../support/StoreRecords.ts"

const hostile = '<img src="https://cdn.test/hostile.svg" onerror="document.title=1"><script>document.title=2</script>'

/** Some variables: a host need not set all. */
const variables = (some: Partial<McpUiStyles>) => some as McpUiStyles

/** A store with all data, and one without figures whose texts attack the reader. */
const catalog = Effect.gen(function* () {
  yield* StoreRecords.addNiche(1, "Lighting")
  const id = yield* StoreRecords.addStore(StoreRecords.everyColumn)
  yield* StoreRecords.addTraffic(id, StoreRecords.twoYears)
  const other = yield* StoreRecords.addStore({ name: hostile, domain: "hostile.example" })
  for (let index = 0; index < 3; index++) {
    yield* StoreRecords.addProduct(id, {
      title: ["Stehlampe aus Eiche mit einem langen Namen", "Wandleuchte", "Tischlampe"][index] ?? "",
      url: `https://store.test/products/${index}`,
      image_url: index === 2 ? "https://cdn.test/broken.svg" : `https://cdn.test/product${index}.svg`,
      price: 19.9 + index
    })
    yield* StoreRecords.addAd(id, {
      page_name: "Nordlicht",
      media_type: index === 0 ? "video" : "carousel",
      is_active: index < 2,
      headline: "Warmes Licht für lange Abende",
      ad_text: "Unsere Lampen werden in Handarbeit gefertigt.\n\nJetzt mit 20 % Rabatt auf alle Stehlampen. ".repeat(3),
      cta: "Shop Now",
      image_url: `https://images.cdn.test/ad${index}.svg`,
      ad_library_url: `https://library.test/?id=${index}`,
      landing_url: "https://store.test/"
    })
  }
  const attack = { image_url: "javascript:alert(1)", title: hostile, url: "javascript:alert(1)" }
  yield* StoreRecords.addProduct(other, { ...attack, price: 1 })
  yield* StoreRecords.addAd(other, {
    page_name: hostile,
    headline: hostile,
    ad_text: `\u202E${hostile}`,
    landing_url: "javascript:alert(1)",
    ad_library_url: "https://library.test@evil.test/",
    // Neither over TLS nor from a host that the policy names.
    image_url: "http://plain.test/ad.svg"
  })
  yield* StoreRecords.derive
  return { id, other }
}).pipe(Effect.cached, Effect.runSync)

type Mode = "legacy" | { readonly pin: string }

/** Shows the answer to a call by a new account in its own window. */
const show = Effect.fnUntraced(function* (
  call: { readonly name: string; readonly arguments: Record<string, unknown> },
  { hostContext, mode = { pin: modernVersion } }: { hostContext?: McpUiHostContext; mode?: Mode } = {}
) {
  const { url } = yield* Site
  const { caller, secret } = yield* Access.subscriber()
  const page = yield* (yield* Browser).open()
  const client = yield* Effect.acquireRelease(
    Effect.promise(() =>
      connectV2(
        url,
        { capabilities: AppHost.capabilities, versionNegotiation: { mode } },
        { authorization: `Bearer ${Redacted.value(secret)}` }
      )
    ),
    (client) => Effect.promise(() => client.close())
  )
  const shown = yield* AppHost.show(page, client, call, hostContext)
  return { ...shown, page, accountId: caller.accountId }
})

const text = (frame: Frame) => Effect.promise(() => frame.locator("main").innerText())

/** Texts that each card shows. */
const calls: ReadonlyArray<readonly [name: string, args: Record<string, unknown>, says: ReadonlyArray<string>]> = [
  [
    "search_ads",
    { sort_by: "newest" },
    ["Ads", "Results: 4", "Nordlicht", "Running", "Stopped", "Days running", "Shop Now", "Warmes Licht", "Germany"]
  ],
  ["search_products", {}, ["Products", "Stehlampe aus Eiche", "€19.90", "€184,250", "Visits a month", "Running ads"]],
  ["search_shops", { sort_by: "revenue" }, ["Stores", "Nordlicht Lampen", "nordlicht-lampen.com", "Lighting", "2,310"]],
  [
    "compare_markets",
    { group_by: "country", sort_by: "visits" },
    [
      "Market overview",
      "Groups: 2",
      "Germany",
      "115,475",
      "Share of stores",
      "50%",
      "€184,250",
      "Median traffic growth"
    ]
  ],
  ["get_shop", {}, ["Nordlicht Lampen", "Traffic", "Visits by month, estimated", "Dawn", "German and English", "4.3"]]
]

const argumentsOf = Effect.fnUntraced(function* (name: string, args: Record<string, unknown>) {
  const { id } = yield* catalog
  return { name, arguments: name === "get_shop" ? { shop_id: id } : args }
})

describe.skipIf(!isAvailable())("the cards of MCP Apps", () => {
  layer(Layer.merge(Browser.layer, Site.layer()), { excludeTestServices: true })((it) => {
    it.effect.each(calls)("%s: passes axe and fits, small and large, light and dark", ([name, args, says]) =>
      Effect.gen(function* () {
        const { bridge, frame, heights, page } = yield* show(yield* argumentsOf(name, args))
        for (const each of says) assert.include(yield* text(frame), each)
        for (const { scheme, width } of looks) {
          yield* Effect.promise(async () => {
            await page.setViewportSize({ width, height: 800 })
            bridge.setHostContext({ theme: scheme })
            await frame.locator(`html[style*="color-scheme: ${scheme}"]`).waitFor()
          })
          yield* picture(page, `app-${name}-${width}-${scheme}`)
          assert.deepStrictEqual(yield* violations(page), [], `${name} ${width} ${scheme}`)
          const wider = yield* Effect.promise(() =>
            frame.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
          )
          assert.isAtMost(wider, 0)
        }
        assert.isAbove(Math.max(...heights), 300)
      })
    )

    it.effect("one call is charged, and nothing is loaded but images of the hosts that the policy names", () =>
      Effect.gen(function* () {
        const { accountId, frame, loaded, page } = yield* show(yield* argumentsOf("search_ads", { sort_by: "newest" }))
        yield* Effect.promise(() =>
          frame.evaluate(async () => {
            for (const image of document.images) {
              image.scrollIntoView()
              await image.decode().catch(() => undefined)
            }
          })
        )
        assert.sameMembers(
          Array.from(loaded),
          [0, 1, 2].map((index) => `https://images.cdn.test/ad${index}.svg`)
        )
        assert.strictEqual((yield* Access.books(accountId)).balance.used, 1)
        // Third-party texts are shown as text, whatever they contain.
        assert.include(yield* text(frame), hostile)
        assert.deepStrictEqual(
          [yield* Effect.promise(() => page.title()), yield* Effect.promise(() => frame.title())],
          ["Host", "Ads"]
        )
        assert.strictEqual(yield* Effect.promise(() => frame.locator("a[href^='javascript'], a[href*='@']").count()), 0)
      })
    )

    it.effect("an image that cannot be loaded leaves its placeholder", () =>
      Effect.gen(function* () {
        const { frame } = yield* show(yield* argumentsOf("search_products", {}))
        yield* Effect.promise(() => frame.locator(".picture:empty").nth(1).waitFor())
        assert.strictEqual(yield* Effect.promise(() => frame.locator(".picture").count()), 4)
      })
    )

    it.effect.each<[Mode]>([["legacy"], [{ pin: modernVersion }]])(
      "the keyboard opens links through the host: %j",
      ([mode]) =>
        Effect.gen(function* () {
          const { firstOpened, frame, opened, page } = yield* show(yield* argumentsOf("get_shop", {}), { mode })
          const { url } = yield* Site
          const { id } = yield* catalog
          yield* Effect.promise(async () => {
            await frame.getByRole("link", { name: "Open in Discovery" }).focus()
            await page.keyboard.press("Enter")
            // Past the links to the products and the ads, to the table of visits.
            for (const key of ["Tab", "Tab", "Tab", "Enter"]) await page.keyboard.press(key)
            await frame.getByRole("cell", { name: "40,000" }).waitFor()
            await firstOpened
          })
          assert.deepStrictEqual(opened, [`${url}/dashboard/shops/${id}`])
          for (const [name, section] of [
            ["All its products", "products"],
            ["All its ads", "ads"]
          ] as const) {
            const href = yield* Effect.promise(() => frame.getByRole("link", { name }).getAttribute("href"))
            assert.strictEqual(href, `${url}/dashboard/${section}?shop_ids=${id}&sort_by=newest`)
          }
        })
    )

    it.effect("the language and the colors follow those of the host", () =>
      Effect.gen(function* () {
        const { bridge, frame, page } = yield* show(yield* argumentsOf("get_shop", {}), {
          hostContext: { locale: "de-AT", styles: { variables: variables({ "--color-text-primary": "rgb(1, 2, 3)" }) } }
        })
        assert.include(yield* text(frame), "Umsatz im Monat")
        const color = yield* Effect.promise(() => frame.locator("h1").evaluate((h1) => getComputedStyle(h1).color))
        assert.strictEqual(color, "rgb(1, 2, 3)")
        yield* picture(page, "app-german")
        for (const [locale, says] of [
          ["fr", "Visites"],
          ["pt-BR", "Visits"],
          ["es-MX", "Visitas"],
          ["not a tag", "Visits"]
        ] as const) {
          bridge.setHostContext({ locale })
          yield* Effect.promise(() => frame.getByText(says).first().waitFor())
        }
      })
    )

    it.effect("groups are named in the language of the host, and bars are as long as their figures", () =>
      Effect.gen(function* () {
        for (const [group_by, names] of [
          ["language", ["Deutsch", "Englisch"]],
          ["currency", ["Euro (EUR)"]],
          ["country", ["Deutschland"]]
        ] as const) {
          const { frame } = yield* show(yield* argumentsOf("compare_markets", { group_by, sort_by: "active_ads" }), {
            hostContext: { locale: "de" }
          })
          const shown = yield* Effect.promise(() => frame.locator(".bars h2").allInnerTexts())
          assert.includeMembers(shown, Array.from(names))
          if (group_by !== "country") continue
          // Two running ads of one store, one of the other.
          const widths = yield* Effect.promise(() =>
            frame
              .locator(".bar")
              .evaluateAll((bars) =>
                bars.map((bar) => (bar.firstElementChild?.getBoundingClientRect().width ?? 0) / bar.clientWidth)
              )
          )
          assert.lengthOf(widths, 2)
          assert.closeTo(widths[0] ?? 0, 1, 0.01)
          assert.closeTo(widths[1] ?? 0, 0.5, 0.01)
        }
        const { frame } = yield* show(yield* argumentsOf("get_shop", {}), { hostContext: { locale: "de" } })
        assert.include(yield* text(frame), "Deutsch und Englisch")
      })
    )

    it.effect("an error and a canceled call are shown as text", () =>
      Effect.gen(function* () {
        const { bridge, frame } = yield* show({ name: "search_ads", arguments: { per_page: 26 } })
        assert.include(yield* Effect.promise(() => frame.getByRole("alert").innerText()), "per_page: must be")
        yield* Effect.promise(() => bridge.sendToolCancelled({ reason: "test" }))
        yield* Effect.promise(() => frame.getByText("The call was canceled.").waitFor())
        // The view answers when the host ends it.
        assert.deepStrictEqual(yield* Effect.promise(() => bridge.teardownResource({})), {})
      })
    )
  })
})
