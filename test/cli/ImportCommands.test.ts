import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import { Cause, Console, Effect, Exit, FileSystem, Layer, Option, Runtime, Sink, Stdio, Stream } from "effect"
import { Command } from "effect/cli"
import { SqlClient } from "effect/sql"
import { catalogCommand } from "../../src/cli/CatalogCommand.ts"
import { demoCommand, loadDemoOnce } from "../../src/cli/DemoCommand.ts"
import { importCommand, rejectsOf, sourceOf } from "../../src/cli/ImportCommand.ts"
import { AppConfig } from "../../src/Config.ts"
import { Importer } from "../../src/services/import/Importer.ts"
import { SetClock } from "../support/SetClock.ts"
import { TestDatabase } from "../support/TestDatabase.ts"

const root = Command.make("discovery").pipe(Command.withSubcommands([importCommand, demoCommand, catalogCommand]))
const execute = Command.runWith(root, { version: "0" })

/** Runs a command line. Returns its exit code, what it prints for people, and what it writes to standard output. */
const run = Effect.fnUntraced(function* (line: ReadonlyArray<string>, stdin = "") {
  const live = yield* Console.Console
  const printed: Array<string> = []
  const written: Array<string> = []
  const keep = (...parts: ReadonlyArray<unknown>) => void printed.push(parts.join(" "))
  const console: Console.Console = Object.setPrototypeOf({ log: keep, error: keep }, live)
  const exit = yield* execute(line).pipe(
    Effect.provideService(Console.Console, console),
    Effect.provide(
      Layer.provideMerge(
        Stdio.layerTest({
          stdin: Stream.make(new TextEncoder().encode(stdin)),
          stdout: () => Sink.forEach((text: string | Uint8Array) => Effect.sync(() => void written.push(String(text))))
        }),
        NodeServices.layer
      )
    ),
    Effect.exit
  )
  const code = Exit.isSuccess(exit) ? 0 : Runtime.getErrorExitCode(Cause.squash(exit.cause))
  return { code, text: printed.join("\n"), written: written.join("") }
})

const Services = Importer.layer.pipe(
  Layer.provideMerge(TestDatabase.layer),
  Layer.provideMerge(SetClock.layer("2026-07-01T12:00:00Z")),
  Layer.provideMerge(AppConfig.layerOf({})),
  Layer.provideMerge(NodeServices.layer)
)

const shop = `{"type":"shop","domain":"a.com","name":"A","country":"US"}\n`

layer(Services, { excludeTestServices: true })("the commands for data", (it) => {
  const file = Effect.fnUntraced(function* (content: string) {
    const fs = yield* FileSystem.FileSystem
    const path = `${yield* fs.makeTempDirectoryScoped()}/records.ndjson`
    yield* fs.writeFileString(path, content)
    return { fs, path, rejects: `${path}.rejects.ndjson` }
  })

  it.effect("a start loads the demo data once, and export writes the same records", () =>
    Effect.gen(function* () {
      const importer = yield* Importer
      assert.isTrue(yield* importer.isEmpty)
      const loaded = yield* run(["demo", "load", "--size", "tiny"])
      assert.strictEqual(loaded.code, 0)
      assert.match(loaded.text, /^Demo data of a month ago: 1,4\d\d rows read, 0 rejected, 0 left out, in/)
      assert.match(loaded.text, /\nDemo data of today: \d\d\d rows read, 0 rejected, 0 left out, in/)
      assert.deepStrictEqual(
        Array.from(loaded.text.matchAll(/ {2}product +(\d+) added +(\d+) changed/g), ([, added, changed]) => [
          added,
          changed
        ]),
        [
          ["423", "0"],
          ["177", "8"]
        ]
      )
      const sql = yield* SqlClient.SqlClient
      const kinds = yield* sql<{ kind: string }>`SELECT kind FROM change GROUP BY kind ORDER BY kind`
      assert.includeMembers(
        kinds.map(({ kind }) => kind),
        ["ad_appeared", "ad_stopped", "figure_changed", "product_appeared"]
      )

      // The same day and seed, so the same data; not empty any more, so nothing is loaded over it.
      const exported = yield* run(["demo", "export", "--size", "tiny", "--as-of", "2026-07-01"])
      const { path } = yield* file(exported.written)
      const imported = yield* run(["import", path])
      assert.strictEqual(imported.code, 0)
      assert.notMatch(imported.text, /added/)
      assert.match(imported.text, /already, unchanged: 1,8\d\d$/)
      yield* loadDemoOnce.pipe(
        Effect.provide([Stdio.layerTest({}), AppConfig.layerOf({ demoSize: Option.some("tiny") })])
      )
      assert.notMatch((yield* run(["demo", "load", "--size", "tiny"])).text, /added/)

      const next = yield* run(["demo", "export", "--size", "tiny", "--as-of", "2026-07-02"])
      assert.notStrictEqual(next.written, exported.written)
    })
  )

  it.effect(
    "no character of a file's name that a terminal obeys is printed, stored, or written beside rejected records",
    () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const folder = `${yield* fs.makeTempDirectoryScoped()}/in\u001B[2J\u009B1m`
        yield* fs.makeDirectory(folder)
        const name = "a\u001B]0;b\u0007\u202E\n\r\u2028c.ndjson"
        const path = `${folder}/${name}`
        // oxlint-disable-next-line no-control-regex -- what a terminal obeys
        const obeyed = /[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u2028\u202E]/u
        const shown = "a]0;b c.ndjson"

        yield* fs.writeFileString(path, `${shop}{"type":"shop"}\n`)
        const imported = yield* run(["import", path])
        assert.strictEqual(imported.code, 2)
        // The file of rejected records is beside the real one.
        assert.include(yield* fs.readFileString(`${path}.rejects.ndjson`), shown)
        assert.notMatch(yield* fs.readFileString(`${path}.rejects.ndjson`), obeyed)
        const sources = yield* run(["catalog", "sources"])
        assert.include(sources.text, `${shown}: data as of`)
        const imports = yield* run(["catalog", "imports", shown])
        assert.include(imports.text, shown)
        const explained = yield* run(["import", "--explain", path])

        yield* fs.writeFileString(path, "%PDF-1.7 nothing")
        const refused = yield* run(["import", folder])
        assert.strictEqual(refused.code, 1)
        const missing = yield* run(["import", `${path}.gone`])
        const overwritten = yield* run(["import", path, "--rejects", path])
        for (const { text } of [imported, sources, imports, explained, refused, missing, overwritten]) {
          assert.include(text, shown)
          // oxlint-disable-next-line no-control-regex -- colors of the command line's own errors
          assert.notMatch(text.replaceAll(/\u001B\[(?:0|1|31)m/gu, ""), obeyed)
          // Nor does a line begin within the name.
          assert.notMatch(text, /^c\.ndjson/mu)
        }
        const sql = yield* SqlClient.SqlClient
        const stored = yield* sql<{ readonly text: string }>`
        SELECT coalesce(string_agg(to_jsonb(s)::text || i.files::text, ' '), '') AS text
        FROM source s JOIN import i ON i.source_id = s.id`
        assert.include(stored[0]?.text, shown)
        assert.notMatch(stored[0]?.text ?? "", /u001b|u0007|\\n|\u202E/iu)
      })
  )

  it.effect("import exits with 0 when all records were imported, without a reject file", () =>
    Effect.gen(function* () {
      const { fs, path, rejects } = yield* file(shop)
      assert.strictEqual((yield* run(["import", path])).code, 0)
      assert.isFalse(yield* fs.exists(rejects))
    })
  )

  it.effect("import exits with 2 when records were rejected, and prints the path of the reject file", () =>
    Effect.gen(function* () {
      const { fs, path, rejects } = yield* file(`${shop}{"type":"shop","domain":"b.com","name":"B","country":"XX"}\n`)
      const { code, text } = yield* run(["import", path])
      assert.strictEqual(code, 2)
      assert.include(text, rejects)
      assert.deepStrictEqual(JSON.parse(yield* fs.readFileString(rejects)), {
        file: path,
        line: 2,
        field: "country",
        reason: "`XX` is not an ISO 3166-1 alpha-2 code"
      })
      const elsewhere = `${rejects}.elsewhere`
      assert.strictEqual((yield* run(["import", path, "--rejects", elsewhere])).code, 2)
      assert.isTrue(yield* fs.exists(elsewhere))
    })
  )

  it.effect("import exits with 1 when no record of the files was imported, and says where a file stopped", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      const table = (name: string) => Buffer.from(`Handle,Title,Variant Price\np,${name},10\n`, "latin1")
      yield* fs.writeFile(`${folder}/bad.csv`, table("Caf\u00E9"))
      yield* fs.writeFile(`${folder}/cut.csv`, table('Lamp,10\nq,Desk,20\nr,"Oak'))
      const store = ["--domain", "stops.example.com", "--country", "DE", "--currency", "EUR"]
      const bad = yield* run(["import", `${folder}/bad.csv`, ...store])
      assert.deepStrictEqual([bad.code, bad.text.includes("Nothing was imported")], [1, true])
      const cut = yield* run(["import", `${folder}/cut.csv`, ...store])
      assert.strictEqual(cut.code, 2)
      assert.include(cut.text, "cut.csv: read up to line 4; what is beyond it is not counted")
      assert.include(cut.text, "A file was not read to its end.")
    })
  )

  it("writes rejects beside the first input, under a name that is shown", () => {
    const here = process.cwd().split("/").at(-1) ?? ""
    assert.deepStrictEqual(["a/b.csv", "a/b/", "-", ".", "a/.", ".."].map(rejectsOf), [
      "a/b.csv.rejects.ndjson",
      "a/b.rejects.ndjson",
      "stdin.rejects.ndjson",
      `${here}.rejects.ndjson`,
      "a/a.rejects.ndjson",
      `../${process.cwd().split("/").at(-2) ?? ""}.rejects.ndjson`
    ])
  })

  it.effect("a clean import removes the file of rejects of an earlier one, and no file of another kind", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      const table = `${folder}/clean.csv`
      const store = ["--domain", "clean.example.com", "--country", "DE", "--currency", "EUR"]
      yield* fs.writeFileString(table, "Handle,Title,Variant Price\na,A,10\n,,\nb,B,x\n")
      assert.strictEqual((yield* run(["import", table, ...store])).code, 2)
      assert.isTrue(yield* fs.exists(`${table}.rejects.ndjson`))
      yield* fs.writeFileString(table, "Handle,Title,Variant Price\na,A,10\n")
      const clean = yield* run(["import", table, ...store])
      assert.strictEqual(clean.code, 0)
      assert.include(clean.text, "of an earlier import, was removed")
      assert.isFalse(yield* fs.exists(`${table}.rejects.ndjson`))
      yield* fs.writeFileString(`${folder}/notes.txt`, "not ours\n")
      assert.strictEqual((yield* run(["import", table, ...store, "--rejects", `${folder}/notes.txt`])).code, 0)
      assert.strictEqual(yield* fs.readFileString(`${folder}/notes.txt`), "not ours\n")
    })
  )

  it.effect(
    "the price of a product in another currency than its store's is rejected; a store without one takes it",
    () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const folder = yield* fs.makeTempDirectoryScoped()
        const [table, map] = [`${folder}/prices.csv`, `${folder}/prices.map.json`]
        yield* fs.writeFileString(table, "id,title,price\na,A,89.00 EUR\nb,B,$5.00\nc,C,1.58095e+03\nd,D,4 GBP\n")
        const as = (column: string) => ({ column })
        const fields = { key: as("id"), title: as("title"), price: { column: "price", as: "money" } }
        yield* fs.writeFileString(map, JSON.stringify({ record: "product", fields }))
        const prices = ["import", table, "--map", map, "--country", "DE", "--domain"]
        const usd = yield* run([...prices, "usd.example.com", "--currency", "USD"])
        assert.strictEqual(usd.code, 2)
        assert.include(usd.text, "2 rows read, 2 rejected, 0 left out")
        const reasons = yield* fs.readFileString(`${table}.rejects.ndjson`)
        assert.include(reasons, "is in EUR, and the currency of the store usd.example.com is USD")
        // Without a currency of its own, the store takes that of the first.
        assert.include((yield* run([...prices, "own.example.com"])).text, "3 rows read, 1 rejected, 0 left out")
        assert.include(
          yield* fs.readFileString(`${table}.rejects.ndjson`),
          "is in GBP, and the currency of the store own.example.com is EUR"
        )
      })
  )

  it.effect(
    "options about one store are refused for a list of stores, and --country is of stores that a map reads",
    () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const folder = yield* fs.makeTempDirectoryScoped()
        const [table, map] = [`${folder}/list.csv`, `${folder}/list.map.json`]
        yield* fs.writeFileString(table, "domain,name,country_code\nlisted.example.com,Listed,\n")
        const refused = yield* run(["import", table, "--domain", "a.example.com"])
        assert.deepStrictEqual([refused.code, refused.text.includes("of which --domain cannot be said")], [1, true])
        yield* fs.writeFileString(
          map,
          JSON.stringify({
            record: "shop",
            fields: { domain: { column: "domain" }, country: { column: "country_code" } }
          })
        )
        const added = yield* run(["import", table, "--map", map, "--country", "FR"])
        assert.strictEqual(added.code, 0)
        assert.match(added.text, /shop +1 added/)
      })
  )

  it.effect.each([
    ["ads-2026-06-01.json", "ads.json"],
    ["ads_20260608.csv.gz", "ads.csv.gz"],
    ["ads 2026_06_08 (1).json", "ads.json"],
    ["ads-2026-W23.json", "ads.json"],
    ["export_1717230000.json", "export.json"],
    ["oak/ads-page-3.json", "ads.json"],
    ["ads_2.json", "ads.json"],
    ["oakline/2026-06-01.json", "oakline"],
    ["oakline/2026-06-01/page-1.json", "oakline"],
    ["shop24.csv", "shop24.csv"]
  ] as const)("without --source, %s is of the source %s", ([file, expected]) =>
    Effect.sync(() => {
      assert.strictEqual(sourceOf({ domain: Option.none(), files: [`/${file}`], source: Option.none() }), expected)
    })
  )

  it.effect("import exits with 1 and one line when a file cannot be imported", () =>
    Effect.gen(function* () {
      const { path } = yield* file(`${shop}{}\n{}\n`)
      for (const [line, message] of [
        [["import", `${path}.not`], /does not exist/],
        [["import", path, "--max-rejects", "1"], /More than 1 records were rejected/],
        [["import", path, "--rejects", `${path}/x`], /cannot be written to .* Name another file with --rejects/],
        [["import", path, "--as-of", "2026-02-30"], /no day in the form YYYY-MM-DD/],
        [["import", path, "--format", "storefront"], /Name the store with --domain, or its meta.json with --meta/]
      ] as const) {
        const { code, text } = yield* run(line)
        assert.strictEqual(code, 1)
        assert.match(text, message)
      }
    })
  )

  it.effect("D58 an import that fails before it has loaded anything leaves no source, and one before stays", () =>
    Effect.gen(function* () {
      const { path } = yield* file(`${shop}{}\n{}\n`)
      const broken = `${path}.gz`
      yield* Effect.flatMap(FileSystem.FileSystem, (fs) => fs.writeFileString(broken, "\u001f\u008b no gzip"))
      const listed = Effect.map(run(["catalog", "sources"]), ({ text }) => text)
      const before = yield* listed
      for (const line of [[path, "--max-rejects", "0"], [path, "--max-rejects", "1"], [broken], [`${path}.not`]]) {
        assert.strictEqual((yield* run(["import", ...line, "--source", "fails"])).code, 1)
        assert.strictEqual(yield* listed, before)
      }
      assert.strictEqual((yield* run(["import", path, "--source", "works"])).code, 2)
      assert.strictEqual((yield* run(["import", path, "--source", "works", "--max-rejects", "0"])).code, 1)
      assert.match(yield* listed, /^works: .*, 1 imports;/mu)
      assert.include((yield* run(["catalog", "forget", "works"])).text, "only works had")
    })
  )

  const withReject = `${shop}{"type":"shop"}\n`

  it.effect("import refuses a reject file that is one of its inputs, whatever its path", () =>
    Effect.gen(function* () {
      const { fs, path } = yield* file(withReject)
      yield* fs.link(path, `${path}.hard`)
      yield* fs.symlink(path, `${path}.soft`)
      const page = yield* file(`{"products":[{}]}`)
      const storefront = ["--format", "storefront", "--meta", path]
      for (const line of [
        [path, "--rejects", path],
        [path, "--rejects", `${path}.hard`],
        [path, "--rejects", `${path}.soft`],
        [`${path}.soft`, "--rejects", path],
        [page.path, ...storefront, "--rejects", path]
      ]) {
        const { code, text } = yield* run(["import", ...line])
        assert.strictEqual(code, 1)
        assert.match(text, /is the same file as the input .* Name another file with --rejects/)
        assert.strictEqual(yield* fs.readFileString(path), withReject)
      }
      // The file of the first input's rejects would be named as the second input.
      const other = yield* file(withReject)
      yield* fs.rename(other.path, `${path}.rejects.ndjson`)
      assert.strictEqual((yield* run(["import", path, `${path}.rejects.ndjson`])).code, 1)
      assert.strictEqual(yield* fs.readFileString(`${path}.rejects.ndjson`), withReject)
    })
  )

  it.effect("import replaces a symbolic link by the reject file, and does not touch its target", () =>
    Effect.gen(function* () {
      const { fs, path, rejects } = yield* file(withReject)
      yield* fs.writeFileString(`${path}.other`, "precious")
      yield* fs.symlink(`${path}.other`, rejects)
      assert.strictEqual((yield* run(["import", path])).code, 2)
      assert.strictEqual(yield* fs.readFileString(`${path}.other`), "precious")
      assert.include(yield* fs.readFileString(rejects), `"line":2`)
      // An earlier run's is replaced whole, and nothing else is left in the folder.
      assert.strictEqual((yield* run(["import", path])).code, 2)
      assert.strictEqual((yield* fs.readFileString(rejects)).match(/"domain"/g)?.length, 1)
      assert.lengthOf(yield* fs.readDirectory(path.slice(0, path.lastIndexOf("/"))), 3)
    })
  )

  it.effect("import refuses --rejects with something that is not a regular file", () =>
    Effect.gen(function* () {
      const { fs, path } = yield* file(withReject)
      yield* fs.writeFileString(`${path}.other`, "precious")
      yield* fs.symlink(`${path}.other`, `${path}.link`)
      yield* fs.makeDirectory(`${path}.folder`)
      for (const target of [`${path}.link`, `${path}.folder`, "/dev/null"]) {
        const { code, text } = yield* run(["import", path, "--rejects", target])
        assert.strictEqual(code, 1)
        assert.match(text, /exists and is no regular file\. Name another file with --rejects/)
      }
      assert.strictEqual(yield* fs.readFileString(`${path}.other`), "precious")
    })
  )

  it.effect("import reads standard input, and a page of a storefront with its meta.json", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* run(["import", "-"], shop)).code, 0)
      const meta = yield* file(`{"name":"Oakline","country":"DE","currency":"EUR","domain":"oakline.de"}`)
      const page = yield* file(`{"products":[{"id":1,"title":"Tray","variants":[{"price":"5.00"}]}]}`)
      const { code, text } = yield* run(["import", "--format", "storefront", page.path, "--meta", meta.path])
      assert.strictEqual(code, 0)
      assert.match(text, / {2}shop +1 added/)
      assert.match(text, / {2}product +1 added/)
    })
  )

  it.effect("import removes what is gone, more than half only with --yes, and of any file with --complete", () =>
    Effect.gen(function* () {
      const page = (count: number, from = 0) =>
        JSON.stringify({
          products: Array.from({ length: count }, (_, at) => ({
            id: from + at + 1,
            title: "T",
            handle: `p-${from + at}`,
            variants: [{ price: "5" }]
          }))
        })
      const { fs, path } = yield* file(page(60))
      const store = ["--domain", "gone.com", "--country", "US"]
      yield* run(["import", path, ...store])
      yield* fs.writeFileString(path, page(20))
      const refused = yield* run(["import", path, ...store])
      assert.strictEqual(refused.code, 0)
      assert.include(refused.text, "gone.com: 40 of its 60 products are not in these files and stay")
      assert.include(refused.text, "--yes")
      assert.match((yield* run(["import", path, ...store, "--yes"])).text, /product +0 added +0 changed +40 removed/)
      // A page of a common size may not be the last one.
      yield* run(["import", (yield* file(page(30, 100))).path, ...store])
      const thirty = yield* file(page(30, 100))
      assert.notInclude((yield* run(["import", thirty.path, ...store])).text, "removed")
      assert.match((yield* run(["import", thirty.path, ...store, "--complete"])).text, / 20 removed/)
    })
  )

  it.effect(
    "import makes ads inactive that were not seen for ADS_EXPIRE_DAYS, and counts how others got their store",
    () =>
      Effect.gen(function* () {
        const ads = (...links: ReadonlyArray<string | null>) =>
          JSON.stringify(
            links.map((link_url, at) => ({
              ad_archive_id: `77${at}`,
              page_id: `page ${at % 3}`,
              page_name: "Page",
              is_active: true,
              start_date: 1_772_323_200,
              snapshot: { title: "A", cta_type: "SHOP_NOW", display_format: "IMAGE", link_url }
            }))
          )
        yield* run(["import", (yield* file(shop.replaceAll("a.com", "leads.com"))).path])
        const { fs, path } = yield* file(ads("https://leads.com/x", "https://new.com/", null, null))
        const first = yield* run(["import", path, "--source", "ads", "--as-of", "2026-06-01"])
        assert.include(first.text, "ads whose store was found by where they lead: 1")
        assert.include(first.text, "ads whose store was found by their page: 1")
        assert.include(first.text, "ads without a known store: 2")
        const store = yield* run(["import", (yield* file(shop.replaceAll("a.com", "new.com"))).path])
        assert.include(store.text, "ads of earlier imports that lead to a new store: 1")
        yield* fs.writeFileString(path, ads("https://leads.com/x"))
        const expiring = Effect.provide(
          run(["import", path, "--source", "ads", "--as-of", "2026-06-05"]),
          AppConfig.layerOf({ adsExpireDays: 3 })
        )
        assert.notInclude(
          (yield* run(["import", path, "--source", "ads", "--as-of", "2026-06-05"])).text,
          "inactive now"
        )
        assert.include((yield* expiring).text, "ads that were not seen for long, inactive now: 3")
      })
  )

  it.effect(
    "catalog sources and imports list where records are from, and catalog forget removes what only one source has",
    () =>
      Effect.gen(function* () {
        const { path } = yield* file(shop.replace("a.com", "only.com"))
        const text = (yield* run([
          "import",
          path,
          "--source",
          "bought list",
          "--license",
          "until 2027",
          "--as-of",
          "2026-06-01"
        ])).text
        assert.match(text, /records of this catalog, one a line/)
        assert.match(text, /bought list: 1 row read/)
        const listed = yield* run(["catalog", "sources"])
        assert.match(
          listed.text,
          /bought list: data as of 2026-06-01, 1 imports; 1 stores, 0 products, 0 ads; license: until 2027/
        )
        const imports = yield* run(["catalog", "imports", "bought list"])
        assert.match(
          imports.text,
          /^\d{4}-\d\d-\d\dT\S+Z: data as of 2026-06-01; 1 records, 0 rejected; license: until 2027\n {2}\S+ \(native\) SHA-256 [0-9a-f]{64}$/mu
        )
        for (const command of ["forget", "imports"]) {
          const unknown = yield* run(["catalog", command, "another"])
          assert.strictEqual(unknown.code, 1)
          assert.match(unknown.text, /There is no source another. Known are: .*bought list/)
        }
        assert.match((yield* run(["catalog", "forget", "bought list"])).text, /Removed 1 stores, 0 products and 0 ads/)
      })
  )
})
