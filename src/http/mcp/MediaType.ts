/** Content negotiation of the one format there is: JSON (P4; RFC 9110, 8.3 and 12.5.1). */

/** Whether a body of this type can be read: `application/json`, in UTF-8 where it says so. */
export const isJson = (contentType: string | undefined): boolean => {
  if (contentType === undefined) return false
  if (contentType === "application/json") return true
  const [type = "", ...parameters] = contentType.toLowerCase().split(";").map(trimmed)
  return (
    type === "application/json" &&
    parameters.every((parameter) => !parameter.startsWith("charset=") || /^charset="?utf-?8"?$/.test(parameter))
  )
}

/** From the least to the most specific: the most specific range that is named decides. */
const jsonRanges = ["*/*", "application/*", "application/json"]

/** What MCP tells every client to send. */
const asSpecified = "application/json, text/event-stream"

/** Whether the client takes JSON: without the header it takes anything. */
export const acceptsJson = (accept: string | undefined): boolean => {
  if (accept === undefined || accept === "" || accept === asSpecified) return true
  let decisive = -1
  let quality = 0
  for (const range of accept.toLowerCase().split(",")) {
    const [type = "", ...parameters] = range.split(";").map(trimmed)
    const specificity = jsonRanges.indexOf(type)
    if (specificity < decisive || specificity === -1) continue
    decisive = specificity
    const weight = parameters.find((parameter) => parameter.startsWith("q="))
    quality = weight === undefined ? 1 : Number(weight.slice(2))
  }
  return quality > 0
}

const trimmed = (text: string) => text.trim()
