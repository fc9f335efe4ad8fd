/** An answer without the parts that differ between any two answers. */
import type { Answer } from "./Site.ts"

export interface Seen {
  readonly status: number
  readonly location: string | null
  readonly headers: ReadonlyArray<string>
  readonly text: string
}

/** Headers that differ between answers. */
const own = new Set(["x-request-id", "date", "content-length", "set-cookie", "keep-alive"])

export const seen = ({ headers, status, text }: Answer): Seen => ({
  status,
  location: headers.get("location"),
  headers: Array.from(headers, ([name, value]) => `${name}: ${value}`).filter(
    (line) => !own.has(line.split(":")[0] ?? "")
  ),
  text: text
    .replaceAll(headers.get("x-request-id") ?? "no request id", "REFERENCE")
    .replaceAll(/name="form_token" value="[^"]*"/gu, 'name="form_token"')
    // The address of the page itself, where another language leads back to.
    .replaceAll(/name="back" value="[^"]*"/gu, 'name="back"')
})
