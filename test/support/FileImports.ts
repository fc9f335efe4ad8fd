/** Imports files as one command does, without the command. */
import { Effect, FileSystem, Path } from "effect"
import * as FileReader from "../../src/services/import/FileReader.ts"
import type * as Mapping from "../../src/services/import/formats/Mapping.ts"
import { Importer } from "../../src/services/import/Importer.ts"

/** Sets `TMPDIR` to a new folder for the scope. The effect within lists the names in it. */
export const temporaryNames = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* fs.makeTempDirectoryScoped()
  const before = process.env["TMPDIR"]
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      if (before === undefined) delete process.env["TMPDIR"]
      else process.env["TMPDIR"] = before
    })
  )
  process.env["TMPDIR"] = folder
  return fs.readDirectory(folder)
})

export const nobody = {
  metaPath: undefined,
  domain: undefined,
  name: undefined,
  country: undefined,
  currency: undefined
}
export const oakline = { ...nobody, domain: "oakline.com", country: "DE", currency: "EUR" }

/** What a command without options reads files with, on a fixed day. */
export const defaults: FileReader.ReadOptions = {
  format: undefined,
  store: nobody,
  asOf: "2026-06-30",
  isComplete: false,
  onFile: () => Effect.void
}

interface Options {
  readonly store?: FileReader.ReadOptions["store"]
  readonly source?: string
  readonly asOf?: string
  readonly isComplete?: boolean
  readonly yes?: boolean
  /** The map by which every file is read. */
  readonly mapping?: Mapping.Mapping
}

/** Imports files by their names and contents, as one command does. */
export const run = Effect.fnUntraced(function* (files: Readonly<Record<string, string | object>>, options?: Options) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folder = yield* fs.makeTempDirectoryScoped()
  for (const [name, content] of Object.entries(files)) {
    yield* fs.writeFileString(path.join(folder, name), typeof content === "string" ? content : JSON.stringify(content))
  }
  const names = Object.keys(files).map((name) => path.join(folder, name))
  return yield* runNames(names, options)
}, Effect.scoped)

/** Imports what the names stand for, as one command does. */
export const runNames = Effect.fnUntraced(function* (names: ReadonlyArray<string>, options: Options = {}) {
  const importer = yield* Importer
  const asOf = options.asOf ?? defaults.asOf
  const set = yield* FileReader.read(names, {
    ...defaults,
    mapping: options.mapping,
    store: options.store ?? oakline,
    asOf,
    isComplete: options.isComplete ?? defaults.isComplete
  })
  const rejects: Array<string> = []
  const report = yield* importer.run(set.chunks, {
    provenance: { source: options.source ?? "test", license: "ours", asOf },
    outcome: set.outcome,
    notesProducts: set.mayBeWhole,
    expireAdsAfterDays: () => (set.formats().has("ads") ? 7 : undefined),
    allowsLargeRemovals: options.yes ?? false,
    maxRejects: 100,
    onRejects: (more) =>
      Effect.sync(() => void rejects.push(...more.map(({ field, line, reason }) => `${line} ${field}: ${reason}`))),
    onProgress: () => Effect.void
  })
  return { ...report, rejects }
}, Effect.scoped)
