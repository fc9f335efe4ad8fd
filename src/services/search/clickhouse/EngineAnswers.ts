/** Answers queries of one version of the catalog: the statements of each kind of query, side by side where none needs another. */
import { Effect, Schema } from "effect"
import type { Figure } from "../../../domain/catalog/Figures.ts"
import type {
  AdGroups,
  Facets,
  Overview,
  SearchResult,
  StoreIds,
  StoreValues
} from "../../../domain/search/CatalogAnswer.ts"
import type { AdGroupsQuery, Filter, OverviewQuery, Query, StoreIdsQuery } from "../../../domain/search/CatalogQuery.ts"
import { AdGroupRow, adGroups as adGroupsSql, readAdGroups } from "./AdGroupsSql.ts"
import type { ClickHouse } from "./ClickHouse.ts"
import type { ClickHouseError } from "./ClickHouseErrors.ts"
import { draft } from "./Conditions.ts"
import type { Draft, Place } from "./Conditions.ts"
import * as CountsSql from "./CountsSql.ts"
import { byFigureColumn } from "./EngineTables.ts"
import { readSettings } from "./EngineWrites.ts"
import * as FacetsSql from "./FacetsSql.ts"
import * as MediansSql from "./MediansSql.ts"
import * as OverviewSql from "./OverviewSql.ts"
import * as PageSql from "./PageSql.ts"

type FiguresById = ReadonlyMap<number, StoreValues>
type Answer<A> = Effect.Effect<A, ClickHouseError>

/** ClickHouse writes unknown figures as texts. */
const figureFields = byFigureColumn(() => Schema.Union([Schema.Finite, Schema.Literal("nan")]))
const StoreRow = Schema.Struct({ id: Schema.Int, ...figureFields })
const PageRow = Schema.Struct({ ...StoreRow.fields, shop_id: Schema.Int })
const IdRow = Schema.Struct({ id: Schema.Int })

const valuesOf =
  (row: typeof StoreRow.Type): StoreValues =>
  (figure) => {
    const value = row[`figure_${figure}`]
    return value === "nan" ? Number.NaN : value
  }

const atOnce = { concurrency: "unbounded" } as const

/** Of one version, on one place. */
export const answersOf = (engine: ClickHouse["Service"], place: Place) => {
  const ask = <S extends Schema.ConstraintDecoder<unknown>>(
    name: string,
    row: S,
    write: (of: Draft) => string | undefined
  ): Answer<ReadonlyArray<S["Type"]>> => {
    const of = draft(place)
    const sql = write(of)
    if (sql === undefined) return Effect.succeed([])
    return engine.query({ name, sql, params: of.parameters.values, settings: readSettings(place.cluster) }, row)
  }
  const count = (query: Parameters<typeof CountsSql.counts>[1], counted: CountsSql.Counted) =>
    ask("counts", CountsSql.CountRow, (of) => CountsSql.counts(of, query, counted))

  const figures = (ids: ReadonlyArray<number>): Answer<FiguresById> =>
    Effect.map(
      ask("figures", StoreRow, (of) => (ids.length === 0 ? undefined : PageSql.figuresOf(of, ids))),
      (rows) => new Map(rows.map((row) => [row.id, valuesOf(row)]))
    )

  const search = (query: Query): Answer<{ readonly answer: SearchResult; readonly figures: FiguresById }> =>
    Effect.all(
      {
        page: ask("page", PageRow, (of) => (query.limit === 0 ? undefined : PageSql.page(of, query))),
        counts: count(query, { hasTotals: true })
      },
      atOnce
    ).pipe(
      Effect.map(({ counts, page }) => ({
        answer: {
          ...CountsSql.readCounts(counts, query),
          page: page.map(({ id, shop_id }) => ({ id, storeId: shop_id === 0 ? null : shop_id }))
        },
        figures: new Map(page.flatMap((row) => (row.shop_id === 0 ? [] : [[row.shop_id, valuesOf(row)]])))
      }))
    )

  const facets = (filter: Filter): Answer<Facets> =>
    Effect.all(
      {
        rows: ask("facets", FacetsSql.FacetRow, (of) => FacetsSql.facets(of, filter)),
        flags: ask("flags", FacetsSql.FlagRow, (of) =>
          filter.subject === "ads" ? FacetsSql.flags(of, filter) : undefined
        )
      },
      atOnce
    ).pipe(Effect.map(({ flags, rows }) => FacetsSql.readFacets(rows, flags, filter, place.spellings)))

  const overview = (query: OverviewQuery): Answer<Overview> => {
    const { order: _, ...filter } = query
    const more = query.shareOf?.stores ?? []
    const groups = Effect.gen(function* () {
      const medianOf = (figure: Figure, told: ReadonlyArray<number> | undefined, isByCurrency: boolean) =>
        MediansSql.medians({ query, figure, told, isByCurrency }, (write) =>
          ask("medians", MediansSql.MiddleRow, write)
        )
      const ordering = OverviewSql.orderFigure(query)
      const { ordered, rows } = yield* Effect.all(
        {
          rows: ask("groups", OverviewSql.GroupRow, (of) => OverviewSql.groups(of, query)),
          ordered: ordering === undefined ? Effect.succeed([]) : medianOf(ordering, undefined, false)
        },
        atOnce
      )
      const ranked = OverviewSql.rank(place, query, rows, new Map(ordered.map(({ median, name }) => [name, median])))
      const told = ranked.map(({ group }) => group)
      const median = (figure: Figure, isByCurrency: boolean) => medianOf(figure, told, isByCurrency)
      const medians = yield* Effect.all(
        {
          visits: median("visits", false),
          growth: median("growth", false),
          revenue: median("revenue", true),
          ...(query.hasPrices ? { prices: median("avg_price", true) } : {})
        },
        atOnce
      )
      return OverviewSql.readOverview(rows, ranked, medians)
    })
    return Effect.all({ groups, counts: count(filter, { hasTotals: false, more }) }, atOnce).pipe(
      Effect.map(({ counts, groups }) => {
        const { currencies, unknownIds } = CountsSql.readCounts(counts, filter, more)
        return { ...groups, currencies, unknownIds }
      })
    )
  }

  const adGroups = (query: AdGroupsQuery): Answer<AdGroups> =>
    Effect.all(
      {
        rows: ask("adGroups", AdGroupRow, (of) => adGroupsSql(of, query)),
        counts: count(query, { hasTotals: true })
      },
      atOnce
    ).pipe(
      Effect.map(({ counts, rows }) => {
        const { currencies, stores = 0, total, unknownIds } = CountsSql.readCounts(counts, query)
        return {
          groups: readAdGroups(place, query.grouping, rows),
          total: { ads: total, stores },
          unknownIds,
          currencies
        }
      })
    )

  const storeIds = (query: StoreIdsQuery): Answer<StoreIds> =>
    Effect.all(
      {
        rows: ask("storeIds", IdRow, (of) => PageSql.storeIds(of, query)),
        counts: count(query, { hasTotals: true })
      },
      atOnce
    ).pipe(
      Effect.map(({ counts, rows }) => {
        const { currencies, total, unknownIds } = CountsSql.readCounts(counts, query)
        return { total, ids: total > query.limit ? [] : rows.map(({ id }) => id), unknownIds, currencies }
      })
    )

  return { search, facets, overview, adGroups, storeIds, figures }
}
