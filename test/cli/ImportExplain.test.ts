import * as NodeServices from "@effect/platform-node/NodeServices"
import { AppConfig } from "../../src/Config.ts"
import { assert, layer } from "@effect/vitest"
import { Cause, Console, Effect, Exit, FileSystem, Layer, Runtime, Stdio, Stream } from "effect"
import { Command } from "effect/cli"
import { execFileSync } from "node:child_process"
import { importCommand, importerOf } from "../../src/cli/ImportCommand.ts"
import { Importer } from "../../src/services/import/Importer.ts"
import { SetClock } from "../support/SetClock.ts"
import { TestDatabase } from "../support/TestDatabase.ts"

const runOn = (live: Layer.Layer<Importer>) => {
  const root = Command.make("discovery").pipe(
    Command.withSubcommands([importCommand.pipe(Command.provide(importerOf(live)))])
  )
  const execute = Command.runWith(root, { version: "0" })
  return Effect.fnUntraced(function* (line: ReadonlyArray<string>, stdin = "") {
    const terminal = yield* Console.Console
    const printed: Array<string> = []
    const keep = (...parts: ReadonlyArray<unknown>) => void printed.push(parts.join(" "))
    const console: Console.Console = Object.setPrototypeOf({ log: keep, error: keep }, terminal)
    const exit = yield* execute(line).pipe(
      Effect.provideService(Console.Console, console),
      Effect.provide(
        Layer.provideMerge(Stdio.layerTest({ stdin: Stream.make(new TextEncoder().encode(stdin)) }), NodeServices.layer)
      ),
      Effect.exit
    )
    const code = Exit.isSuccess(exit) ? 0 : Runtime.getErrorExitCode(Cause.squash(exit.cause))
    return { code, text: printed.join("\n") }
  })
}

/** Explaining must not build it. */
const noDatabase: Layer.Layer<Importer> = Layer.effect(Importer, Effect.die("a database was asked for"))
const run = runOn(noDatabase)

const table = [
  "Store URL;Company Name;Location;Monthly Sales;Launched;E-Mail",
  "https://www.oakline.com/;Oakline;Germany;1.234,50 €;31.12.2020;secret@oakline.com",
  "lamp.example.fr;Lampe;FR;900,00 €;01.02.2019;secret@lamp.example.fr"
].join("\n")

const write = Effect.fnUntraced(function* (name: string, content: string) {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* fs.makeTempDirectoryScoped()
  const path = `${folder}/${name}`
  yield* fs.writeFileString(path, content)
  return { fs, folder, path }
})

layer(Layer.merge(NodeServices.layer, AppConfig.layerOf({})), { excludeTestServices: true })(
  "import --explain",
  (it) => {
    it.effect("reports the columns of a table without a known format, and writes a map that is not overwritten", () =>
      Effect.gen(function* () {
        const { fs, path } = yield* write("list.csv", table)
        const { code, text } = yield* run(["import", "--explain", path])
        assert.strictEqual(code, 0)
        assert.match(
          text,
          /list\.csv: of no format that is known; perhaps records of the type shop.*, separated by semicolons/
        )
        assert.match(text, / domain +<- Store URL \(domain\)/)
        assert.match(text, / monthly_revenue +<- Monthly Sales \(money, 1\.234,56\)/)
        assert.match(text, / created_on +<- Launched \(date, DD\.MM\.YYYY\)/)
        assert.include(text, "dropped: E-Mail")
        assert.notInclude(text, "secret@")
        assert.include(
          text,
          `  line 2: partial_shop\n    domain: "oakline.com"\n    name: "Oakline"\n    country: "DE"\n    created_on: "2020-12-31"\n`
        )
        assert.match(text, /^ {2}rows: 2 read, 0 rejected, 0 left out$/m)
        assert.match(text, /amounts left out, .* not known to be in the currency of their store: 2$/m)
        assert.include(text, `${path}.map.json is a map to start with`)

        yield* fs.writeFileString(`${path}.map.json`, "mine")
        const again = yield* run(["import", "--explain", path])
        assert.strictEqual(again.code, 0)
        assert.include(again.text, `${path}.map.json exists already and was left as it is.`)
        assert.strictEqual(yield* fs.readFileString(`${path}.map.json`), "mine")
      }).pipe(Effect.scoped)
    )

    it.effect("reports the fields that known formats accept", () =>
      Effect.gen(function* () {
        const examples: ReadonlyArray<
          readonly [name: string, content: string, hasMap: boolean, ...found: ReadonlyArray<RegExp>]
        > = [
          [
            "leads.csv",
            "domain,merchant_name,technologies,emails,facebook_url\na.com,A,Meta Pixel,x@a.com,https://f\n",
            true,
            /: a list of stores \(CSV\), separated by commas/,
            /pixels +<- technologies/,
            /dropped: emails$/m,
            /needs no map, and a map cannot say: pixels, social_networks\./
          ],
          [
            "long.csv",
            "domain,month,visits\na.com,2026-06,20\n",
            true,
            /visits +<- visits \(number\)/,
            /needs no map\.$/m
          ],
          [
            "dollars.csv",
            "domain,currency,estimated_monthly_sales\na.com,EUR,USD $5.00\nb.com,USD,USD $5.00\n",
            true,
            /amounts left out, because not known to be in the currency of their store: 1$/m
          ],
          ["wide.csv", "domain,2026-05,2026-06\na.com,1,2\n", false, /visits +<- 2026-06 \(number, of 2026-06\)/],
          [
            "oakline.com.csv",
            "Handle,Title,Variant Price,Cost per item\ntray,Tray,5.00,1\n",
            false,
            /price +<- Variant Price \(money; the lowest/,
            /dropped: Cost per item/,
            /: product\n {4}shop: "oakline\.com"\n {4}key: "tray"\n/
          ],
          [
            "oakline.com.json",
            `{"products":[{"id":1,"title":"Tray","handle":"tray","variants":[{"price":"5.00","grams":1}],"images":[]}]}`,
            false,
            /price +<- variants\.price \(the lowest\)/,
            /dropped: variants\.grams/,
            / key: "tray"\n {4}alias: "1"\n/
          ],
          [
            "lamp.com.json",
            `{"data":{"products":{"nodes":[{"id":"gid://shopify/Product/1","title":"Tray","seo":{"title":"T"},"variants":{"edges":[{"node":{"price":"5.00"}}]}}]}}}`,
            false,
            /price +<- variants\.price \(the lowest\)/,
            /dropped: seo\.title$/m
          ],
          [
            "ads.json",
            `{"data":[{"id":"1","page_name":"A","ad_delivery_start_time":"2026-01-01","ad_snapshot_url":"https://x/?access_token=SECRET"}]}`,
            false,
            /started_on +<- ad_delivery_start_time \(date\)/,
            /dropped: ad_snapshot_url/
          ],
          [
            "own.ndjson",
            `{"type":"shop","domain":"a.com","name":"A","country":"US"}\n`,
            false,
            /domain +<- domain \(as it is\)/
          ]
        ]
        for (const [name, content, hasMap, ...found] of examples) {
          const { fs, path } = yield* write(name, content)
          const { code, text } = yield* run(["import", "--explain", path])
          assert.strictEqual(code, 0, text)
          for (const pattern of found) assert.match(text, pattern)
          assert.notInclude(text, "SECRET")
          assert.strictEqual(yield* fs.exists(`${path}.map.json`), hasMap, name)
        }
      }).pipe(Effect.scoped)
    )

    it.effect("shows records by a map that is named, what is wrong with them, and writes none", () =>
      Effect.gen(function* () {
        const { folder, fs, path } = yield* write("list.csv", `${table}\nbad;B;;;\n`)
        yield* fs.writeFileString(
          `${folder}/m.json`,
          `{"record":"shop","fields":{"domain":{"column":"Store URL"},"name":{"constant":"X"}}}`
        )
        const { code, text } = yield* run(["import", "--explain", path, "--map", `${folder}/m.json`])
        assert.strictEqual(code, 2)
        assert.match(text, /a table that is read by a map/)
        assert.match(text, / name +always "X"/)
        assert.match(text, /rejected: line 4: domain must be a domain/)
        assert.deepStrictEqual((yield* fs.readDirectory(folder)).toSorted(), ["list.csv", "m.json"])
      }).pipe(Effect.scoped)
    )

    it.effect("has the exit code of the import, and shows long values and many rows in few lines", () =>
      Effect.gen(function* () {
        const line = (at: number) =>
          JSON.stringify({
            type: "product",
            shop: "a.com",
            key: `${at}`,
            title: "T",
            price: 1,
            image_url: at % 2 === 0 ? "none" : null,
            details: { description_html: "\u{1F600}".repeat(9_000), tags: ["a"] }
          })
        const lines = Array.from({ length: 900 }, (_, at) => line(at))
        const { path } = yield* write("many.ndjson", [...lines, "{", `{"type":"shop"}`].join("\n"))
        const { code, text } = yield* run(["import", "--explain", path])
        assert.strictEqual(code, 2)
        assert.match(text, /^ {2}rows: 900 read, 2 rejected, 0 left out$/m)
        assert.match(text, /optional values that do not fit, unknown or cut: image_url 450$/m)
        assert.match(text, / details\.tags: \["a"\]$/m)
        assert.isBelow(Math.max(...text.split("\n").map((line) => Array.from(line).length)), 200)

        const bad = yield* write("bad.csv", "domain,country\nx,DE\ny,DE\n")
        const none = yield* run(["import", "--explain", bad.path])
        assert.strictEqual(none.code, 1)
        assert.match(none.text, /^ {2}rows: 0 read, 2 rejected, 0 left out$/m)

        const rows = Array.from({ length: 130_000 }, (_, at) => `s${at}.com,DE`).join("\n")
        const large = yield* write("large.csv", `domain,country\n${rows}\n`)
        const counted = yield* run(["import", "--explain", large.path])
        assert.strictEqual(counted.code, 0)
        assert.match(counted.text, /^ {2}the first 1[0-2]\d,\d{3} rows: 1[0-2]\d,\d{3} read, 0 rejected, 0 left out$/m)
      }).pipe(Effect.scoped)
    )

    it.effect("says what is missing, and refuses what is no table", () =>
      Effect.gen(function* () {
        const ads = yield* write("ads.csv", "ad_id,advertiser,is_active,format\n1,Oakline,true,VIDEO\n")
        const found = yield* run(["import", "--explain", ads.path])
        assert.include(found.text, "No column was found for what a record must have: started_on, last_seen_on.")
        const refused = yield* run(["import", "--explain", ads.path, "--map", `${ads.path}.map.json`])
        assert.strictEqual(refused.code, 1)
        assert.match(refused.text, /`fields\.started_on` has no column yet: name the one that holds it, or a constant/)

        const blank = yield* write("blank.csv", " \n\n")
        assert.match((yield* run(["import", "--explain", blank.path])).text, /begins with nothing but blanks/)
      }).pipe(Effect.scoped)
    )

    it.effect("puts the map of an archive's file beside the archive", () =>
      Effect.gen(function* () {
        const { folder, fs, path } = yield* write("list.csv", table)
        execFileSync("gzip", ["-k", path])
        const { code } = yield* run(["import", "--explain", `${path}.gz`])
        assert.strictEqual(code, 0)
        assert.isTrue(yield* fs.exists(`${folder}/list.csv.gz.map.json`))
        // A folder's maps are no data.
        const { text } = yield* run(["import", "--explain", folder])
        assert.notMatch(text, /map\.json: /)
      }).pipe(Effect.scoped)
    )

    it.effect("says what is wrong with a map before anything is read", () =>
      Effect.gen(function* () {
        const { folder, fs, path } = yield* write("list.csv", table)
        const map = `${folder}/m.json`
        for (const [content, message] of [
          ["{", /The map .* cannot be used: it is not JSON/],
          [`{"record":"shop","fields":{"domian":{"column":"x"}}}`, /did you mean `domain`/],
          [
            `{"record":"shop","fields":{"domain":{"column":"Store URI"}}}`,
            /does not fit the map: .* did you mean `Store URL`/
          ]
        ] as const) {
          yield* fs.writeFileString(map, content)
          const { code, text } = yield* run(["import", "--explain", path, "--map", map])
          assert.match(text, message)
          assert.strictEqual(code, 1)
        }
        assert.match(
          (yield* run(["import", "--explain", path, "--map", `${map}x`])).text,
          /cannot be used: .*x does not exist/
        )
        const both = yield* run(["import", "--explain", path, "--map", map, "--format", "shops"])
        assert.match(both.text, /leave out --format, or --map/)
      }).pipe(Effect.scoped)
    )
  }
)

const Services = Importer.layer.pipe(
  Layer.provideMerge(TestDatabase.layer),
  Layer.provideMerge(SetClock.layer("2026-07-01T12:00:00Z")),
  Layer.provideMerge(AppConfig.layerOf({})),
  Layer.provideMerge(NodeServices.layer)
)

layer(Services, { excludeTestServices: true })("import --map", (it) => {
  it.effect("brings a table into the catalog by the map that --explain wrote, and the same again changes nothing", () =>
    Effect.gen(function* () {
      const importer = yield* Importer
      const importing = runOn(Layer.succeed(Importer, importer))
      const { fs, path } = yield* write("list.csv", table)
      yield* run(["import", "--explain", path])
      const { code, text } = yield* importing(["import", path, "--map", `${path}.map.json`])
      assert.strictEqual(code, 0, text)
      assert.match(text, / {2}shop +2 added/)
      assert.notMatch((yield* importing(["import", path, "--map", `${path}.map.json`])).text, /added/)

      // The map is no place for rejected records.
      yield* fs.writeFileString(path, `${table}\nbad;B;;;\n`)
      const map = `${path}.map.json`
      const refused = yield* importing(["import", path, "--map", map, "--rejects", map])
      assert.strictEqual(refused.code, 1)
      assert.match(refused.text, /is the same file as the input/)
      assert.strictEqual((yield* importing(["import", path, "--map", map])).code, 2)
    }).pipe(Effect.scoped)
  )
})
