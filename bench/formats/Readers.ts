/** The two that are compared: what an import does with a file before the database, and a bare parse by the same library. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { JSONParser } from "@streamparser/json"
import { parse } from "csv-parse"
import { Effect, Result, Stream } from "effect"
import * as fs from "node:fs"
import { pipeline } from "node:stream/promises"
import * as FileReader from "../../src/services/import/FileReader.ts"
import * as Mapping from "../../src/services/import/formats/Mapping.ts"
import type { Bare, Format } from "./Files.ts"

const store = { metaPath: undefined, domain: undefined, name: undefined, country: "US", currency: "USD" }

/** How many records of the catalog the file gives. */
export const readFile = (path: string, { map }: Format): Promise<number> =>
  Effect.gen(function* () {
    const mapping = map === undefined ? undefined : Result.getOrThrowWith(Mapping.decode(map), (why) => new Error(why))
    const { chunks } = yield* FileReader.read([path], {
      format: undefined,
      mapping,
      store,
      asOf: "2026-06-30",
      isComplete: false,
      onFile: () => Effect.void
    })
    return yield* Stream.runFold(
      chunks,
      () => 0,
      (count, { rejects, rows }) => {
        if (rejects[0] !== undefined) throw new Error(`line ${rejects[0].line}: ${rejects[0].reason}`)
        return count + rows.length
      }
    )
  }).pipe(Effect.scoped, Effect.provide(NodeServices.layer), Effect.runPromise)

/** As the import reads files. */
const chunkBytes = 262_144

export const parseBare = async (path: string, bare: Bare): Promise<void> => {
  const bytes = fs.createReadStream(path, { highWaterMark: chunkBytes })
  switch (bare._tag) {
    case "Csv": {
      const parser = parse({ bom: true, relax_column_count: true, relax_quotes: true, skip_empty_lines: true })
      parser.on("data", () => {})
      return pipeline(bytes, parser)
    }
    case "Json": {
      const parser = new JSONParser({ paths: [bare.path], keepStack: false })
      parser.onValue = () => {}
      for await (const part of bytes) parser.write(part)
      return
    }
    case "Lines":
    case "Text": {
      const decoder = new TextDecoder("utf-8", { fatal: true })
      let begun = ""
      for await (const part of bytes) {
        const lines = (begun + decoder.decode(part, { stream: true })).split("\n")
        begun = lines.pop() ?? ""
        if (bare._tag === "Lines") for (const line of lines) JSON.parse(line)
      }
    }
  }
}
