/**
 * `npm run build`: writes the bundle of these sources and packages (src/Bundle.ts), unless it is there. `npm start` and the tests do so
 * first. Without it, `src/main.ts` runs the sources.
 */
import { existsSync, readdirSync, renameSync, rmSync, statSync } from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"
import type * as Rolldown from "rolldown"
import * as Bundle from "../src/Bundle.ts"

/** Of the newest bundles, which servers may be running. */
const kept = 3

const sources = fileURLToPath(new URL("../src/", import.meta.url))

const threadUrl = /new URL\("([^"]+\/(\w+)\.ts)", import\.meta\.url\)/gu

/**
 * Threads become entries of the bundle, and other files are read from where they are: next to their module in `src`. No other use of
 * `import.meta` is known, so that one more fails the build.
 */
const places = (folder: string): Rolldown.Plugin => ({
  name: "places",
  transform: {
    filter: { code: "import.meta" },
    handler(code, id) {
      if (!id.startsWith(sources)) return undefined
      const from = path.relative(folder, id).split(path.sep).join("/")
      const place = `new URL(${JSON.stringify(from)}, import.meta["url"])`
      const replaced = code
        .replaceAll(threadUrl, (_, file: string, name: string) => {
          this.emitFile({ type: "chunk", id: path.resolve(id, "..", file), fileName: `${name}.js` })
          return `new URL("./${name}.js", import.meta["url"])`
        })
        .replaceAll(/import\.meta\.resolve\(([^()]+)\)/gu, `new URL($1, ${place}).href`)
        .replaceAll(/(?<=new URL\("[./]+", )import\.meta\.url/gu, place)
      if (replaced.includes("import.meta.")) this.error(`${id}: ops/build.ts does not know this use of import.meta`)
      return replaced.replaceAll('import.meta["url"]', "import.meta.url")
    }
  }
})

/** Undefined in an install for production. Loaded only to build: it takes longer than the look for a bundle. */
const bundler = () =>
  import("rolldown").catch((cause: unknown) => {
    if (cause instanceof Error && "code" in cause && cause.code === "ERR_MODULE_NOT_FOUND") return undefined
    throw cause
  })

const write = async ({ rolldown }: Pick<typeof Rolldown, "rolldown">, target: string): Promise<void> => {
  const hasDemo = existsSync(new URL("../demo/", import.meta.url))
  const bundle = await rolldown({
    input: { CommandLine: path.join(sources, "cli/CommandLine.ts") },
    platform: "node",
    // What the image does not have is missed there only when it is asked for, as without a bundle.
    external: (id) => !hasDemo && /^(?:\.\.\/)+demo\//u.test(id),
    plugins: [places(target)],
    onLog: (level, log) => {
      if (level === "warn") throw new Error(log.message)
    }
  })
  await bundle.write({
    dir: target,
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-[hash].js",
    // Names in errors and stack traces are those of the sources.
    keepNames: true,
    comments: { legal: true, annotation: false, jsdoc: false },
    // V8 stores a source with any character beyond Latin-1 as two bytes for each character, and each thread has its own copy.
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: false, asciiOnly: true } }
  })
  await bundle.close()
}

const removeOld = (parent: string): void => {
  const bundles = readdirSync(parent).map((name) => path.join(parent, name))
  const byAge = bundles.toSorted((one, other) => statSync(other).mtimeMs - statSync(one).mtimeMs)
  for (const old of byAge.slice(kept)) rmSync(old, { recursive: true, force: true })
}

const build = async (): Promise<void> => {
  const loaded = await bundler()
  if (loaded === undefined) {
    console.error(
      "No bundle: rolldown is among the packages for development, which `npm ci --omit=dev` leaves out. " +
        "The server runs from its sources, and takes twice as long to start."
    )
    process.exitCode = 1
    return
  }
  const folder = fileURLToPath(Bundle.folder())
  const parent = path.dirname(folder)
  const unfinished = path.join(parent, `unfinished-${process.pid}`)
  try {
    await write(loaded, unfinished)
    renameSync(unfinished, folder)
    removeOld(parent)
  } catch (cause) {
    rmSync(unfinished, { recursive: true, force: true })
    // Another process may have been faster.
    if (Bundle.entry() === undefined) throw cause
  }
}

if (Bundle.entry() === undefined) await build()
