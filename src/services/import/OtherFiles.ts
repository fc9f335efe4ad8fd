/** Files that look like data but have no records that can be read: what they are, and what to do. */

const asCsv = "save the sheet as CSV (UTF-8), and import that"

/** For a zip archive with these files. */
export const inArchive = (names: ReadonlyArray<string>): string | undefined => {
  if (names.includes("[Content_Types].xml")) {
    return names.some((name) => name.startsWith("xl/"))
      ? `is an Excel workbook: ${asCsv}`
      : "is a document of an office program: save its data as CSV (UTF-8), and import that"
  }
  return names.includes("mimetype") && names.includes("content.xml") ? `is an OpenDocument file: ${asCsv}` : undefined
}

/** For binary files by their signatures. */
export const ofKind = {
  pdf: "is a PDF document: get its data as CSV or JSON from the program or the site that made it",
  ole: `is a workbook of an older Excel, or another document of an office program: ${asCsv}`
} as const

/** Enough for what is before the first element. */
const searchedCharacters = 4_096

const webPage = /^(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->).)*-->\s*)*<(?:!doctype\s+html|html|head|body|script|table)\b/isu
/** A declaration, or an element that begins with another one. A column of a table may be called `<id>`. */
const xml = /^<\?xml\b|^<[a-z][\w:.-]*(?:\s[^<>]*)?>(?:\s*[\r\n]\s*)?<[a-z]/iu

/** For text by its beginning. */
export const ofText = (head: string): string | undefined => {
  const text = head
    .slice(0, searchedCharacters)
    .replace(/^\uFEFF/u, "")
    .trimStart()
  if (!text.startsWith("<")) return undefined
  if (webPage.test(text)) {
    return (
      "is a web page (HTML): the site has sent a page instead of data, such as a check for robots or a sign-in. Open the address in a browser and " +
      "save the data itself; save a table that is shown on a page as CSV"
    )
  }
  return xml.test(text) ? "is XML, which is not read: get the data as CSV or JSON" : undefined
}
