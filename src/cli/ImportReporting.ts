/** The progress and the summary of an import. */
import { Effect, Runtime } from "effect"
import { CliError } from "effect/cli"
import { recordTypes } from "../domain/catalog/Records.ts"
import type { UnreadableInput } from "../services/import/ImportError.ts"
import type { ImportOptions, ImportReport } from "../services/import/Importer.ts"
import { Importer } from "../services/import/Importer.ts"
import type { ImportChunk } from "../services/import/ImportSource.ts"
import { count, duration, make } from "./ProgressBar.ts"
import type { Stream } from "effect"

/** Some records were rejected, the others imported: exit code 2. */
export class RecordsRejected extends CliError.UserError {
  override readonly [Runtime.errorExitCode] = 2
}

export interface Import {
  readonly label: string
  readonly source: Stream.Stream<ImportChunk, UnreadableInput>
  /** In the unit of the source's positions. */
  readonly total: number | null
  readonly maxRejects: number
  readonly onRejects: ImportOptions["onRejects"]
}

/** Runs an import and shows progress on standard error. */
export const run = Effect.fn("ImportReporting.run")(function* (options: Import) {
  const importer = yield* Importer
  const bar = yield* make
  return yield* importer
    .run(options.source, {
      maxRejects: options.maxRejects,
      onRejects: options.onRejects,
      onProgress: (progress) =>
        bar.update({
          label: options.label,
          done: progress.position,
          total: options.total,
          items: progress.records,
          unit: "records"
        })
    })
    .pipe(Effect.ensuring(bar.clear))
})

/** What changed in the catalog. */
export const summary = (name: string, report: ImportReport): string => {
  const { accepted, rejected, seconds, skipped, tallies } = report
  const written = recordTypes.flatMap((type) => {
    const { added, changed } = tallies[type]
    return added + changed === 0
      ? []
      : [`  ${type.padEnd(13)} ${count(added).padStart(11)} added ${count(changed).padStart(11)} changed`]
  })
  const unchanged = accepted - recordTypes.reduce((sum, type) => sum + tallies[type].added + tallies[type].changed, 0)
  return [
    `${name}: ${count(accepted)} records in ${seconds < 10 ? `${seconds.toFixed(1)} s` : duration(seconds)}${seconds < 1 ? "" : `, ${count(accepted / seconds)}/s`}`,
    ...written,
    ...(unchanged > 0 ? [`  in the catalog already, or twice in the input: ${count(unchanged)}`] : []),
    ...(skipped > 0 ? [`  left out, because drafts or archived: ${count(skipped)}`] : []),
    ...(rejected > 0 ? [`  rejected: ${count(rejected)}`] : [])
  ].join("\n")
}
