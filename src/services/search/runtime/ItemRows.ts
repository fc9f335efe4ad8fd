/**
 * How products and ads come from the database: a row holds many items, their numbers concatenated in PostgreSQL's binary
 * format, their texts as one string with separators. One row for each item would cost the driver three times as much.
 */
import { sqlHasNoStore, sqlIsIn } from "../../../domain/catalog/StorelessAds.ts"
import type { IndexedAd, IndexedProduct } from "../index/IndexedRecords.ts"

/**
 * About how many bytes of items a row has, because the driver reads at most 16 MiB of one. A row may exceed this by one item. The
 * longest is an ad with 300 + 2,000 + 20,000 characters of up to 4 bytes: a row has at most 1,048,576 + 89,200 + 64 bytes.
 */
const rowBytes = 1_048_576

/** An item's numbers, separators and short texts have fewer bytes. */
const otherBytes = 64

/**
 * Separates texts, and stands for an unknown one. It is replaced by a space in texts, which splits words in the same way.
 */
const separator = "\u001f"
const unknown = "\u001e"

const millisOf2000 = 946_684_800_000
const dayOf2000 = 10_957

const text = (column: string) => `replace(replace(${column}, E'\\x1f', ' '), E'\\x1e', ' ')`
const nullableText = (column: string) => `coalesce(${text(column)}, E'\\x1e')`

/** The number of an item's row. The length of a stored text is known without reading it. */
const part = (...columns: ReadonlyArray<string>) => `
  sum(${columns.map((column) => `coalesce(octet_length(${column}), 0)`).join(" + ")} + ${otherBytes})
    OVER (ORDER BY shop_id, id ROWS UNBOUNDED PRECEDING) / ${rowBytes}`

/** The statements take ids as `$1`. */
export const productsOfStores = `
  SELECT string_agg(numbers, ''::bytea), string_agg(texts, E'\\x1f') FROM (
    SELECT int4send(shop_id) || int4send(id) || float8send(price)
        || timestamptz_send(coalesce(created_at, '-infinity')) || timestamptz_send(first_seen) AS numbers,
      ${text("title")} AS texts, ${part("title")} AS part
    FROM product WHERE shop_id = ANY($1::int[])
  ) item GROUP BY part ORDER BY part`

const ads = (from: string) => `
  SELECT string_agg(numbers, ''::bytea), string_agg(texts, E'\\x1f') FROM (
    SELECT int4send(coalesce(shop_id, 0)) || int4send(id) || date_send(started_on)
        || boolsend(is_active) || boolsend(is_partnership) AS numbers,
      media_type || E'\\x1f' || ${nullableText("cta")} || E'\\x1f' || ${text("page_name")} || E'\\x1f'
        || ${nullableText("headline")} || E'\\x1f' || ${nullableText("ad_text")} AS texts,
      ${part("page_name", "headline", "ad_text")} AS part
    FROM ${from}
  ) item GROUP BY part ORDER BY part`
export const adsOfStores = ads("ad WHERE shop_id = ANY($1::int[])")
export const adsOfPseudoStores = ads(`(
  SELECT found.* FROM unnest($1::int[]) pseudo(id) CROSS JOIN LATERAL (
    SELECT * FROM ad WHERE ${sqlIsIn("ad.id", "pseudo.id")} AND ${sqlHasNoStore} OFFSET 0
  ) found
) ad`)

const productBytes = 32
const adBytes = 14

interface Part {
  readonly numbers: DataView
  readonly texts: ReadonlyArray<string>
}

/** The driver returns bytes and text. Anything else is a defect of these statements. */
const partOf = ([numbers, texts]: ReadonlyArray<unknown>): Part => {
  if (!(numbers instanceof Uint8Array) || typeof texts !== "string") throw new Error("expected bytes and text")
  return {
    numbers: new DataView(numbers.buffer, numbers.byteOffset, numbers.byteLength),
    texts: texts.split(separator)
  }
}

const known = (text: string | undefined): string | null => (text === undefined || text === unknown ? null : text)

/** Microseconds since 2000-01-01 to milliseconds since 1970-01-01. */
const millisAt = (numbers: DataView, at: number): number =>
  (numbers.getInt32(at) * 2 ** 32 + numbers.getUint32(at + 4)) / 1_000 + millisOf2000

/** `-infinity` is the lowest value. */
const isUnknownTime = (numbers: DataView, at: number): boolean => numbers.getInt32(at) === -(2 ** 31)

/** Adds the products of a row to those of their stores; other stores are ignored. */
export const decodeProducts = (row: ReadonlyArray<unknown>, into: ReadonlyMap<number, Array<IndexedProduct>>): void => {
  const { numbers, texts } = partOf(row)
  for (let at = 0, index = 0; at < numbers.byteLength; at += productBytes, index++) {
    into.get(numbers.getInt32(at))?.push({
      id: numbers.getInt32(at + 4),
      title: texts[index] ?? "",
      price: numbers.getFloat64(at + 8),
      createdAt: isUnknownTime(numbers, at + 16) ? null : millisAt(numbers, at + 16),
      firstSeen: Math.floor(millisAt(numbers, at + 24) / 1_000)
    })
  }
}

/** `into`: the list of a store's ad; 0 stands for no store. */
export const decodeAds = (
  row: ReadonlyArray<unknown>,
  into: (shopId: number, adId: number) => Array<IndexedAd> | undefined
): void => {
  const { numbers, texts } = partOf(row)
  for (let at = 0, text = 0; at < numbers.byteLength; at += adBytes, text += 5) {
    const id = numbers.getInt32(at + 4)
    into(numbers.getInt32(at), id)?.push({
      id,
      isActive: numbers.getUint8(at + 12) === 1,
      mediaType: texts[text] ?? "",
      cta: known(texts[text + 1]),
      isPartnership: numbers.getUint8(at + 13) === 1,
      startedDay: numbers.getInt32(at + 8) + dayOf2000,
      pageName: texts[text + 2] ?? "",
      headline: known(texts[text + 3]),
      adText: known(texts[text + 4])
    })
  }
}
