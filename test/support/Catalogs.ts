/** Catalogs for tests of pages: the demo data, or one of the naive search. */
import { Effect, Layer } from "effect"
import { demoSource } from "../../demo/DemoData.ts"
import type { DemoSizeName } from "../../demo/DemoData.ts"
import * as DemoPictures from "../../src/domain/catalog/PictureNames.ts"
import { Importer } from "../../src/services/import/Importer.ts"
import { loadCatalog } from "../oracle/loadCatalog.ts"
import type { NaiveCatalog } from "../oracle/NaiveCatalog.ts"
import { indexed } from "./Stamps.ts"

export const demo = (size: DemoSizeName) =>
  Layer.effectDiscard(
    Effect.flatMap(Importer, (importer) =>
      importer.run(demoSource({ size, seed: "pages", asOf: "2026-01-15" }), {
        provenance: { source: DemoPictures.source, license: null, asOf: "2026-01-15" },
        maxRejects: 0,
        onRejects: () => Effect.void,
        onProgress: () => Effect.void
      })
    ).pipe(Effect.andThen(indexed))
  )

export const naive = (catalog: NaiveCatalog) => Layer.effectDiscard(Effect.andThen(loadCatalog(catalog), indexed))
