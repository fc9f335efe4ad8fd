/** The bundle that a start loads (src/Bundle.ts, ops/build.ts). The tests that start the program run it. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, FileSystem, Path } from "effect"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { fileURLToPath } from "node:url"
import manifest from "../../package.json" with { type: "json" }
import * as Bundle from "../../src/Bundle.ts"
import * as ServerProcess from "../support/ServerProcess.ts"
import * as DeployFiles from "./DeployFiles.ts"
import * as ImageInstall from "./ImageInstall.ts"

const project = fileURLToPath(DeployFiles.project)

/** Prints the address of each module that Node loads from a file. */
const tell = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from "node:module"
  registerHooks({ load: (url, context, next) => { if (url.startsWith("file:")) console.error(url); return next(url, context) } })
`)}`

const modules = Effect.fnUntraced(function* (folder: string) {
  const path = yield* Path.Path
  const { code, err, out } = yield* ServerProcess.node(
    {},
    "--import",
    tell,
    path.join(folder, "src/main.ts"),
    "--version"
  )
  assert.strictEqual(code, 0, err)
  assert.match(out, /^discovery v\d/u)
  const loaded = err.split("\n").filter((line) => line.startsWith("file:"))
  return loaded.map((url) => path.relative(folder, fileURLToPath(url)))
})

const isBundle = (files: ReadonlyArray<string>) =>
  files.length < 40 &&
  files.every((file) => /^(?:src\/(?:main|Bundle)\.ts|dist\/[0-9a-f]{16}\/[\w.-]+\.js)$/u.test(file))

layer(NodeServices.layer, { excludeTestServices: true })((it) => {
  describe("the bundle", () => {
    it.effect("is what a start loads, and nothing else of sources and packages", () =>
      Effect.gen(function* () {
        assert.isDefined(Bundle.entry(), "the tests make it first")
        const loaded = yield* modules(project)
        assert.include(loaded, "src/main.ts")
        assert.isTrue(isBundle(loaded), loaded.join("\n"))
      })
    )

    it.effect("has an entry for each thread", () =>
      Effect.gen(function* () {
        const files = yield* FileSystem.FileSystem
        const built = yield* files.readDirectory(fileURLToPath(Bundle.folder()))
        const threads = yield* files.readDirectory(`${project}src/cli/threads`)
        assert.includeMembers(
          built,
          threads.map((name) => name.replace(/\.ts$/u, ".js"))
        )
      })
    )

    it.effect("is in the image, and never stands for sources, packages or versions that have changed since", () =>
      Effect.gen(function* () {
        const files = yield* FileSystem.FileSystem
        const folder = yield* files.realPath(yield* files.makeTempDirectoryScoped())
        ImageInstall.install(folder)
        assert.isFalse(isBundle(yield* modules(folder)), "without a bundle the sources run")
        ImageInstall.addBundle(folder)
        assert.isTrue(isBundle(yield* modules(folder)))
        for (const name of ["src/cli/Output.ts", "locales/de.json", "package-lock.json"]) {
          const before = yield* files.readFileString(`${folder}/${name}`)
          yield* files.writeFileString(`${folder}/${name}`, `${before}\n`)
          assert.isFalse(isBundle(yield* modules(folder)), name)
          yield* files.writeFileString(`${folder}/${name}`, before)
        }
        yield* files.writeFileString(`${folder}/migrations/9999_more.ts`, "")
        assert.isFalse(isBundle(yield* modules(folder)), "a new file")
      }).pipe(Effect.scoped)
    )

    it.effect("is not made without the packages for development, and the server says so and runs", () =>
      Effect.gen(function* () {
        const files = yield* FileSystem.FileSystem
        const folder = yield* files.realPath(yield* files.makeTempDirectoryScoped())
        ImageInstall.install(folder)
        const made = yield* ServerProcess.node({}, `${folder}/ops/build.ts`)
        assert.strictEqual(made.code, 1)
        assert.match(
          made.err,
          /^No bundle: rolldown .* `npm ci --omit=dev` leaves out\. The server runs from its sources,/u
        )
        assert.strictEqual(manifest.scripts.start, "node ops/build.ts || true; exec node src/main.ts")
      }).pipe(Effect.scoped)
    )
  })
})
