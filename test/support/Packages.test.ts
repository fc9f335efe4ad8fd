import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as Packages from "./Packages.ts"

interface Entry {
  readonly version: string
  readonly optional?: true
}

const lockOf = (packages: Readonly<Record<string, Entry>>) =>
  JSON.stringify({
    packages: Object.fromEntries(Object.entries(packages).map(([name, of]) => [`node_modules/${name}`, of]))
  })

const lock = lockOf({
  a: { version: "1.0.0" },
  b: { version: "2.0.0" },
  "b-darwin": { version: "2.0.0", optional: true }
})

describe("packages are installed", () => {
  it.each([
    ["where one is missing", { a: { version: "1.0.0" } }],
    ["where one has another version", { a: { version: "1.0.0" }, b: { version: "2.0.1" } }],
    ["where the lock has lost one", { a: { version: "1.0.0" }, b: { version: "2.0.0" }, c: { version: "1.0.0" } }]
  ])("%s", (_, installed) => assert.isFalse(Packages.isInstalled(lock, lockOf(installed))))

  it.each([
    ["one for another system", { a: { version: "1.0.0" }, b: { version: "2.0.0" } }],
    ["nothing", { a: { version: "1.0.0" }, b: { version: "2.0.0" }, "b-darwin": { version: "2.0.0" } }]
  ])("but not where %s is missing", (_, installed) => assert.isTrue(Packages.isInstalled(lock, lockOf(installed))))
})

it("a package that several manifests name has one version", () => {
  const versions = new Map<string, Set<string>>()
  for (const folder of [".", ...Packages.folders, ...Packages.onDemand]) {
    const manifest: {
      readonly dependencies: Readonly<Record<string, string>>
      readonly devDependencies?: Readonly<Record<string, string>>
    } = JSON.parse(fs.readFileSync(new URL(`../../${folder}/package.json`, import.meta.url), "utf8"))
    for (const [name, version] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })) {
      versions.set(name, (versions.get(name) ?? new Set()).add(version))
    }
  }
  assert.deepStrictEqual(
    [...versions].filter(([, { size }]) => size > 1),
    []
  )
})
