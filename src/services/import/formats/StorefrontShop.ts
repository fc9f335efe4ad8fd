/** Finds the store of a file of products: by the options of the command, by `meta.json`, or by the file's name. */
import { Effect, Result } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import * as RecordDecoder from "../../../domain/catalog/RecordDecoder.ts"
import { englishOf } from "../../../domain/ArgumentIssue.ts"
import { PartialShop } from "../../../domain/catalog/Records.ts"
import * as StoreDomain from "../../../domain/catalog/StoreDomain.ts"
import * as Storefront from "../../../domain/catalog/Storefront.ts"
import { UnreadableInput } from "../ImportError.ts"
import { text } from "./Foreign.ts"
import type { Foreign } from "./Foreign.ts"
import { decoded } from "./Reading.ts"
import type { Reading } from "./Reading.ts"

/** Options of the command about the store, which override `meta.json`. */
export interface StoreOptions {
  readonly metaPath: string | undefined
  readonly domain: string | undefined
  readonly name: string | undefined
  readonly country: string | undefined
  readonly currency: string | undefined
}

const decode = RecordDecoder.make(PartialShop)

const given = (name: string, value: unknown) => (value === null || value === undefined ? {} : { [name]: value })

const toShop = (domain: string | undefined, meta: Storefront.Meta, options: Partial<StoreOptions>) =>
  decode({
    type: "partial_shop",
    domain: domain ?? "",
    ...given("name", options.name ?? meta.name),
    ...given("country", options.country ?? meta.country),
    ...given("currency", options.currency ?? meta.currency),
    ...given("products_count", meta.published_products_count)
  })

export const fromMeta = (record: Foreign, line: number): Reading => {
  const meta = Storefront.decodeMeta(record)
  const shop = Result.flatMap(meta, (meta) =>
    toShop(Storefront.domainOf(meta) ?? text(record["myshopify_domain"]) ?? undefined, meta, {})
  )
  return decoded(line, shop)
}

/** The domain in names such as `oakline.com.csv`, `oakline.com/products.json` and `oakline.com/page1.json`. */
const domainInName = (file: string): string | undefined => {
  const parts = file.split(/[/\\:]/u)
  const base = (parts.at(-1) ?? "").replace(/(?:\.(?:csv|tsv|txt|json|jsonl|ndjson|gz|zst|products|meta))+$/iu, "")
  return [base, parts.at(-2) ?? ""].map(StoreDomain.normalize).find(StoreDomain.isPublic)
}

export const describe = Effect.fn("StorefrontShop.describe")(function* (
  file: string,
  options: StoreOptions
): Effect.fn.Return<PartialShop, UnreadableInput> {
  const beside = path.join(path.dirname(file), "meta.json")
  const meta = options.metaPath === undefined ? yield* metaBeside(beside) : yield* readMeta(options.metaPath)
  const domain = options.domain ?? Storefront.domainOf(meta) ?? domainInName(file)
  if (domain === undefined) {
    return yield* new UnreadableInput({
      message:
        `${file} does not say whose products it has. Name the store with --domain, or its meta.json with --meta, or put that beside the ` +
        `file; a store that is new needs --country as well.`
    })
  }
  const shop = toShop(StoreDomain.normalize(domain), meta, options)
  if (Result.isSuccess(shop)) return shop.success
  const issues = shop.failure.map((issue) => `${issue.path} ${englishOf(issue)}`).join("; ")
  return yield* new UnreadableInput({ message: `The store of ${file} cannot be imported: ${issues}.` })
})

const maxMetaBytes = 1_048_576

const readMeta = Effect.fnUntraced(function* (file: string): Effect.fn.Return<Storefront.Meta, UnreadableInput> {
  const document = yield* Effect.tryPromise({
    try: async (): Promise<unknown> => {
      const { size } = await fs.stat(file)
      if (size > maxMetaBytes) throw new Error(`it is larger than ${maxMetaBytes} bytes`)
      return JSON.parse(await fs.readFile(file, "utf8"))
    },
    catch: (cause) => new UnreadableInput({ message: `${file} cannot be read as a storefront's meta.json.`, cause })
  })
  const meta = Storefront.decodeMeta(document)
  if (Result.isSuccess(meta)) return meta.success
  const issues = meta.failure.map((issue) => `${issue.path} ${englishOf(issue)}`).join("; ")
  return yield* new UnreadableInput({ message: `${file} is not a storefront's meta.json: ${issues}.` })
})

/** Empty if the file does not exist. */
const metaBeside = (file: string): Effect.Effect<Storefront.Meta, UnreadableInput> =>
  Effect.flatMap(
    Effect.promise(() =>
      fs.access(file).then(
        () => true,
        () => false
      )
    ),
    (isThere) => (isThere ? readMeta(file) : Effect.succeed({}))
  )
