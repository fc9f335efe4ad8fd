/**
 * Reads the records of a file by its format (D59): which reading belongs to it, and for which stores the file may be
 * complete.
 */
import { Effect, Result, Stream } from "effect"
import type { FileSystem, Scope, Stdio } from "effect"
import * as ProductForms from "../../domain/catalog/ProductForms.ts"
import * as Records from "../../domain/catalog/Records.ts"
import type { PartialShop } from "../../domain/catalog/Records.ts"
import type { Corrected } from "../../domain/catalog/LenientDecoder.ts"
import * as Storefront from "../../domain/catalog/Storefront.ts"
import * as ThirdPartyText from "../../domain/catalog/ThirdPartyText.ts"
import * as BulkSpool from "./BulkSpool.ts"
import type { CompleteStores } from "./CompleteStores.ts"
import { convert } from "./Conversion.ts"
import type { Converter } from "./Conversion.ts"
import * as AdLibrary from "./formats/AdLibrary.ts"
import * as AdRecords from "./formats/AdRecords.ts"
import * as BulkProducts from "./formats/BulkProducts.ts"
import * as CatalogFeed from "./formats/CatalogFeed.ts"
import { foreign, isForeign } from "./formats/Foreign.ts"
import type { Foreign } from "./formats/Foreign.ts"
import type { Container, Detected, FormatName } from "./formats/Format.ts"
import * as MappedRows from "./formats/MappedRows.ts"
import type { Mapping } from "./formats/Mapping.ts"
import * as ProductCsv from "./formats/ProductCsv.ts"
import { ProductMemory } from "./formats/ProductMemory.ts"
import { decoded, keptOfRecord, nothing, ofItems, ofProduct } from "./formats/Reading.ts"
import * as Sample from "./formats/Sample.ts"
import * as ShopCsv from "./formats/ShopCsv.ts"
import * as StorefrontShop from "./formats/StorefrontShop.ts"
import type { StoreOptions } from "./formats/StorefrontShop.ts"
import * as Taxonomy from "./formats/Taxonomy.ts"
import * as Traffic from "./formats/Traffic.ts"
import * as WooCommerce from "./formats/WooCommerce.ts"
import { UnreadableInput } from "./ImportError.ts"
import type { ImportChunk, Reading } from "./ImportSource.ts"
import type * as InputFile from "./InputFile.ts"
import type { OpenExport } from "./OpenExport.ts"

export interface RecordOptions {
  /** The map by which every file is read. */
  readonly mapping?: Mapping | undefined
  readonly store: StoreOptions
  /** Whether a list of stores is refused together with options about one store. */
  readonly refusesUnused?: boolean
  /** The date of the data, `YYYY-MM-DD`. */
  readonly asOf: string
}

type Requirements = FileSystem.FileSystem | Stdio.Stdio | Scope.Scope

const productTables = { products: () => ProductCsv.make, woocommerce: WooCommerce.make, catalog: CatalogFeed.make }
type ProductTable = keyof typeof productTables
export const isProductTable = (format: FormatName): format is ProductTable => format in productTables

/** Without the last product of a table of products, which another file may go on with. */
export const recordsOf = Effect.fnUntraced(function* (
  file: InputFile.InputFile,
  detected: Detected,
  options: RecordOptions,
  completeStores: CompleteStores,
  lastExport: OpenExport,
  products: MappedRows.Products = new ProductMemory()
): Effect.fn.Return<Stream.Stream<ImportChunk, UnreadableInput>, UnreadableInput, Requirements> {
  const { container, format } = detected
  type Records = Stream.Stream<ImportChunk, UnreadableInput>
  const taken = (records: Records, shop?: string) =>
    Stream.map(records, (chunk) => {
      completeStores.take(chunk, shop)
      return shop === undefined ? chunk : { ...chunk, part: shop }
    })
  const takenAds = (records: Records) =>
    Stream.tap(records, (chunk) => Effect.sync(() => completeStores.takeAds(chunk)))
  if (format === "map") {
    const { mapping } = options
    if (mapping === undefined) return Stream.empty
    if (mapping.record === "shop") yield* refuseStore(file, options)
    const { records, shop } = yield* mapped(file, container, mapping, options.store, products)
    if (mapping.record === "ad") return takenAds(records)
    return mapping.record === "product" ? taken(records, shop) : records
  }
  if (format === "shops") yield* refuseStore(file, options)
  if (format !== "storefront" && format !== "bulk" && !isProductTable(format)) {
    const records = convert(file, container, converterOf(format, container, options, file))
    if (format === "ads") return takenAds(records)
    return format === "native" ? taken(records) : records
  }
  const shop = yield* StorefrontShop.describe(file, options.store)
  const { record } = shop
  const ofStore = (records: Records) => taken(Stream.concat(Stream.succeed(shopChunk(shop)), records), record.domain)
  if (isProductTable(format)) {
    // The others may be of a part of the products.
    if (format === "products") completeStores.add(record.domain)
    const header = container._tag === "Csv" ? container.header : []
    const { left, rows } = lastExport.read(
      productTables[format](options.asOf),
      header,
      record.domain,
      ThirdPartyText.line(file.name)
    )
    return Stream.concat(Stream.fromIterable(left), ofStore(convert(file, container, rows)))
  }
  return ofStore(
    format === "bulk"
      ? yield* BulkSpool.read(file, record.domain)
      : convert(file, container, storefrontItems(record.domain, file.name, completeStores))
  )
})

/** A list of stores names each of them itself. */
const refuseStore = Effect.fnUntraced(function* (
  file: InputFile.InputFile,
  { refusesUnused = false, store: { currency, domain, metaPath, name } }: RecordOptions
): Effect.fn.Return<void, UnreadableInput> {
  const named = Object.entries({ domain, name, currency, meta: metaPath }).find(([, value]) => value !== undefined)
  if (named === undefined || !refusesUnused) return
  return yield* new UnreadableInput({
    message:
      `${ThirdPartyText.line(file.name)} is read as a list of stores, of which --${named[0]} cannot be said. Leave it out; if the file has the products of ` +
      `one store, read it by a map of products: import --explain writes one to start with.`
  })
})

interface MappedFile {
  readonly records: Stream.Stream<ImportChunk, UnreadableInput>
  /** The store of all products. */
  readonly shop?: string
}

/** Reads a file by a map. If the map names no store for products, `StorefrontShop.describe` finds it. */
const mapped = Effect.fnUntraced(function* (
  file: InputFile.InputFile,
  container: Container,
  mapping: Mapping,
  store: StoreOptions,
  products: MappedRows.Products
): Effect.fn.Return<MappedFile, UnreadableInput> {
  const isOfOneStore = mapping.record === "product" && !("shop" in mapping.fields)
  const shop = isOfOneStore ? yield* StorefrontShop.describe(file, store) : undefined
  const sample = Sample.of(file.head, file.isWhole, container)
  const converter = MappedRows.make(
    mapping,
    container,
    sample,
    { domain: shop?.record.domain, country: store.country },
    products
  )
  if (Result.isFailure(converter)) {
    return yield* new UnreadableInput({
      message: `${ThirdPartyText.line(file.name)} does not fit the map: ${converter.failure}.`
    })
  }
  const records = convert(file, container, converter.success)
  return shop === undefined
    ? { records }
    : { records: Stream.concat(Stream.succeed(shopChunk(shop)), records), shop: shop.record.domain }
})

const shopChunk = ({ record, invalidFields }: Corrected<PartialShop>): ImportChunk => ({
  rows: [{ line: 0, record, sourceRows: 0 }],
  invalidFields,
  rejects: [],
  position: 0
})

const converterOf = (
  format: Exclude<FormatName, "storefront" | "bulk" | ProductTable | "map">,
  container: Container,
  { asOf, store }: RecordOptions,
  { head, isWhole }: InputFile.InputFile
): Converter => {
  const header = container._tag === "Csv" ? container.header : []
  switch (format) {
    case "native":
      return { item: native }
    case "meta":
      return { item: (item, line) => StorefrontShop.fromMeta(foreign(item), line) }
    case "ads": {
      const source = AdLibrary.sourceOf(asOf, Sample.of(head, isWhole, container).records)
      const read = (ad: Foreign, line: number): Reading =>
        AdRecords.isAd(ad)
          ? AdLibrary.read(ad, line, source)
          : { ...nothing, rejects: [{ line, field: "ad_archive_id", reason: "is required" }] }
      return {
        item: (item, line) => ofItems(AdRecords.adsIn(item).map((ad) => read(ad, line))),
        row: (cells, line) => read(AdRecords.ofRow(header, cells), line)
      }
    }
    case "shops":
      return { row: ShopCsv.make(header, asOf.slice(0, 7), store) }
    case "traffic":
      return { row: Traffic.make(header) }
    case "taxonomy":
      return { text: Taxonomy.read }
    case "empty":
      return {}
  }
}

/** A record of an unknown type may be a product. */
const native = (item: unknown, line: number): Reading => {
  const record = Records.correct(item)
  if (Result.isSuccess(record)) return decoded(line, record)
  const input = foreign(item)
  const isOfOtherType = input["type"] !== "product" && Records.recordTypes.some((type) => type === input["type"])
  return { ...decoded(line, record), ...(isOfOtherType ? {} : keptOfRecord(input)) }
}

const storefrontItems = (domain: string, file: string, completeStores: CompleteStores): Converter => {
  completeStores.page(domain, file)
  return {
    item: (item, line) => {
      const products = isForeign(item) && Array.isArray(item["products"]) ? item["products"] : [item]
      return ofItems(
        products.map((product): Reading => {
          const isAnswer = BulkProducts.isAnswer(product)
          completeStores.item(domain, isAnswer || ProductForms.isOfStoreApi(foreign(product)))
          if (isAnswer) return BulkProducts.ofAnswer(product, line, domain)
          const record = Storefront.toRecord(product, domain)
          const fields = foreign(product)
          const { handle = fields["slug"], id } = fields
          const currency = ProductForms.currencyOf(fields)
          return ofProduct(line, record, {
            shop: domain,
            currencies: currency === undefined ? undefined : [currency],
            category:
              Result.isSuccess(record) && typeof record.success !== "string"
                ? (record.success.record.details?.product_type ?? null)
                : null,
            keys: [handle, id].flatMap((key) =>
              typeof key === "string" || Number.isSafeInteger(key) ? [String(key)] : []
            )
          })
        })
      )
    }
  }
}
