/** Texts of libraries, of Node.js and of PostgreSQL, none of which a client gets: they name no argument and no way out. */
export const foreignText = new RegExp(
  [
    // Schemas of Effect.
    String.raw`Expected [<"\[{(a-z]`,
    "<Declaration>",
    "Missing key",
    "SchemaError",
    "Unexpected key",
    // JavaScript and Node.js.
    "Unexpected token",
    "in JSON at",
    "Unexpected end of JSON",
    "Unterminated string",
    "is not valid JSON",
    String.raw`\b(?:Type|Syntax|Range|Reference|URI)Error\b`,
    String.raw`\bERR_[A-Z_]+\b`,
    String.raw`\bE(?:CONN|NOT|ADDR|TIMED)[A-Z]+\b`,
    "Cannot (?:read|convert|destructure)",
    "Invalid URL",
    String.raw`\bat \S+ \(`,
    String.raw`\.ts:\d+`,
    // PostgreSQL and its driver.
    "invalid byte sequence",
    "invalid input syntax",
    "unsupported Unicode escape",
    "out of range for type",
    "value too long for type",
    "violates [a-z-]+ constraint",
    "SQLSTATE",
    "PgConnection",
    "SqlError"
  ].join("|"),
  "u"
)
