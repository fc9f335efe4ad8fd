/**
 * Ads without a store are grouped into pseudo-stores of 1,024 consecutive ids, so that changes of these ads can be
 * followed store by store as well. The ids of pseudo-stores are negative.
 */

/** Ids of one pseudo-store differ only in the lowest bits. */
const bits = 10

/** The pseudo-store of an ad without a store. */
export const pseudoStoreOf = (adId: number): number => -Math.floor(adId / 2 ** bits) - 1

/** The first and the last id of the ads of a pseudo-store. */
export const adIdsOf = (pseudoStore: number): readonly [first: number, last: number] => {
  const first = (-pseudoStore - 1) * 2 ** bits
  return [first, first + 2 ** bits - 1]
}

/** SQL for the pseudo-store of the ad `adId`, which has no store. */
export const sqlPseudoStoreOf = (adId: string): string => `-(${adId} >> ${bits}) - 1`

/**
 * SQL for whether an ad has no store, beside a condition that has an index. By `shop_id IS NULL` alone, all ads without a store
 * may be read: PostgreSQL takes the index of shop_id where its statistics know of few.
 */
export const sqlHasNoStore = "shop_id + 0 IS NULL"

/** SQL for whether the ad `adId` belongs to the pseudo-store `shopId`: a range of the primary key. */
export const sqlIsIn = (adId: string, shopId: string): string =>
  `${adId} BETWEEN (-${shopId} - 1) << ${bits} AND ((-${shopId} - 1) << ${bits}) + ${2 ** bits - 1}`
