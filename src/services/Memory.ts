/** Garbage collection at moments when the program knows that much of what was allocated is garbage. */
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

let collector: ((options?: object) => void) | undefined

const collect = (options?: object): void => {
  if (collector === undefined) {
    // A program sets it at its start (main.ts), tests do not.
    setFlagsFromString("--expose-gc")
    const found: unknown = runInNewContext("gc")
    collector = typeof found === "function" ? (given) => void Reflect.apply(found, undefined, [given]) : () => undefined
  }
  collector(options)
}

/** Some milliseconds on a thread with a small heap. */
export const collectGarbage = (): void => collect()

/**
 * Also returns to the system what this thread's heap has grown to: V8 keeps it until something is allocated again, which an idle server
 * does not do. Some 60 to 140 ms, so for the end of a start, before anybody waits for the thread.
 */
export const releaseMemory = (): void => collect({ type: "major", flavor: "last-resort" })
