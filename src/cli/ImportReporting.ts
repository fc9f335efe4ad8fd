/** The progress and the summary of an import. */
import { Effect, Runtime } from "effect"
import { CliError } from "effect/cli"
import { tables } from "../services/import/LoadedBatch.ts"
import type { UnreadableInput } from "../services/import/ImportError.ts"
import type { ImportOptions } from "../services/import/Importer.ts"
import { Importer } from "../services/import/Importer.ts"
import type { ImportReport, RowCounts } from "../services/import/ImportReport.ts"
import { leftOutReasons } from "../services/import/ImportSource.ts"
import type { ImportChunk } from "../services/import/ImportSource.ts"
import * as ThirdPartyText from "../domain/catalog/ThirdPartyText.ts"
import { count, duration, make } from "./ProgressBar.ts"
import type { Stream } from "effect"

/** Exit code 2: some records were rejected, and others were imported. */
export class RecordsRejected extends CliError.UserError {
  override readonly [Runtime.errorExitCode] = 2
}

export interface Import extends Omit<ImportOptions, "onProgress"> {
  readonly label: string
  readonly source: Stream.Stream<ImportChunk, UnreadableInput>
  /** The total, in the unit of the source's positions. */
  readonly total: number | null
}

/** Runs an import and shows progress on standard error. */
export const run = Effect.fn("ImportReporting.run")(function* (options: Import) {
  const importer = yield* Importer
  const bar = yield* make
  return yield* importer
    .run(options.source, {
      ...options,
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

const maxParts = 50

const totalOf = ({ leftOut, read, rejected }: RowCounts): number => read + rejected + leftOut

const rows = ({ leftOut, read, rejected }: RowCounts): string =>
  `${count(read)} ${read === 1 ? "row" : "rows"} read, ${count(rejected)} rejected, ${count(leftOut)} left out`

/** The rows of each store or file, if there are several. */
const ofParts = (parts: ReadonlyMap<string, RowCounts>): ReadonlyArray<string> => {
  const all = Array.from(parts).filter(([, counts]) => totalOf(counts) > 0)
  if (all.length < 2) return []
  const others = all.slice(maxParts)
  return [
    ...all.slice(0, maxParts).map(([part, counts]) => `  ${ThirdPartyText.line(part)}: ${rows(counts)}`),
    ...(others.length === 0 ? [] : [`  and ${count(others.length)} others`])
  ]
}

/** Formats what was read of the files, and what changed in the catalog. */
export const summary = (name: string, report: ImportReport): string => {
  const {
    accepted,
    reasons,
    repeated,
    chosenNiches,
    expiredAds,
    keepsUnseenAds,
    links,
    older,
    archiveAds,
    otherCurrencies,
    refusedRemovals,
    pagesElsewhere,
    parts,
    removals,
    seconds,
    stops,
    tallies,
    invalidFields
  } = report
  const written = tables.flatMap((type) => {
    const { added, changed, removed } = tallies[type]
    return added + changed + removed === 0
      ? []
      : [
          `  ${type.padEnd(13)} ${count(added).padStart(11)} added ${count(changed).padStart(11)} changed` +
            (removed === 0 ? "" : ` ${count(removed).padStart(11)} removed`)
        ]
  })
  const changes = tables.reduce((sum, type) => sum + tallies[type].added + tallies[type].changed, 0)
  // A record that is repeated in a later batch may be a change of its own.
  const unchanged = accepted - removals - changes - repeated - older
  const { byDomain, byPage, later, without } = links
  const line = (what: string, figure: number) => (figure > 0 ? [`  ${what}: ${count(figure)}`] : [])
  return [
    `${name}: ${rows(report)}, in ${seconds < 10 ? `${seconds.toFixed(1)} s` : duration(seconds)}${seconds < 1 ? "" : ` (${count(totalOf(report) / seconds)} rows/s)`}`,
    ...Array.from(reasons, ([reason, n]) => `  left out: ${leftOutReasons[reason]}: ${count(n)}`),
    ...stops.map(
      ({ file, line }) =>
        `  ${ThirdPartyText.line(file)}: read up to line ${count(line)}; what is beyond it is not counted`
    ),
    ...ofParts(parts),
    ...written,
    ...line("records that remove others", removals),
    ...line("in the catalog already, unchanged", unchanged),
    ...line("older than what the catalog has, which stays as it is", older),
    ...line("more than once in the input, where the last one counts", repeated),
    ...line("ads whose store was found by where they lead", byDomain),
    ...line("ads whose store was found by their page", byPage),
    ...line("ads without a known store", without),
    ...line("ads of earlier imports that lead to a new store", later),
    ...line("ads that were not seen for long, inactive now", expiredAds),
    ...(pagesElsewhere === 0
      ? []
      : [
          `  pages whose running ads are partly of other sources, where they become inactive only by these: ${count(pagesElsewhere)}. Is this the next delivery of one of them? Then import it with --source and its name; catalog sources lists them.`
        ]),
    ...(keepsUnseenAds
      ? ["  ads that these files lack stay as they are, because a file of ads could not be read to its end"]
      : []),
    ...line("ads of ads_archive, which has no call to action, landing page, image and media type", archiveAds),
    ...line("stores that have a niche now, by what they sell", chosenNiches),
    ...line("amounts left out, because not known to be in the currency of their store", otherCurrencies),
    ...(invalidFields.size === 0
      ? []
      : [
          `  optional values that do not fit, unknown or cut: ${Array.from(invalidFields, ([field, n]) => `${field} ${count(n)}`).join(", ")}`
        ]),
    ...refusedRemovals.map(
      ({ domain, gone, products }) =>
        `  ${domain}: ${count(gone)} of its ${count(products)} products are not in these files and stay. If they are gone, import again with --yes.`
    )
  ].join("\n")
}
