/** Tables for the page, and the same for a terminal. */

export const markdown = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n")

/** The first two columns are names, the others figures. */
export const plain = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((cells) => cells[column]?.length ?? 0)))
  const line = (cells: ReadonlyArray<string>) =>
    cells
      .map((cell, column) => (column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  ")
      .trimEnd()
  return [head, ...rows].map(line).join("\n")
}

export const millis = (value: number): string =>
  Number.isNaN(value) ? "-" : value < 10 ? value.toFixed(1) : value.toFixed(0)

export const percent = (share: number): string => `${(share * 100).toFixed(0)} %`

export const times = (value: number): string => (Number.isNaN(value) ? "-" : `${value.toFixed(2)}x`)

export const failures = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([outcome, count]) => `${count} ${outcome}`)
    .join(", ")
