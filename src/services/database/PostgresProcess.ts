/**
 * One program of PostgreSQL as a child process that never outlives this one.
 *
 * A pipe on the child's standard input is the lifeline: the kernel closes it when this process dies, however it dies
 * (SIGKILL included), and a small shell around the program then stops it. The program runs in a process group of its
 * own, so that Ctrl-C in a terminal reaches this process alone, which drains first and stops the database last.
 */
import { Effect } from "effect"
import { spawn } from "node:child_process"

/** How much of the program's output is kept for an error message. */
const keptOutputCharacters = 4_000

/**
 * `$1` is a folder to remove when the parent has died (otherwise the parent removes it); the rest is the command.
 * The first line on standard output is the program's process id.
 */
const lifelineScript = `
folder=$1; shift
exec 3<&0
"$@" </dev/null >&2 3<&- &
program=$!
echo "$program"
( cat <&3 >/dev/null; : >"$folder/abandoned"; kill -INT "$program" ) >/dev/null 2>&1 &
watcher=$!
exec 3<&-
wait "$program"; code=$?
kill "$watcher" 2>/dev/null
if [ -e "$folder/abandoned" ]; then rm -rf "$folder"; fi
exit "$code"
`

/** The user that the program runs as, when it is not the user of this process. */
export interface UserIds {
  readonly uid: number
  readonly gid: number
}

export interface PostgresProcess {
  /** The exit code; -1 when the program could not be started or was ended by a signal. */
  readonly exited: Effect.Effect<number>
  /** The last lines that the program wrote. */
  readonly output: Effect.Effect<string>
  /** Sends a signal to the program; does nothing once it has gone. */
  readonly signal: (signal: "SIGINT" | "SIGQUIT" | "SIGKILL") => Effect.Effect<void>
}

/** Starts `command`; `folder` is removed by the shell if this process dies. */
export const launch = (options: {
  readonly command: ReadonlyArray<string>
  readonly folder: string
  readonly user: UserIds | undefined
}): Effect.Effect<PostgresProcess> =>
  Effect.sync(() => {
    let output = ""
    let head = ""
    let exitCode: number | undefined
    const waiting = new Set<(code: number) => void>()

    const child = spawn("/bin/sh", ["-c", lifelineScript, "sh", options.folder, ...options.command], {
      stdio: ["pipe", "pipe", "pipe"],
      detached: true,
      ...options.user
    })
    const finish = (code: number) => {
      if (exitCode !== undefined) return
      exitCode = code
      child.stdin.destroy()
      for (const resume of waiting) resume(code)
      waiting.clear()
    }
    child.on("error", (error) => {
      output += error.message
      finish(-1)
    })
    child.on("exit", (code) => finish(code ?? -1))
    // Writing to the lifeline is never needed; losing it means that the child has gone, which "exit" reports.
    child.stdin.on("error", () => undefined)
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      head = (head + text).slice(0, 32)
    })
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      output = (output + text).slice(-keptOutputCharacters)
    })

    return {
      exited: Effect.callback((resume) => {
        if (exitCode !== undefined) return resume(Effect.succeed(exitCode))
        const done = (code: number) => resume(Effect.succeed(code))
        waiting.add(done)
        return Effect.sync(() => waiting.delete(done))
      }),
      output: Effect.sync(() => output.trim()),
      signal: (signal) =>
        Effect.sync(() => {
          const processId = Number.parseInt(head, 10)
          if (exitCode !== undefined || !(processId > 0)) return
          try {
            process.kill(processId, signal)
          } catch {
            // It ended between the check and the signal.
          }
        })
    }
  })
