/** `npm run packages`: installs what only tests and benchmarks need, or the packages of the folders that it is given, and makes the bundle. */
import * as Packages from "./support/Packages.ts"

const wanted = process.argv.slice(2)
const known = [...Packages.folders, ...Packages.onDemand]
const chosen = wanted.length === 0 ? Packages.folders : known.filter((folder) => wanted.includes(folder))
for (const folder of chosen) Packages.install(folder)
// Benchmarks start what users start.
await import("../ops/build.ts")
