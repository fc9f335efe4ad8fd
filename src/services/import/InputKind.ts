/** What an input is, told by its first bytes. */
import { Result } from "effect"

/** Enough to tell every kind below. */
export const headBytes = 4

const starts = (head: Uint8Array, ...signature: ReadonlyArray<number>) =>
  signature.every((byte, index) => head[index] === byte)

/** How many bytes are searched for what no text holds. */
export const searchedBytes = 4_096

/** Text or gzip; or why it is neither, and what to do. */
export const inputKind = (head: Uint8Array): Result.Result<"text" | "gzip", string> => {
  if (starts(head, 0x1f, 0x8b)) return Result.succeed("gzip")
  if (starts(head, 0xff, 0xfe) || starts(head, 0xfe, 0xff)) {
    return Result.fail("is UTF-16 text; save it as UTF-8, for example with: iconv -f UTF-16 -t UTF-8")
  }
  if (starts(head, 0x50, 0x4b, 0x03, 0x04)) return Result.fail("is a zip archive; unpack it first")
  if (starts(head, 0x28, 0xb5, 0x2f, 0xfd)) return Result.fail("is compressed by zstd; unpack it first, or use gzip")
  if (starts(head, 0x42, 0x5a, 0x68)) return Result.fail("is compressed by bzip2; unpack it first, or use gzip")
  if (starts(head, 0xfd, 0x37, 0x7a, 0x58)) return Result.fail("is compressed by xz; unpack it first, or use gzip")
  if (head.subarray(0, searchedBytes).includes(0)) {
    return Result.fail("holds bytes that no UTF-8 text has; it is binary, or UTF-16 that must be saved as UTF-8")
  }
  return Result.succeed("text")
}
