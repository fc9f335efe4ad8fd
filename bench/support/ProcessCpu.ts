/** CPU time of processes. Linux only; elsewhere it reads as 0. */
import * as fs from "node:fs"
import { familyOf } from "../../test/support/processes.ts"

const microsPerTick = 10_000
/** Of /proc/<id>/stat, counted from behind the name: user and system, its own and of children that have ended. */
const fields = [11, 12, 13, 14] as const

const ticksOf = (processId: number): number => {
  try {
    const stat = fs.readFileSync(`/proc/${processId}/stat`, "latin1")
    const values = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return fields.reduce((sum, field) => sum + Number(values[field]), 0)
  } catch {
    // It has ended; its parent has its time.
    return 0
  }
}

/** Microseconds so far, with those of children that have ended. */
export const ofProcess = (processId: number): number => ticksOf(processId) * microsPerTick

/** Microseconds so far, of all descendants of a process but not of itself: of a server, those of its PostgreSQL. */
export const ofDescendants = (processId: number): number =>
  process.platform === "linux"
    ? familyOf(processId)
        .filter((id) => id !== processId)
        .reduce((sum, id) => sum + ofProcess(id), 0)
    : 0
