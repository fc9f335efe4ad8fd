/**
 * Characters that no text of a caller has. PostgreSQL refuses U+0000, unpaired surrogates are no text, and terminals interpret the
 * others. Tabs and line breaks are blanks.
 */
const control = /[[\p{Cc}--[\t\n\r]]\p{Cs}]/v

export const isIn = (text: string): boolean => control.test(text)

/** Whether one is in the names or values of a query or a form. */
export const isInParameters = (text: string): boolean =>
  Array.from(new URLSearchParams(text)).some(([name, value]) => isIn(name) || isIn(value))
