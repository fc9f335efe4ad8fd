import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import { Cause, Console, Effect, Exit, FileSystem, Layer, Option, Runtime, Stdio, Stream } from "effect"
import { Command } from "effect/cli"
import { collectCommand } from "../../src/cli/CollectCommand.ts"
import { AppConfig } from "../../src/Config.ts"
import * as Storefronts from "../support/Storefronts.ts"

const execute = Command.runWith(Command.make("discovery").pipe(Command.withSubcommands([collectCommand])), {
  version: "0"
})

/** Runs a command line. Returns its exit code and what it prints. */
const run = Effect.fnUntraced(function* (
  web: Storefronts.Storefronts,
  line: ReadonlyArray<string>,
  { contact = Option.some("ops@example.com"), stdin = "" } = {}
) {
  const live = yield* Console.Console
  const printed: Array<string> = []
  const keep = (...parts: ReadonlyArray<unknown>) => void printed.push(parts.join(" "))
  const exit = yield* execute(["collect", ...line]).pipe(
    Effect.provideService(Console.Console, Object.setPrototypeOf({ log: keep, error: keep }, live)),
    Effect.provide([
      web.layer,
      AppConfig.layerOf({ collectContact: contact }),
      Layer.provideMerge(Stdio.layerTest({ stdin: Stream.make(new TextEncoder().encode(stdin)) }), NodeServices.layer)
    ]),
    Effect.exit
  )
  const code = Exit.isSuccess(exit) ? 0 : Runtime.getErrorExitCode(Cause.squash(exit.cause))
  return { code, text: printed.join("\n") }
})

layer(NodeServices.layer)("the command collect", (it) => {
  const setUp = Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const folder = yield* fs.makeTempDirectoryScoped()
    const web = yield* Storefronts.make()
    return { fs, folder, out: `${folder}/out`, web }
  })

  it.effect("takes a list of domains, a domain, and standard input, each store once", () =>
    Effect.gen(function* () {
      const { folder, fs, out, web } = yield* setUp
      for (const host of ["a-shop.com", "b-shop.com", "c-shop.com", "xn--mbel-5qa.de"]) {
        web.hosts.set(host, Storefronts.store(host, [2]))
      }
      yield* fs.writeFileString(
        `${folder}/domains.txt`,
        "\uFEFF# stores\r\na-shop.com\r\n\r\nhttps://www.B-shop.com/collections/all # twice\r\nb-shop.com\r\nMöbel.de\r\n"
      )
      const line = [`${folder}/domains.txt`, "a-shop.com", "-", "--to", out]
      const ended = yield* Storefronts.inTime(web, run(web, line, { stdin: "c-shop.com" }))
      const { code, text } = Option.getOrThrow(ended)
      assert.strictEqual(text, `${out}: 4 stores with 8 products, by 20 requests`)
      assert.strictEqual(code, 0)
      assert.sameMembers(
        (yield* fs.readDirectory(out)).filter((name) => !name.startsWith(".")),
        ["a-shop.com", "b-shop.com", "c-shop.com", "xn--mbel-5qa.de"]
      )
    })
  )

  it.effect("ends with 2 when stores were not collected, says why, and gives them to the next run", () =>
    Effect.gen(function* () {
      const { out, web } = yield* setUp
      web.hosts.set("a-shop.com", Storefronts.store("a-shop.com", [2], { "/": Storefronts.status(403) }))
      const first = yield* Storefronts.inTime(web, run(web, ["a-shop.com", "b-shop.com", "--to", out]))
      const { code, text } = Option.getOrThrow(first)
      assert.strictEqual(code, 2)
      assert.include(text, "a-shop.com: / answers with status 403")
      assert.include(
        text,
        "b-shop.com was not collected: /meta.json answers with status 404; /products.json answers with"
      )
      assert.include(text, `discovery collect ${out}/.collect/failed.txt --to ${out}`)
      web.hosts.set("b-shop.com", Storefronts.store("b-shop.com", [2]))
      const next = yield* Storefronts.inTime(web, run(web, [`${out}/.collect/failed.txt`, "--to", out]))
      assert.deepStrictEqual(Option.getOrThrow(next), {
        code: 0,
        text: `${out}: 1 stores with 2 products, by 5 requests`
      })
    })
  )

  it.effect("does not run without a contact, and asks for nothing", () =>
    Effect.gen(function* () {
      const { out, web } = yield* setUp
      const { code, text } = yield* run(web, ["a-shop.com", "--to", out], { contact: Option.none() })
      assert.strictEqual(code, 1)
      assert.match(text, /set COLLECT_CONTACT to an e-mail address or a web address/)
      assert.lengthOf(web.asked, 0)
    })
  )

  it.effect.each([
    [["not-there.txt"], /not-there\.txt is neither a file nor the domain of a store/],
    [["127.0.0.1"], /neither a file nor the domain/],
    [["localhost"], /neither a file nor the domain/],
    [["db.internal"], /neither a file nor the domain/],
    [["co.uk"], /neither a file nor the domain/],
    [["a-shop.com", "-"], /Line 2 of standard input is no domain of a store: two words/],
    [["a-shop.com", "--delay", "0"], /--delay is a number from 0\.2 to 3,600/],
    [["a-shop.com", "--hosts", "1000"], /--hosts is a number from 1 to 64/],
    [["a-shop.com", "--max-pages", "0"], /--max-pages is a number from 1/],
    [["a-shop.com", "--signatures", "package.json"], /package\.json is no table of signatures: name /],
    [["a-shop.com", "--signatures", "not-there.json"], /not-there\.json does not exist/],
    [["a-shop.com", "--to", "package.json"], /package\.json cannot be written to/]
  ] as const)("refuses %j, and asks for nothing", ([line, message]) =>
    Effect.gen(function* () {
      const { web } = yield* setUp
      const { code, text } = yield* run(web, line, { stdin: "b-shop.com\ntwo words\n" })
      assert.strictEqual(code, 1)
      assert.match(text, message)
      assert.lengthOf(web.asked, 0)
    })
  )

  it.effect("refuses a list without domains", () =>
    Effect.gen(function* () {
      const { web } = yield* setUp
      assert.match((yield* run(web, ["-"], { stdin: "# none\n" })).text, /There are no domains to collect/)
    })
  )
})
