/**
 * Whether the engine of the tests of ClickHouse can run here. Its package has half a gigabyte, so nothing but these tests installs
 * it: the first test file that asks for it, while others wait.
 *
 * Where there is none for the system, tests are skipped and say so. With `REQUIRE_CLICKHOUSE` or `CI`, they fail instead.
 */
import { execFile } from "node:child_process"
import * as fs from "node:fs"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const folder = new URL("../clickhouse/", import.meta.url)
const program = fileURLToPath(new URL("../packages.ts", import.meta.url))

const install = async (): Promise<string | undefined> => {
  try {
    // A process of its own, because npm takes longer than a worker of the tests may be silent.
    await promisify(execFile)(process.execPath, [program, "test/clickhouse"])
  } catch (cause) {
    return `The package chdb could not be installed. ${String(cause)}`
  }
  // npm leaves out what is for other systems, and the registry may lack it. The manifest replaces it by a small package.
  return fs.existsSync(new URL("node_modules/@chdb/lib-linux-x64-gnu", folder))
    ? undefined
    : `There is no package of chdb for ${process.platform} ${process.arch}.`
}

const problem = await install()
const isRequired = ["REQUIRE_CLICKHOUSE", "CI"].some((name) => (process.env[name] ?? "") !== "")
if (problem !== undefined) {
  if (isRequired) throw new Error(problem)
  console.warn(`Tests of ClickHouse are skipped. ${problem}`)
}

export const isAvailable = problem === undefined
