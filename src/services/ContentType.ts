/** The header `Content-Type`, read by Node (RFC 9110, 8.3). */
import { MIMEType } from "node:util"

export interface ContentType {
  /** In lower case, such as `application/json`. */
  readonly type: string
  /** It names UTF-8, or no charset. */
  readonly isUtf8: boolean
}

/** `undefined` for none, and for one that is malformed. */
export const parse = (header: string | undefined): ContentType | undefined => {
  if (header === undefined) return undefined
  try {
    const { essence, params } = new MIMEType(header)
    return { type: essence, isUtf8: /^utf-?8$/i.test(params.get("charset") ?? "utf-8") }
  } catch {
    return undefined
  }
}
