/**
 * Ads whose store is not known, in pseudo-stores of 1,024 consecutive ids: what follows changes store by store, as the
 * search index does, then has few of them to follow. The ids of pseudo-stores are below 0.
 */

/** The ids in one pseudo-store differ in the lowest bits only. */
const bits = 10

/** In SQL, the pseudo-store that the ad `adId` is in while it has no store. */
export const sqlPseudoStoreOf = (adId: string): string => `-(${adId} >> ${bits}) - 1`

/** In SQL, whether the ad `adId` would be in the pseudo-store `shopId`: a range of the ad's primary key. */
export const sqlIsIn = (adId: string, shopId: string): string =>
  `${adId} BETWEEN (-${shopId} - 1) << ${bits} AND ((-${shopId} - 1) << ${bits}) + ${2 ** bits - 1}`
