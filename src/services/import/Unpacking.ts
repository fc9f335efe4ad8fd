/**
 * Limits what an import unpacks, and copies to the temporary folder. A packed file of a kilobyte can hold a megabyte or more, and
 * the files of an archive can share their bytes, so that the size of an archive says little.
 */

const mebibyte = 2 ** 20
/** Of any import, whatever its packed files have. */
const freeBytes = 64 * mebibyte
/** Records are packed to a tenth, and rows that are nearly the same to a fiftieth. */
const maxRatio = 200
const mostBytes = 65_536 * mebibyte

export class Unpacking {
  readonly #most: number | undefined
  #packed = 0
  #unpacked = 0
  #copied = 0

  /** `mostMebibytes`: instead of the limits by default. */
  constructor(mostMebibytes?: number) {
    this.#most = mostMebibytes === undefined ? undefined : mostMebibytes * mebibyte
  }

  /** Counts bytes of packed files, as they are stored. */
  addPacked(bytes: number): void {
    this.#packed += bytes
  }

  /** Counts unpacked bytes. Returns why there are too many, if there are. */
  addUnpacked(bytes: number): string | undefined {
    this.#unpacked += bytes
    const limit = this.#most ?? Math.min(freeBytes + maxRatio * this.#packed, mostBytes)
    return this.#unpacked > limit
      ? this.#tooMany("is packed and has, with what was unpacked before,", limit)
      : undefined
  }

  /** Counts bytes that are copied to the temporary folder, likewise. */
  addCopied(bytes: number): string | undefined {
    this.#copied += bytes
    const limit = this.#most ?? mostBytes
    return this.#copied > limit ? this.#tooMany("has to be copied to the temporary folder, and has", limit) : undefined
  }

  #tooMany(what: string, limit: number): string {
    const mebibytes = Math.floor(limit / mebibyte)
    return `${what} more than ${mebibytes} MiB; if you trust it, allow more MiB with --max-unpacked`
  }
}
