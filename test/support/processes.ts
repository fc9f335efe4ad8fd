/** The processes of this machine, for tests that none remains. */
import { Effect, Schedule } from "effect"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"

/** The parent of every process, from /proc if it exists (small systems have no `ps`). */
const parents = (): ReadonlyMap<number, number> => {
  if (process.platform !== "linux") {
    const lines = execFileSync("ps", ["-axo", "pid=,ppid="], { encoding: "utf8" }).trim().split("\n")
    return new Map(
      lines.map((line): [number, number] => {
        const [id, parent] = line.trim().split(/\s+/).map(Number)
        return [id ?? 0, parent ?? 0]
      })
    )
  }
  const found = new Map<number, number>()
  for (const name of fs.readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue
    try {
      // "id (name) state parent ..."; the name may contain blanks and brackets.
      const stat = fs.readFileSync(`/proc/${name}/stat`, "utf8")
      const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
      if (state !== "Z") found.set(Number(name), Number(parent))
    } catch {
      // The process has ended.
    }
  }
  return found
}

/** The process and all its descendants. */
export const familyOf = (processId: number): ReadonlyArray<number> => {
  const all = parents()
  const family = new Set([processId])
  for (let before = 0; before !== family.size;) {
    before = family.size
    for (const [id, parent] of all) if (family.has(parent)) family.add(id)
  }
  return [...family]
}

/** Waits up to two minutes until none of the processes runs; fails with those that still do. */
export const allGone = (processIds: ReadonlyArray<number>): Effect.Effect<void, ReadonlyArray<number>> =>
  Effect.suspend(() => {
    const all = parents()
    const left = processIds.filter((id) => all.has(id))
    return left.length === 0 ? Effect.void : Effect.fail(left)
  }).pipe(Effect.retry({ schedule: Schedule.spaced("20 millis"), times: 6_000 }))
