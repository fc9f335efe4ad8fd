/**
 * A program of PostgreSQL as a child process that never outlives this one.
 *
 * The kernel closes the pipe on the child's standard input when this process dies, even by SIGKILL, and a small shell around
 * the program then stops it. The program has its own process group, so that Ctrl-C in a terminal reaches only this process,
 * which finishes its calls first and stops the database last.
 */
import { Deferred, Effect, Exit, Schedule } from "effect"
import type { Duration } from "effect"
import { spawn } from "node:child_process"

/** For error messages. */
const keptOutputCharacters = 4_000

/**
 * `$1` is a folder to remove if the parent dies (otherwise the parent removes it); the rest is the command. The first line on
 * standard output is the program's process id. The signal is repeated, because a program that has just started ignores it.
 */
const lifelineScript = `
folder=$1; shift
exec 3<&0
"$@" </dev/null >&2 3<&- &
program=$!
echo "$program"
( cat <&3; : >"$folder/abandoned"; while kill -INT "$program"; do sleep 1; done ) >/dev/null 2>&1 &
watcher=$!
exec 3<&-
wait "$program"; code=$?
kill "$watcher" 2>/dev/null
if [ -e "$folder/abandoned" ]; then rm -rf "$folder"; fi
exit "$code"
`

export interface UserIds {
  readonly uid: number
  readonly gid: number
}

export interface PostgresProcess {
  readonly isRunning: Effect.Effect<boolean>
  /** The exit code; -1 when the program could not be started or was ended by a signal. */
  readonly exited: Effect.Effect<number>
  /** The last output of the program, once it has ended. */
  readonly output: Effect.Effect<string>
  /** SIGINT, and SIGKILL after `limit`. Returns when the program has ended. */
  readonly stop: (limit: Duration.Input) => Effect.Effect<void>
  /** SIGKILL. Returns when the program has ended. */
  readonly kill: Effect.Effect<void>
}

/** Starts `command` in `workingFolder`; `folder` is removed by the shell if this process dies. */
export const launch = (options: {
  readonly command: ReadonlyArray<string>
  readonly folder: string
  readonly workingFolder: string
  readonly user: UserIds | undefined
}): Effect.Effect<PostgresProcess> =>
  Effect.uninterruptible(
    Effect.callback((resume) => {
      let output = ""
      let firstLine = ""
      let exitCode: number | undefined
      const exit = Deferred.makeUnsafe<number>()
      // The program may end before the last of its output has been read.
      const outputEnd = Deferred.makeUnsafe<void>()

      const child = spawn("/bin/sh", ["-c", lifelineScript, "sh", options.folder, ...options.command], {
        stdio: ["pipe", "pipe", "pipe"],
        detached: true,
        cwd: options.workingFolder,
        ...options.user
      })

      const exited = Deferred.await(exit)
      const signal = (name: "SIGINT" | "SIGKILL") =>
        Effect.sync(() => {
          const processId = Number.parseInt(firstLine, 10)
          if (exitCode !== undefined || !(processId > 0)) return
          try {
            process.kill(processId, name)
          } catch {
            // The program ended after the check.
          }
        })
      const kill = Effect.andThen(signal("SIGKILL"), Effect.asVoid(exited))
      const launched: PostgresProcess = {
        isRunning: Effect.sync(() => exitCode === undefined),
        exited,
        output: Deferred.await(outputEnd).pipe(
          Effect.timeoutOption("1 second"),
          Effect.map(() => output.trim())
        ),
        stop: (limit) =>
          signal("SIGINT").pipe(
            Effect.repeat(Schedule.spaced("250 millis")),
            Effect.raceFirst(exited),
            Effect.timeoutOrElse({ duration: limit, orElse: () => kill }),
            Effect.asVoid
          ),
        kill
      }

      const finish = (code: number) => {
        if (exitCode !== undefined) return
        exitCode = code
        child.stdin.destroy()
        Deferred.doneUnsafe(exit, Exit.succeed(code))
        resume(Effect.succeed(launched))
      }
      child.on("error", (error) => {
        output += error.message
        finish(-1)
      })
      child.on("exit", (code) => finish(code ?? -1))
      // Nothing is written to this pipe. An error means that the child has ended, which "exit" reports.
      child.stdin.on("error", () => undefined)
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        firstLine = (firstLine + text).slice(0, 32)
        if (firstLine.includes("\n")) resume(Effect.succeed(launched))
      })
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        output = (output + text).slice(-keptOutputCharacters)
      })
      child.stderr.on("close", () => Deferred.doneUnsafe(outputEnd, Exit.void))
    })
  )
