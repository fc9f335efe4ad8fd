/** Names of files with the id of the process that made them, by which the next process finds what a killed one has left. */

/** Whether any user has a process with this id. */
const isRunning = (id: number): boolean => {
  if (!(Number.isSafeInteger(id) && id > 0)) return false
  try {
    process.kill(id, 0)
    return true
  } catch (cause) {
    return cause instanceof Error && "code" in cause && cause.code === "EPERM"
  }
}

/**
 * Whether the process that recorded its id has ended. This process's own id is that of an earlier process, unless `isOwn`: in a
 * container, every process has the same id.
 */
export const hasEnded = (id: number, isOwn: boolean): boolean => (id === process.pid ? !isOwn : !isRunning(id))
