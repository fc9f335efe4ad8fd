/** Strict decoding of UTF-8. */

const decoder = new TextDecoder("utf-8", { fatal: true })

/** `undefined` for bytes that are not UTF-8. */
export const decode = (bytes: ArrayBuffer | Uint8Array): string | undefined => {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}
