import { assert, layer } from "@effect/vitest"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, FileSystem } from "effect"
import { pixels, socialNetworks } from "../../../src/domain/catalog/Enumerations.ts"
import * as HomePage from "../../../src/services/collect/HomePage.ts"
import * as Signatures from "../../../src/services/collect/Signatures.ts"

/** Puts HTML into a home page without other findings, whose text mentions everything. */
const around = (html: string) => `<!DOCTYPE html>
<html lang="en"><head><title>Oakline</title>
<!-- removed: <script src="https://static.klaviyo.com/onsite/js/x/klaviyo.js"></script> fbq('init', '1'); s.axon.ai/pixel.js -->
<script>window.Shop = {"currency":"EUR"};</script></head>
<body><p>We use cdn.judge.me/ and connect.facebook.net/en_US/fbevents.js, see https://www.instagram.com/oakline.</p>
${html}
<a href="/collections/all">All</a> <a href="https://oakline.com/pages/facebook.com">About</a>
</body></html>`

const asyncLoad = (url: string) =>
  `<script>(function(){function asyncLoad(){var urls=["${url.replaceAll("/", String.raw`\/`)}"];for(var i=0;i<urls.length;i++){}}})();</script>`

const apps: Record<string, string> = {
  Klaviyo: `<script async src="https://static.klaviyo.com/onsite/js/AbC123/klaviyo.js?company_id=AbC123"></script>`,
  "Judge.me": `<link rel="stylesheet" media="nope!" href="https://cdn.judge.me/widget_v3/base.css">`,
  Loox: asyncLoad("//loox.io/widget/VkW1abcde/loox.1600000000000.js?shop=a.myshopify.com"),
  Yotpo: `<script src="https://cdn-widgetsrepository.yotpo.com/v1/loader/AbCdEf" async></script>`,
  Privy: asyncLoad("https://widget.privy.com/assets/widget.js?shop=a.myshopify.com"),
  Omnisend: asyncLoad("https://omnisnippet1.com/platforms/shopify.js?source=scriptTag&v=2024"),
  Recharge: `<script src="https://static.rechargecdn.com/assets/js/widget.min.js?shop=a.myshopify.com"></script>`,
  Gorgias: asyncLoad("https://config.gorgias.chat/bundle-loader/shopify/a.myshopify.com"),
  Tidio: asyncLoad("https://code.tidio.co/abcdefghijklmnop.js?shop=a.myshopify.com"),
  Okendo: `<link rel="preload" as="script" href="https://cdn-static.okendo.io/reviews-widget-plus/js/okendo-reviews.js">`,
  Stamped: `<script data-api-key="pubkey-1" id="stamped-script-widget" async src="https://cdn1.stamped.io/files/widget.min.js"></script>`,
  "Smile.io": asyncLoad("https://js.smile.io/v1/smile-shopify.js?shop=a.myshopify.com"),
  PageFly: asyncLoad("https://cdn.pagefly.io/pagefly/2.18.27/en/pagefly-general-helper.js"),
  Rebuy: asyncLoad("https://cdn.rebuyengine.com/onsite/js/rebuy.js?shop=a.myshopify.com"),
  Attentive: asyncLoad("https://cdn.attn.tv/a/dtag.js?shop=a.myshopify.com"),
  Postscript: `<script src="https://sdk.postscript.io/sdk.bundle.js?shopId=1" async></script>`,
  "Shopify Inbox": `<script defer src="https://cdn.shopify.com/extensions/0190/inbox-1/assets/inbox-chat-loader.js"></script>`,
  Weglot: `<script src="https://cdn.weglot.com/weglot_script_tag.js?shop=a.myshopify.com" async></script>`,
  Vitals: asyncLoad("https://appsolve.io/asset/fb64/vitals.js?shop=a.myshopify.com"),
  Instafeed: asyncLoad("https://instafeed.nfcube.com/cdn/instafeed-1.0.0.js?shop=a.myshopify.com")
}

const pixelPages: Record<(typeof pixels)[number], string> = {
  TikTok: `<script>!function(w,d,t){ttq.load('C4ABCDE');ttq.page()}(window,document,'ttq');</script>`,
  Snapchat: `<script>(function(e,t,n){r.src=n})(window,document,'https://sc-static.net/scevent.min.js');</script>`,
  Facebook: `<noscript><img height="1" src="https://www.facebook.com/tr?id=1234567890&amp;ev=PageView&noscript=1"/></noscript>`,
  Instagram: `<script async src="//www.instagram.com/embed.js"></script>`,
  Google: `<SCRIPT ASYNC SRC='HTTPS://WWW.GOOGLETAGMANAGER.COM/gtag/js?id=G-ABC'></SCRIPT>`,
  Twitter: `<script>!function(e,t,n,s,u,a){u.src='https://static.ads-twitter.com/uwt.js'}(window,document,'script');</script>`,
  Pinterest: `<script>!function(e){t.src=e}("https://s.pinimg.com/ct/core.js");pintrk('load', '261234567890');</script>`,
  Reddit: `<script>!function(w,d){t.src="https://www.redditstatic.com/ads/pixel.js"}(window,document);rdt('init','t2_abc');</script>`,
  TripleWhale: `<link rel="preconnect dns-prefetch" href="https://api.config-security.com/" crossorigin />`,
  Applovin: `<script>!function(e,r){t.src="https://s.axon.ai/pixel.js?id=ABC"}(window);axon("init");</script>`
}

const networkPages: Record<(typeof socialNetworks)[number], string> = {
  Facebook: `<a class="link" href="https://www.facebook.com/oakline" aria-label="Facebook"><svg></svg></a>`,
  Instagram: `<a target=_blank href='https://instagram.com/oakline/'>Instagram</a>`,
  TikTok: `<a href="https://www.tiktok.com/@oakline">TikTok</a>`,
  YouTube: `<a href="//www.youtube.com/channel/UCabc">YouTube</a>`,
  Pinterest: `<a href="https://www.pinterest.com/oakline/">Pinterest</a>`,
  Twitter: `<a href="https://x.com/oakline">X</a>`,
  Snapchat: `<a href="https://www.snapchat.com/add/oakline">Snapchat</a>`,
  Reddit: `<a href="https://www.reddit.com/r/oakline/">Reddit</a>`
}

const nothing: HomePage.HomePage = { theme: undefined, language: "English", apps: [], pixels: [], socialNetworks: [] }

layer(NodeServices.layer)("a home page", (it) => {
  const read = (html: string) => Effect.map(Signatures.load(undefined), (tables) => HomePage.read(html, tables))

  it.effect("is not read in its text and its comments", () =>
    Effect.map(read(around("")), (found) => assert.deepStrictEqual(found, nothing))
  )

  it.effect("has a test page for every signature", () =>
    Effect.map(Signatures.load(undefined), ([table]) => {
      const names = (list: ReadonlyArray<{ readonly name: string }> = []) => list.map(({ name }) => name)
      assert.lengthOf(table?.apps ?? [], 20)
      assert.deepStrictEqual(names(table?.apps), Object.keys(apps))
      assert.deepStrictEqual(names(table?.pixels), [...pixels])
      assert.deepStrictEqual(names(table?.social_networks), [...socialNetworks])
    })
  )

  for (const [name, html] of Object.entries(apps)) {
    it.effect(`recognizes the app ${name}, and nothing else`, () =>
      Effect.map(read(around(html)), (found) => assert.deepStrictEqual(found, { ...nothing, apps: [name] }))
    )
  }
  for (const [name, html] of Object.entries(pixelPages)) {
    it.effect(`recognizes the pixel ${name}, and nothing else`, () =>
      Effect.map(read(around(html)), (found) => assert.deepStrictEqual<object>(found, { ...nothing, pixels: [name] }))
    )
  }
  for (const [name, html] of Object.entries(networkPages)) {
    it.effect(`recognizes the social network ${name}, and nothing else`, () =>
      Effect.map(read(around(html)), (found) =>
        assert.deepStrictEqual<object>(found, { ...nothing, socialNetworks: [name] })
      )
    )
  }

  it.effect("names its apps in comments of the platform", () =>
    Effect.map(
      read(
        around(
          "<!-- BEGIN app block: shopify://apps/klaviyo-email-marketing-sms/blocks/klaviyo-onsite-embed/2632fe16 --><p></p><!-- END app block -->"
        )
      ),
      (found) => assert.deepStrictEqual(found, { ...nothing, apps: ["Klaviyo"] })
    )
  )

  it.effect.each([
    [String.raw`{\"pixel_id\":\"1234567890\",\"pixel_type\":\"facebook_pixel\"}`, "Facebook"],
    [String.raw`{\"config\":\"{\\\"google_tag_ids\\\":[\\\"G-ABC\\\"]}\"}`, "Google"],
    [String.raw`{\"pixelCode\":\"C4ABCDE\"}`, "TikTok"],
    [String.raw`{\"tagID\":\"2612345678901\"}`, "Pinterest"]
  ] as const)("tells pixels that the platform runs: %s", ([configuration, pixel]) =>
    Effect.map(
      read(around(`<script>{webPixelsConfigList:[{"id":"1","configuration":"${configuration}"}]}</script>`)),
      (found) => assert.deepStrictEqual(found, { ...nothing, pixels: [pixel] })
    )
  )

  it.effect.each([
    `<a href="https://www.facebook.com/sharer.php?u=https://oakline.com">Share</a>`,
    `<a href="https://twitter.com/share?text=Lamp">Tweet</a>`,
    `<a href="https://pinterest.com/pin/create/button/?url=a">Pin</a>`,
    `<a href="https://www.facebook.com/">Facebook</a>`,
    `<a href="https://notfacebook.com/oakline">Other</a>`,
    `<a href="https://facebook.com.evil.example/oakline">Other</a>`,
    `<a href="https://ox.com/oakline">Other</a>`,
    `<link href="https://www.facebook.com/oakline">`,
    `<a href="https://[">Broken</a>`
  ])("takes no link that shares the page, or is another's, for a profile: %s", (html) =>
    Effect.map(read(around(html)), (found) => assert.deepStrictEqual(found, nothing))
  )

  const theme = (object: string) => `<script>Shopify.theme = ${object};\nShopify.theme.handle = "null";</script>`
  it.effect.each([
    [`{"name":"Dawn","id":1,"theme_store_id":887,"role":"main"}`, "Dawn"],
    [`{"name":"Copy of Dawn \\u2013 sale","id":1,"schema_name":"Dawn","schema_version":"15.0.0"}`, "Dawn"],
    [`{"name":"Winter","schema_name":null}`, "Winter"],
    [`{"name":"<b>","id":1}`, "<b>"],
    [`{"name":" "}`, undefined],
    [`{"name":5}`, undefined],
    [`{name:"Dawn"}`, undefined],
    [`{"name":"${"a".repeat(101)}"}`, undefined]
  ] as const)("tells the theme of %s", ([object, name]) =>
    Effect.map(read(around(theme(object))), (found) => assert.strictEqual(found.theme, name))
  )

  it.effect.each([
    [`<html lang="de">`, "German"],
    [`<html class="no-js" lang='pt-BR'>`, "Portuguese"],
    [`<HTML LANG=nb>`, "Norwegian"],
    [`<html lang="zh_TW">`, "Chinese"],
    [`<html lang="xx">`, undefined],
    [`<html data-lang="de">`, undefined],
    [`<html>`, undefined]
  ] as const)("tells the language of %s", ([tag, language]) =>
    Effect.map(read(`${tag}<body></body></html>`), (found) => assert.strictEqual(found.language, language))
  )

  it.effect.each([
    "<script>".repeat(400_000),
    "<".repeat(3_000_000),
    "<!--".repeat(800_000),
    `${"<a ".repeat(500_000)}href="`,
    `<script>${"Shopify.theme = {".repeat(200_000)}</script>`,
    `<html ${"lang ".repeat(500_000)}>`,
    `<script>${"\\\\".repeat(1_500_000)}</script>`,
    `<script>${"\\\\u".repeat(1_000_000)}</script>`,
    ""
  ])("is read quickly, whatever it is", (html) => Effect.asVoid(read(html)), 5_000)

  it.effect("is read by the signatures of an operator as well", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const file = yield* fs.makeTempFileScoped({ suffix: ".json" })
      yield* fs.writeFileString(
        file,
        JSON.stringify({
          apps: [{ name: "Hextom", texts: ["cdn.hextom.com/"] }],
          pixels: [{ name: "Google", texts: ["sgtm.oakline.com"] }],
          social_networks: [{ name: "Facebook", hosts: ["fb.me"] }]
        })
      )
      const tables = yield* Signatures.load(file)
      const html = `${apps["Tidio"]}<script src="//cdn.hextom.com/js/bar.js"></script><script src="https://sgtm.oakline.com/x.js"></script><a href="https://fb.me/oakline">F</a>`
      assert.deepInclude(HomePage.read(around(html), tables), {
        apps: ["Tidio", "Hextom"],
        pixels: ["Google"],
        socialNetworks: ["Facebook"]
      })
    })
  )

  it.effect.each([
    ["{", /is not JSON/],
    ["[]", /no table of signatures/],
    [`{"app":[]}`, /app .*`?apps/],
    [`{"apps":[{"name":"A"}]}`, /apps\.0\.texts is required/],
    [`{"apps":[{"name":"A","texts":[]}]}`, /apps\.0\.texts/],
    [`{"apps":[{"name":"A","texts":["js"]}]}`, /apps\.0\.texts\.0/],
    [`{"pixels":[{"name":"Gogle","texts":["gogle.com"]}]}`, /pixels\.0\.name .*`Google`/]
  ] as const)("signatures that are wrong are refused with what is wrong: %s", ([text, message]) =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const file = yield* fs.makeTempFileScoped({ suffix: ".json" })
      yield* fs.writeFileString(file, text)
      const error = yield* Effect.flip(Signatures.load(file))
      assert.include(error.message, file)
      assert.match(error.message, message)
    })
  )
})
