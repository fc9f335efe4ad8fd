/**
 * The bundle: the server with its packages in some 30 files, which ops/build.ts writes. A start loads them instead of 1,300 modules
 * (bench/results/search-index.md, "The bundle"). A folder of `dist` is named after the digest of what it was made of, so a
 * bundle of other sources is never run, and a server that still runs an older one keeps its files.
 */
import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync } from "node:fs"

const project = new URL("../", import.meta.url)

/** Style sheets, scripts of pages and documents are read from their places by the bundle too. */
const isBundled = /\.(?:ts|json)$/u

/** The demo is not in the image (ops/deploy/Dockerfile). */
const folders = ["demo", "locales", "migrations", "src"]

/** The packages are those of the lock. */
const files = ["ops/build.ts", "package-lock.json", "package.json", "server.json"]

const bundledIn = (folder: string): ReadonlyArray<string> =>
  existsSync(new URL(folder, project))
    ? readdirSync(new URL(folder, project), { recursive: true, encoding: "utf8" })
        .filter((name) => isBundled.test(name))
        .map((name) => `${folder}/${name}`)
    : []

/** The folder for the bundle of these sources and packages, whether it has been written or not. */
export const folder = (): URL => {
  const digest = createHash("sha256")
  for (const file of [...folders.flatMap(bundledIn), ...files].toSorted()) {
    const place = new URL(file, project)
    const content = existsSync(place) ? readFileSync(place) : Buffer.alloc(0)
    digest.update(`${file}\n${content.length}\n`).update(content)
  }
  return new URL(`dist/${digest.digest("hex").slice(0, 16)}/`, project)
}

/** The module of the command line in a bundle of exactly these sources and packages, if there is one. */
export const entry = (): URL | undefined => {
  const place = new URL("CommandLine.js", folder())
  return existsSync(place) ? place : undefined
}
