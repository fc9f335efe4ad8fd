/** Bounds of every request, whatever its route. */

/** Enough for a batch of 20 searches with every argument, and for any form. */
export const maxBodyBytes = 256 * 1024
