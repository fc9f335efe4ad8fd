/** Pico is copied, because a server needs one of its 250 files (docs/decisions/0008-pages.md). */
import { assert, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

const copies = new URL("../../../../src/http/pages/shared/pico/", import.meta.url)
const sheet = fileURLToPath(import.meta.resolve("@picocss/pico/css/pico.blue.min.css"))

it("the copy of Pico and its license are those of the package in test/package.json", () => {
  const package_ = path.resolve(sheet, "../..")
  const read = (file: URL | string) => fs.readFileSync(file, "utf8")
  assert.isTrue(read(sheet) === read(new URL("pico.blue.min.css", copies)), "npm run packages, then copy it")
  assert.strictEqual(read(path.join(package_, "LICENSE.md")), read(new URL("LICENSE", copies)))
})
