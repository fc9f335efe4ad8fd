/** Which columns or names of a file are read, and which are dropped, for `import --explain`. */
import { adsIn } from "./AdRecords.ts"
import * as BulkProducts from "./BulkProducts.ts"
import * as CatalogFeed from "./CatalogFeed.ts"
import * as Meanings from "./ColumnMeanings.ts"
import { foreign, snakeCase, unflatten } from "./Foreign.ts"
import type { Detected } from "./Format.ts"
import { fieldsOf } from "./MapFields.ts"
import type { Mapping } from "./Mapping.ts"
import * as ProductCsv from "./ProductCsv.ts"
import * as Sample from "./Sample.ts"
import * as ShopCsv from "./ShopCsv.ts"
import * as Traffic from "./Traffic.ts"
import * as WooCommerce from "./WooCommerce.ts"

export interface UsedColumn {
  /** The field of the record. */
  readonly field: string
  /** A column of the file; "" if the value is a constant. */
  readonly column: string
  readonly how: string
}

export interface Account {
  readonly taken: ReadonlyArray<UsedColumn>
  readonly dropped: ReadonlyArray<string>
}

/** Describes the columns of a header that a format reads. */
const named = (
  header: ReadonlyArray<string>,
  places: Readonly<Record<string, number | undefined>>,
  meanings: Readonly<Record<string, readonly [field: string, how: string] | undefined>>
): ReadonlyArray<UsedColumn> =>
  Object.entries(places).flatMap(([name, at]) => {
    const [field, how] = meanings[name] ?? []
    return at === undefined || field === undefined || how === undefined
      ? []
      : [{ field, column: header[at] ?? "", how }]
  })

const account = (columns: ReadonlyArray<string>, taken: ReadonlyArray<UsedColumn>): Account => ({
  taken,
  dropped: columns.filter(
    (column) => !taken.some((one) => one.column === column || column.startsWith(`${one.column}.`))
  )
})

/** The rows whose name is a column of the file, or the beginning of a column's path. */
const there = (columns: ReadonlyArray<string>, rows: ReadonlyArray<Meanings.NameMeaning>): Account => {
  const taken = rows
    .filter(([name]) => columns.some((column) => column === name || column.startsWith(`${name}.`)))
    .map(([column, field, how]) => ({ field, column, how }))
  return account(columns, taken)
}

export const of = ({ container, format }: Detected, sample: Sample.Sample, mapping: Mapping | undefined): Account => {
  const { columns } = sample
  const header = container._tag === "Csv" ? container.header : []
  switch (format) {
    case "map":
      return account(columns, mapping === undefined ? [] : takenBy(mapping))
    case "native":
      return account(
        columns,
        columns.map((name) => ({ field: name, column: name, how: "as it is" }))
      )
    case "empty":
      return account([], [])
    case "taxonomy":
      return account([], [{ field: "niche", column: "each line", how: "its id and its path" }])
    case "storefront": {
      const inner = Sample.ofRecords(
        sample.records.flatMap((record) =>
          Array.isArray(record["products"]) ? record["products"].map(foreign) : [record]
        )
      )
      if (!inner.records.some(BulkProducts.isAnswer)) return there(inner.columns, Meanings.storefront)
      const within = inner.columns.map((column) => column.replaceAll(/\.(?:edges\.node|nodes)(?=\.|$)/gu, ""))
      return there(Array.from(new Set(within)), Meanings.answer)
    }
    case "meta":
      return there(columns, Meanings.meta)
    case "bulk":
      return there(columns, Meanings.bulk)
    case "ads": {
      const inner = sample.records.flatMap(adsIn).map((ad) => foreign(snakeCase(unflatten(ad))))
      return there(Sample.ofRecords(inner).columns, Meanings.ads)
    }
    case "products":
      return account(columns, named(header, ProductCsv.columnsOf(header), Meanings.products))
    case "woocommerce":
      return account(columns, named(header, WooCommerce.columnsOf(header), Meanings.woocommerce))
    case "catalog":
      return account(columns, named(header, CatalogFeed.columnsOf(header), Meanings.catalog))
    case "shops": {
      const networks = ShopCsv.networkColumns.flatMap(([network, name]) =>
        header
          .filter((column) => column.toLowerCase() === name)
          .map((column) => ({ field: "social_networks", column, how: `${network}, where it has one` }))
      )
      return account(columns, [...named(header, ShopCsv.positions(header), Meanings.shops), ...networks])
    }
    case "traffic": {
      const { columns: months, domain, month, visits } = Traffic.places(header)
      const isLong = month >= 0 && visits >= 0
      const store = { field: "shop", column: header[domain] ?? "", how: "domain" }
      return account(columns, [
        store,
        ...(isLong
          ? [
              { field: "month", column: header[month] ?? "", how: "date" },
              { field: "visits", column: header[visits] ?? "", how: "number" }
            ]
          : months.map(({ at, month }) => ({ field: "visits", column: header[at] ?? "", how: `number, of ${month}` })))
      ])
    }
  }
}

const takenBy = ({ fields, record }: Mapping): ReadonlyArray<UsedColumn> =>
  Object.entries(fields).flatMap(([field, source]): ReadonlyArray<UsedColumn> => {
    const { as = fieldsOf[record][field]?.as ?? "text", column, constant, divide_by, form, separator, values } = source
    if (column === undefined) return [{ field, column: "", how: `always ${JSON.stringify(constant)}` }]
    const how = [
      as === "yes_no" ? "yes or no" : as,
      ...(form === undefined ? [] : [form]),
      ...(divide_by === undefined ? [] : [`divided by ${divide_by}`]),
      ...(separator === undefined ? [] : [`joined by ${JSON.stringify(separator)}`]),
      ...(values === undefined ? [] : [`${Object.keys(values).length} values replaced`])
    ]
    return [{ field, column, how: how.join(", ") }]
  })
