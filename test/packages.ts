/** `npm run packages`: installs what only tests and benchmarks need. */
import * as Packages from "./support/Packages.ts"

for (const folder of Packages.folders) Packages.install(folder)
