/** The install that the Dockerfile makes, by its own instructions, from the packages that are installed here. */
import { assert } from "@effect/vitest"
import { Schema } from "effect"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import * as DeployFiles from "./DeployFiles.ts"

interface Package {
  readonly dev?: true
  readonly devOptional?: true
  readonly optional?: true
  readonly hasInstallScript?: true
}

interface Lock {
  readonly packages: Readonly<Record<string, Package>>
}

const [packages = [], bundle = [], image = []] = DeployFiles.stages()

/** The flags of `npm ci`, which is to be there once. */
const flags: ReadonlyArray<string> = (() => {
  const [[, text = ""] = [], ...others] = packages.flatMap(({ name, text }) =>
    name === "RUN" ? Array.from(text.matchAll(/\bnpm (?:ci|install|i|add)\b([^&|;]*)/gu)) : []
  )
  assert.isEmpty(others)
  return text.split(" ").filter((flag) => flag !== "")
})()

/** The kinds of packages that are left out. */
export const omitted: ReadonlySet<string> = new Set(
  flags.flatMap((flag) => (flag.startsWith("--omit=") ? [flag.slice("--omit=".length)] : []))
)

export const runsScripts = !flags.includes("--ignore-scripts")

/** As npm decides it: a package that is both for development and optional goes with both. */
const isOmitted = ({ dev, devOptional, optional }: Package) =>
  (dev && omitted.has("dev")) ||
  (optional && omitted.has("optional")) ||
  (devOptional && omitted.has("dev") && omitted.has("optional"))

const lock: Lock = JSON.parse(fs.readFileSync(new URL("package-lock.json", DeployFiles.project), "utf8"))

/** The packages of the lock that are installed, by their folders. */
export const installed: ReadonlyArray<readonly [folder: string, of: Package]> = Object.entries(lock.packages).filter(
  ([folder, of]) => folder !== "" && !isOmitted(of)
)

const deleted = packages.flatMap(({ text }) =>
  Array.from(text.matchAll(/(?<!! )-name '\*(\.\w+)'/gu), ([, ending = ""]) => ending)
)
const isLeft = (file: string) => !deleted.some((ending) => file.endsWith(ending))

/** Installs what the image has, from what is installed here. Optional packages are there for one platform. */
export const install = (target: string) => {
  assert.isAbove(deleted.length, 3)
  for (const [folder, { optional }] of installed) {
    if (optional && !DeployFiles.exists(folder)) continue
    const from = fileURLToPath(new URL(folder, DeployFiles.project))
    fs.cpSync(from, path.join(target, folder), {
      recursive: true,
      filter: (file) => file === from || (isLeft(file) && !file.slice(from.length).includes("/node_modules"))
    })
  }
  copy(image, target)
}

const copy = (stage: typeof image, target: string) => {
  for (const name of DeployFiles.copied(stage)) {
    fs.cpSync(fileURLToPath(new URL(name, DeployFiles.project)), path.join(target, name), { recursive: true })
  }
}

const Command = Schema.fromJsonString(Schema.Array(Schema.String))

/** Makes the bundle that the image has, in the same way but with the packages that are installed here. */
export const addBundle = (target: string) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "discovery-bundle-"))
  try {
    copy(bundle, folder)
    fs.symlinkSync(fileURLToPath(new URL("node_modules", DeployFiles.project)), path.join(folder, "node_modules"))
    const [[program = "", ...args] = []] = bundle.flatMap(({ name, text }) =>
      name === "RUN" && text.startsWith("[") ? [Schema.decodeSync(Command)(text)] : []
    )
    assert.strictEqual(program, "node")
    execFileSync(process.execPath, args, { cwd: folder, stdio: "inherit" })
    fs.cpSync(path.join(folder, "dist"), path.join(target, "dist"), { recursive: true })
  } finally {
    fs.rmSync(folder, { recursive: true })
  }
}

/** The sum of the sizes of all files in a folder. */
export const bytesOf = (folder: string): number =>
  fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { name, parentPath }) => sum + fs.statSync(path.join(parentPath, name)).size, 0)
