/**
 * The packages that only tests or only benchmarks need. They take more than the server and are no part of `npm ci`, so what needs
 * them installs them first. Imports nothing of them, and nothing that imports them.
 */
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"

/** Each has a package.json and a lock of its own. */
export const folders = ["test", "bench"] as const
/** Likewise, but only what needs them installs them: they are large. */
export const onDemand = ["test/clickhouse"] as const
export type Folder = (typeof folders)[number] | (typeof onDemand)[number]

interface Package {
  readonly version?: string
  readonly optional?: true
}

const project = new URL("../../", import.meta.url)

const packagesOf = (lock: string): ReadonlyMap<string, Package> => {
  const { packages }: { readonly packages: Readonly<Record<string, Package>> } = JSON.parse(lock)
  return new Map(Object.entries(packages).filter(([path]) => path !== ""))
}

/** Whether what npm says it has installed is what the lock says. Optional packages are those of other systems too. */
export const isInstalled = (lock: string, installed: string): boolean => {
  const wanted = packagesOf(lock)
  const present = packagesOf(installed)
  return (
    [...wanted].every(([path, { optional }]) => optional === true || present.has(path)) &&
    [...present].every(([path, { version }]) => wanted.get(path)?.version === version)
  )
}

const read = (file: string): string | undefined => {
  try {
    return fs.readFileSync(new URL(file, project), "utf8")
  } catch {
    return undefined
  }
}

const longestWait = 600_000

const isRunning = (process_: number): boolean => {
  try {
    return process.kill(process_, 0)
  } catch {
    return false
  }
}

/** Runs the work while no other process does it. Two test files may need the same packages at the same time. */
const alone = (name: string, work: () => void): void => {
  fs.mkdirSync(new URL("node_modules/.cache/", project), { recursive: true })
  const file = new URL(`node_modules/.cache/install-${name.replaceAll("/", "-")}`, project)
  const until = Date.now() + longestWait
  for (;;) {
    try {
      fs.writeFileSync(file, String(process.pid), { flag: "wx" })
      break
    } catch (cause) {
      if (Date.now() > until) throw cause
      const owner = Number(read(file.href))
      if (owner > 0 && !isRunning(owner)) fs.rmSync(file, { force: true })
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)
    }
  }
  try {
    work()
  } finally {
    fs.rmSync(file, { force: true })
  }
}

/** Runs `npm ci` in the folder, unless what is there agrees with the lock. */
export const install = (folder: Folder): void => alone(folder, () => installAlone(folder))

const installAlone = (folder: Folder): void => {
  const lock = fs.readFileSync(new URL(`${folder}/package-lock.json`, project), "utf8")
  const installed = read(`${folder}/node_modules/.package-lock.json`)
  if (installed !== undefined && isInstalled(lock, installed)) return
  console.log(`Installing the packages of ${folder}/package.json.`)
  const flags = ["--no-audit", "--no-fund", "--loglevel=error"]
  const { error, status } = spawnSync("npm", ["ci", "--prefix", folder, ...flags], { cwd: project, stdio: "inherit" })
  if (error !== undefined || status !== 0) {
    throw new Error(
      `The packages of ${folder}/package.json could not be installed. Try \`npm ci --prefix ${folder}\`.`,
      {
        cause: error
      }
    )
  }
}
