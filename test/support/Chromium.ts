/**
 * Finds the browser for tests. On Linux it is a package that is unpacked once, into node_modules; elsewhere
 * `CHROMIUM_PATH`, or Chrome in its usual places. Without one, browser tests are skipped.
 */
import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import * as fs from "node:fs/promises"
import { createRequire } from "node:module"
import * as path from "node:path"
import { promisify } from "node:util"

export interface Chromium {
  readonly executable: string
  /** Added to the environment of the browser. */
  readonly environment: Readonly<Record<string, string>>
}

const require = createRequire(import.meta.url)

const installed = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/usr/bin/chromium",
  "/usr/bin/google-chrome"
]

export const find = async (): Promise<Chromium | undefined> => {
  const own = process.env["CHROMIUM_PATH"]
  if (own !== undefined && own !== "") return { executable: own, environment: {} }
  if (process.platform === "linux" && process.arch === "x64") return unpacked()
  const executable = installed.find((file) => existsSync(file))
  return executable === undefined ? undefined : { executable, environment: {} }
}

/**
 * The package reuses whatever it finds in the temporary folder, even a partial copy, so it gets a folder of its own.
 */
const unpack = `
  import chromium, { inflate } from "@sparticuz/chromium"
  await chromium.executablePath()
  await inflate(process.argv[1])
`

const unpacked = async (): Promise<Chromium> => {
  const project = new URL("../..", import.meta.url).pathname
  // The entry is in the folder "build".
  const package_ = path.dirname(path.dirname(require.resolve("@sparticuz/chromium")))
  const cache = path.join(project, "node_modules/.cache")
  const folder = path.join(cache, `discovery-chromium-${path.basename(await versionOf(package_))}`)
  if (!existsSync(folder)) {
    await fs.mkdir(cache, { recursive: true })
    const partial = await fs.mkdtemp(path.join(cache, "partial-"))
    const libraries = path.join(package_, "bin/al2023.tar.br")
    await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", unpack, libraries], {
      cwd: package_,
      env: { ...process.env, TMPDIR: partial }
    })
    await fs.writeFile(path.join(partial, "fonts/fonts.conf"), fontsIn(path.join(folder, "fonts")))
    // Two runs may unpack at the same time: the first one wins.
    await fs.rename(partial, folder).catch(() => fs.rm(partial, { recursive: true, force: true }))
  }
  return {
    executable: path.join(folder, "chromium"),
    environment: {
      FONTCONFIG_PATH: path.join(folder, "fonts"),
      LD_LIBRARY_PATH: path.join(folder, "al2023/lib")
    }
  }
}

const versionOf = async (package_: string): Promise<string> => {
  const manifest: unknown = JSON.parse(await fs.readFile(path.join(package_, "package.json"), "utf8"))
  return typeof manifest === "object" && manifest !== null && "version" in manifest ? String(manifest.version) : "0"
}

const fontsIn = (folder: string): string =>
  `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">` +
  `<fontconfig><dir>${folder}</dir><cachedir>${folder}/cache</cachedir><config></config></fontconfig>`
