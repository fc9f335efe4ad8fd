/**
 * Who used the processors, and who waited for them, by the kernel's own account: `/proc/<process>/task/<thread>/schedstat` has for
 * each thread how long it ran, and how long it was ready and another one ran. Linux only.
 */
import * as fs from "node:fs"

/** Seconds. */
export interface Times {
  readonly ran: number
  /** In which a thread was ready and did not run. */
  readonly waited: number
}

interface Thread {
  readonly group: string
  readonly began: Times
  latest: Times
}

export interface Watched {
  readonly server: number
  /** PostgreSQL's first process. */
  readonly postgres: number
}

export interface Account {
  /** A process of an import, from now on. */
  readonly addImport: (id: number) => void
  readonly end: () => ReadonlyMap<string, Times>
}

const zero: Times = { ran: 0, waited: 0 }
/** What a thread does in its last moments is not counted. */
const everyMillis = 250
const tickSeconds = 0.01

/** Empty for a process or thread that has ended. */
const read = (path: string): string => {
  try {
    return fs.readFileSync(path, "latin1")
  } catch {
    return ""
  }
}

const threadsOf = (id: number): ReadonlyArray<string> => {
  try {
    return fs.readdirSync(`/proc/${id}/task`)
  } catch {
    return []
  }
}

const childrenOf = (id: number): ReadonlyArray<number> =>
  read(`/proc/${id}/task/${id}/children`)
    .split(" ")
    .filter((text) => text !== "")
    .map(Number)

const timesOf = (id: number, thread: string): Times | undefined => {
  const [ran, waited] = read(`/proc/${id}/task/${thread}/schedstat`).split(" ")
  return waited === undefined ? undefined : { ran: Number(ran) / 1e9, waited: Number(waited) / 1e9 }
}

/** Of all cores: without idle time, waiting for the disk and what the host took away. */
const busySeconds = (): number => {
  const [line = ""] = read("/proc/stat").split("\n", 1)
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = line.split(/\s+/u).slice(1).map(Number)
  return (user + nice + system + irq + softirq) * tickSeconds
}

/** Connections that are opened meanwhile are taken for those of the import. */
export const watch = ({ postgres, server }: Watched): Account => {
  const imports = new Set<number>()
  const threads = new Map<string, Thread>()
  const busyBefore = busySeconds()
  let isFirst = true

  const look = (id: number, groupOf: (thread: string) => string) => {
    for (const thread of threadsOf(id)) {
      const times = timesOf(id, thread)
      if (times === undefined) continue
      const key = `${id}/${thread}`
      const known = threads.get(key)
      if (known === undefined)
        threads.set(key, { group: groupOf(thread), began: isFirst ? times : zero, latest: times })
      else known.latest = times
    }
  }
  const groupOfBackend = (id: number): string => {
    const title = read(`/proc/${id}/cmdline`)
    if (!isFirst) return title.includes("autovacuum") ? "PostgreSQL, its other processes" : "PostgreSQL for the import"
    return title.includes("[local]") ? "PostgreSQL for the server" : "PostgreSQL, its other processes"
  }
  const sample = () => {
    look(process.pid, () => "load")
    look(server, (thread) => (Number(thread) === server ? "server, main thread" : "server, other threads"))
    for (const id of imports) look(id, () => "import")
    for (const id of childrenOf(postgres)) look(id, () => groupOfBackend(id))
    isFirst = false
  }
  sample()
  const timer = setInterval(sample, everyMillis)
  return {
    addImport: (id) => void imports.add(id),
    end: () => {
      clearInterval(timer)
      sample()
      const sums = new Map<string, Times>()
      for (const { began, group, latest } of threads.values()) {
        const { ran, waited } = sums.get(group) ?? zero
        sums.set(group, { ran: ran + latest.ran - began.ran, waited: waited + latest.waited - began.waited })
      }
      const known = Array.from(sums.values()).reduce((sum, { ran }) => sum + ran, 0)
      return sums.set("all others", { ran: Math.max(0, busySeconds() - busyBefore - known), waited: 0 })
    }
  }
}
