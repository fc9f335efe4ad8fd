/** The progress of a long command on standard error: a bar on a terminal, a line now and then elsewhere. */
import { Clock, Effect, Stdio, Stream } from "effect"

export interface Progress {
  /** Such as `Importing`. */
  readonly label: string
  readonly done: number
  /** In the unit of `done`; `null` if unknown. */
  readonly total: number | null
  /** Counted for the rate. */
  readonly items: number
  readonly unit: string
}

const barCells = 24
const barPauseMillis = 100
const linePauseMillis = 5_000

export const count = (value: number): string => Math.round(value).toLocaleString("en")

export const duration = (seconds: number): string => {
  const whole = Math.ceil(seconds)
  if (whole < 60) return `${whole} s`
  const minutes = Math.floor(whole / 60)
  return minutes < 60 ? `${minutes} min ${whole % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** One line without line break, `seconds` after the start. */
export const render = (progress: Progress, seconds: number, withBar: boolean): string => {
  const { done, items, label, total, unit } = progress
  const share = total === null || total === 0 ? null : Math.min(1, done / total)
  const filled = Math.round((share ?? 0) * barCells)
  const left = share === null || share === 0 ? null : (seconds * (1 - share)) / share
  return [
    label,
    ...(share === null ? [] : [withBar ? `[${"=".repeat(filled)}${" ".repeat(barCells - filled)}]` : []].flat()),
    ...(share === null ? [] : [`${String(Math.floor(share * 100)).padStart(withBar ? 3 : 0)} %`]),
    `${count(items)} ${unit}`,
    ...(seconds < 1 ? [] : [`${count(items / seconds)}/s`]),
    ...(left === null || share === 1 || seconds < 1 ? [] : [`${duration(left)} left`])
  ].join("  ")
}

export interface ProgressBar {
  readonly update: (progress: Progress) => Effect.Effect<void>
  /** Removes the bar before the result is printed. */
  readonly clear: Effect.Effect<void>
}

export const make: Effect.Effect<ProgressBar, never, Stdio.Stdio> = Effect.gen(function* () {
  const stdio = yield* Stdio.Stdio
  const isTerminal = yield* stdio.stderrIsTerminal
  const pauseMillis = isTerminal ? barPauseMillis : linePauseMillis
  let label: string | undefined
  let startedAt = 0
  let shownAt = 0

  // A closed standard error must not stop the work.
  const print = (text: string) => Effect.ignore(Stream.run(Stream.succeed(text), stdio.stderr()))

  const update = Effect.fnUntraced(function* (progress: Progress) {
    const now = yield* Clock.currentTimeMillis
    if (progress.label !== label) {
      label = progress.label
      startedAt = now
      shownAt = isTerminal ? 0 : now
    }
    if (now - shownAt < pauseMillis) return
    shownAt = now
    const line = render(progress, (now - startedAt) / 1_000, isTerminal)
    yield* print(isTerminal ? `\r${line}\u001B[K` : `${line}\n`)
  })
  return { update, clear: isTerminal ? print("\r\u001B[K") : Effect.void }
})
