/**
 * Finds the store of a file of products (D60): by the options of the command, by `meta.json`, or by the file's name.
 */
import { Effect, Result, Stream } from "effect"
import * as path from "node:path"
import * as BoundedJson from "../../../domain/BoundedJson.ts"
import * as LenientDecoder from "../../../domain/catalog/LenientDecoder.ts"
import * as RecordDecoder from "../../../domain/catalog/RecordDecoder.ts"
import { listOf } from "../../../domain/ArgumentIssue.ts"
import type { ArgumentIssue } from "../../../domain/ArgumentIssue.ts"
import { PartialShop } from "../../../domain/catalog/Records.ts"
import * as StoreDomain from "../../../domain/catalog/StoreDomain.ts"
import * as Storefront from "../../../domain/catalog/Storefront.ts"
import * as ThirdPartyText from "../../../domain/catalog/ThirdPartyText.ts"
import * as WholeFile from "../../WholeFile.ts"
import { UnreadableInput } from "../ImportError.ts"
import type { InputFile, LocatedFile } from "../InputFile.ts"
import { text } from "./Foreign.ts"
import type { Foreign } from "./Foreign.ts"
import { decoded } from "./Reading.ts"
import type { Reading } from "../ImportSource.ts"

/** Options of the command about the store, which override `meta.json`. */
export interface StoreOptions {
  readonly metaPath: string | undefined
  readonly domain: string | undefined
  readonly name: string | undefined
  readonly country: string | undefined
  readonly currency: string | undefined
}

const decode = LenientDecoder.make(PartialShop)

const strict = RecordDecoder.make(PartialShop)

const refused = (what: string, issues: ReadonlyArray<ArgumentIssue>) =>
  new UnreadableInput({ message: `${what}: ${listOf(issues)}.` })

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

const endings = new Set(["csv", "tsv", "txt", "json", "jsonl", "ndjson", "gz", "zst", "products", "meta"])

const withoutEndings = (name: string): string => {
  const parts = name.split(".")
  const last = parts.findLastIndex((part) => !endings.has(part.toLowerCase()))
  return parts.slice(0, Math.max(last, 0) + 1).join(".")
}

/**
 * The domain in names such as `oakline.com.csv`, `oakline.com/products.json`, `oakline.com/page1.json` and `oakline.com.zip`. The
 * ending of an archive is no part of it, although `zip` is the extension of domains.
 */
const domainInName = ({ archive, name }: Pick<InputFile, "name" | "archive">): string | undefined => {
  const inside = archive === undefined ? name : name.slice(archive.name.length)
  const outside = archive === undefined ? "" : withoutEndings(archive.name.replace(/\.zip$/iu, ""))
  const parts = inside.split(/[/\\:]/u)
  const candidates = [withoutEndings(parts.at(-1) ?? ""), parts.at(-2) ?? "", outside.split(/[/\\]/u).at(-1) ?? ""]
  return candidates.map(StoreDomain.normalize).find(StoreDomain.isPublic)
}

/** Unlike those of a file, values that the command names must fit. */
const checkOptions = Effect.fnUntraced(function* (
  file: string,
  { country, currency, name }: StoreOptions
): Effect.fn.Return<void, UnreadableInput> {
  const options = { ...given("name", name), ...given("country", country), ...given("currency", currency) }
  const checked = strict({ type: "partial_shop", domain: "shop.example.com", ...options })
  if (Result.isSuccess(checked)) return
  return yield* refused(`The store of ${file} cannot be imported`, checked.failure)
})

/** The store, and which values of its `meta.json` did not fit. */
export const describe = Effect.fn("StorefrontShop.describe")(function* (
  file: Pick<InputFile, "name" | "archive">,
  options: StoreOptions
): Effect.fn.Return<LenientDecoder.Corrected<PartialShop>, UnreadableInput> {
  yield* checkOptions(file.name, options)
  const meta = options.metaPath === undefined ? yield* metaBeside(file) : yield* readMeta(options.metaPath)
  const domain = options.domain ?? Storefront.domainOf(meta) ?? domainInName(file)
  if (domain === undefined) {
    return yield* new UnreadableInput({
      message:
        `${ThirdPartyText.line(file.name)} does not say whose products it has. Name the store with --domain, or its meta.json with --meta, or put that beside the ` +
        `file; a store that is new needs --country as well.`
    })
  }
  const shop = toShop(StoreDomain.normalize(domain), meta, options)
  if (Result.isSuccess(shop)) return shop.success
  return yield* refused(`The store of ${ThirdPartyText.line(file.name)} cannot be imported`, shop.failure)
})

const maxMetaBytes = 1_048_576

const readMeta = Effect.fnUntraced(function* (file: string): Effect.fn.Return<Storefront.Meta, UnreadableInput> {
  return yield* parseMeta(file, yield* Effect.mapError(WholeFile.text(file, maxMetaBytes), unreadableMeta(file)))
})

const readMetaOfArchive = Effect.fnUntraced(function* ({
  bytes,
  name,
  totalBytes
}: LocatedFile): Effect.fn.Return<Storefront.Meta, UnreadableInput> {
  if ((totalBytes ?? 0) > maxMetaBytes) return yield* unreadableMeta(name)(tooLarge())
  return yield* parseMeta(name, new TextDecoder().decode(Buffer.concat(yield* Stream.runCollect(bytes))))
})

const tooLarge = () => new Error(`it is larger than ${maxMetaBytes} bytes`)

const unreadableMeta = (file: string) => (cause: unknown) => {
  const reason = cause instanceof WholeFile.UnreadableFile ? `: ${cause.message}` : ""
  return new UnreadableInput({
    message: `${ThirdPartyText.line(file)} cannot be read as a storefront's meta.json${reason}.`,
    cause
  })
}

const parseMeta = Effect.fnUntraced(function* (
  file: string,
  text: string
): Effect.fn.Return<Storefront.Meta, UnreadableInput> {
  const document = BoundedJson.parse(text, BoundedJson.ofFile)
  if (Result.isFailure(document)) return yield* unreadableMeta(file)(document.failure)
  const meta = Storefront.decodeMeta(document.success)
  if (Result.isSuccess(meta)) return meta.success
  return yield* refused(`${ThirdPartyText.line(file)} is not a storefront's meta.json`, meta.failure)
})

/** Reads `meta.json` in the folder of the file, first in its archive. Empty if there is none. */
const metaBeside = ({
  archive,
  name
}: Pick<InputFile, "name" | "archive">): Effect.Effect<Storefront.Meta, UnreadableInput> => {
  if (archive?.meta !== undefined) return readMetaOfArchive(archive.meta)
  const file = path.join(path.dirname(name), "meta.json")
  return Effect.flatMap(
    Effect.mapError(WholeFile.bytesIfThere(file, maxMetaBytes), unreadableMeta(file)),
    (found): Effect.Effect<Storefront.Meta, UnreadableInput> =>
      found === undefined ? Effect.succeed({}) : parseMeta(file, found.toString("utf8"))
  )
}
