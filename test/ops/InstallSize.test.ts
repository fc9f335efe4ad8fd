/** What `npm ci --omit=dev` takes on Linux x64, from the packages that are installed here. */
import { assert, it } from "@effect/vitest"
import * as fs from "node:fs"
import lock from "../../package-lock.json" with { type: "json" }
import * as DeployFiles from "./DeployFiles.ts"
import * as ImageInstall from "./ImageInstall.ts"

const page = fs.readFileSync(new URL("bench/results/install.md", DeployFiles.project), "utf8")

const bytesOf = (folder: string) => ImageInstall.bytesOf(new URL(folder, DeployFiles.project).pathname)

/** A package of the lock, without those inside of it, which are in its folder. */
const isInProduction = ([folder, of]: readonly [string, object]) =>
  /^node_modules\/(?:@[^/]+\/)?[^/]+$/u.test(folder) && !("dev" in of) && DeployFiles.exists(folder)

it.skipIf(process.platform !== "linux" || process.arch !== "x64")(
  "a production install takes at most 300 MB, as bench/results/install.md says within a tenth",
  () => {
    const folders = Object.entries(lock.packages).filter(isInProduction)
    // The last is removed where there are no tools for development (Postinstall.test.ts).
    const bytes = folders.reduce((sum, [folder]) => sum + bytesOf(folder), 0) - bytesOf("node_modules/effect/src")
    const [, said = assert.fail()] = /^\| `npm ci --omit=dev` \| (\d+) \|/mu.exec(page) ?? []
    assert.closeTo(bytes / 1e6, Number(said), Number(said) / 10)
    assert.isAtMost(bytes / 1e6, 300)
  }
)
