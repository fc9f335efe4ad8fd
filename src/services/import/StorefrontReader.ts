/** Reads a storefront's `products.json`, with its `meta.json` or options in its place. */
import { Effect, Result, Schema, Stream } from "effect"
import type { FileSystem, Stdio } from "effect"
import { Count, Domain } from "../../domain/catalog/RecordFields.ts"
import { Country, Currency, ShopName } from "../../domain/catalog/Records.ts"
import * as StoreDomain from "../../domain/catalog/StoreDomain.ts"
import * as Storefront from "../../domain/catalog/Storefront.ts"
import * as ArgumentDecoder from "../../domain/ArgumentDecoder.ts"
import { englishOf } from "../../domain/ArgumentIssue.ts"
import type { ArgumentIssue } from "../../domain/ArgumentIssue.ts"
import { UnreadableInput } from "./ImportError.ts"
import { rejects } from "./ImportSource.ts"
import type { ImportChunk, ImportRow, Reject, StorefrontShop } from "./ImportSource.ts"
import * as InputFile from "./InputFile.ts"

/** Values that take precedence over `meta.json`. */
export interface StorefrontOptions {
  readonly metaPath: string | undefined
  readonly domain: string | undefined
  readonly name: string | undefined
  readonly country: string | undefined
  readonly currency: string | undefined
}

/** A page has up to 250 products of at most a few hundred KiB each. */
const maxFileBytes = 67_108_864
const productsAtOnce = 500

export const read = Effect.fn("StorefrontReader.read")(function* (
  file: InputFile.InputFile,
  options: StorefrontOptions
): Effect.fn.Return<Stream.Stream<ImportChunk, UnreadableInput>, UnreadableInput, FileSystem.FileSystem | Stdio.Stdio> {
  const shop = yield* describeShop(options)
  const document = yield* json(file)
  const envelope = Schema.decodeUnknownResult(Storefront.ProductsDocument)(document)
  if (Result.isFailure(envelope)) {
    return yield* new UnreadableInput({
      message: `${file.name} is not a storefront's products.json: {"products": [...]} was expected.`
    })
  }
  const products = "products" in envelope.success ? envelope.success.products : envelope.success
  const position = file.bytesRead()
  const first: ImportChunk = { rows: [{ line: 1, record: shop }], rejects: [], skipped: 0, position: 0 }
  return Stream.fromIterable(products).pipe(
    Stream.zipWithIndex,
    Stream.grouped(productsAtOnce),
    Stream.map((group) => toChunk(group, shop.domain, position)),
    (chunks) => Stream.concat(Stream.succeed(first), chunks)
  )
})

const toChunk = (products: ReadonlyArray<[unknown, number]>, domain: string, position: number): ImportChunk => {
  const rows: Array<ImportRow> = []
  const bad: Array<Reject> = []
  let skipped = 0
  for (const [product, index] of products) {
    const record = Storefront.toRecord(product, domain)
    if (Result.isFailure(record)) bad.push(...rejects(index + 1, record.failure))
    else if (record.success === null) skipped++
    else rows.push({ line: index + 1, record: record.success })
  }
  return { rows, rejects: bad, skipped, position }
}

const json = Effect.fnUntraced(function* (file: InputFile.InputFile): Effect.fn.Return<unknown, UnreadableInput> {
  const unreadable = (message: string) => new UnreadableInput({ message: `${file.name} ${message}.` })
  const parts: Array<Uint8Array> = []
  let length = 0
  yield* Stream.runForEach(file.content, (part) => {
    if ("damage" in part) return Effect.fail(unreadable(`cannot be unpacked: ${part.damage}`))
    length += part.length
    parts.push(part)
    return length > maxFileBytes
      ? Effect.fail(unreadable(`is larger than ${maxFileBytes / 1_048_576} MiB; import its pages one by one`))
      : Effect.void
  })
  return yield* Effect.try({
    try: (): unknown => JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(parts))),
    catch: () => unreadable("is not a whole JSON document in UTF-8; has it been cut off?")
  })
})

const Shop = Schema.Struct({
  domain: Domain,
  name: ShopName,
  country: Country,
  currency: Schema.NullOr(Currency),
  products_count: Schema.NullOr(Count)
})
const decodeShop = ArgumentDecoder.decoder(Shop)

const describeShop = Effect.fnUntraced(function* (
  options: StorefrontOptions
): Effect.fn.Return<StorefrontShop, UnreadableInput, FileSystem.FileSystem | Stdio.Stdio> {
  const meta = options.metaPath === undefined ? {} : yield* readMeta(options.metaPath)
  const told = options.domain ?? meta.domain ?? URL.parse(meta.url ?? "")?.hostname
  const domain = told === undefined ? undefined : StoreDomain.normalize(told)
  const country = options.country ?? meta.country ?? undefined
  const missing = [domain === undefined ? "--domain" : [], country === undefined ? "--country" : []].flat()
  if (missing.length > 0) {
    return yield* new UnreadableInput({
      message: `A products.json does not say whose it is: name its meta.json with --meta, or give ${missing.join(" and ")}.`
    })
  }
  const shop = decodeShop({
    domain,
    name: options.name ?? meta.name ?? domain,
    country,
    currency: options.currency ?? meta.currency ?? null,
    products_count: meta.published_products_count ?? null
  })
  if (Result.isSuccess(shop)) return { type: "storefront_shop", ...shop.success }
  return yield* new UnreadableInput({
    message: `The store cannot be imported: ${listed(shop.failure)}.`
  })
})

const listed = (issues: ReadonlyArray<ArgumentIssue>): string =>
  issues.map((issue) => `${issue.path} ${englishOf(issue)}`).join("; ")

const readMeta = Effect.fnUntraced(function* (path: string) {
  const file = yield* InputFile.open(path)
  const meta = Storefront.decodeMeta(yield* json(file))
  if (Result.isSuccess(meta)) return meta.success
  return yield* new UnreadableInput({
    message: `${path} is not a storefront's meta.json: ${listed(meta.failure)}.`
  })
})
