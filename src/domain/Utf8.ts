/** Strict decoding of UTF-8, and of percent-encoded text. */

const decoder = new TextDecoder("utf-8", { fatal: true })

/** `undefined` for bytes that are not UTF-8. */
export const decode = (bytes: ArrayBuffer | Uint8Array): string | undefined => {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

/** RFC 3986, 2.1; a text that is not percent-encoded UTF-8 stays as it is. */
export const percentDecoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
