/** Draws the motif of a product in a color, as elements of an SVG in a square of 100 by 100. */
import colors from "./colors.json" with { type: "json" }
import motifs from "./motifs.json" with { type: "json" }
import type { Color, Motif } from "./PictureName.ts"

const channels = (color: string): ReadonlyArray<number> =>
  [1, 3, 5].map((start) => Number.parseInt(color.slice(start, start + 2), 16))

/** `share`: the share of the second color. */
const mix = (color: string, other: string, share: number): string => {
  const others = channels(other)
  const mixed = channels(color).map((channel, index) =>
    Math.round(channel * (1 - share) + (others[index] ?? 0) * share)
  )
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`
}

/** Whether the color is so light that it needs a darker backdrop. */
export const isLight = (color: Color): boolean => {
  const [red = 0, green = 0, blue = 0] = channels(colors[color].fill)
  return 0.299 * red + 0.587 * green + 0.114 * blue > 185
}

/** Colors by the letter that a shape begins with. The first three are the product's color. */
const tones = (color: Color): Readonly<Record<string, string>> => {
  const { fill } = colors[color]
  return {
    m: fill,
    d: mix(fill, "#14161c", 0.28),
    l: mix(fill, "#ffffff", 0.36),
    n: "#35373b",
    w: "#fbf8f2",
    t: "#b98a5c",
    g: "#a8adb4",
    y: "#d9ac4c",
    f: "#fbe6a9",
    h: "#df7c52",
    e: "#6b8f63",
    j: "#86a97a",
    k: "#54392b",
    c: "#cfe3ea",
    v: "#fbe6a9"
  }
}

/** A tone, the width of the stroke unless the shape is filled, and an ellipse `o`, a rectangle `r` or a path. */
const shape = /^([a-z])(?::([\d.]+))? (?:([or]) )?(.+)$/u

const element = (text: string, toneOf: Readonly<Record<string, string>>): string => {
  const [, tone = "", width, form, values = ""] = shape.exec(text) ?? []
  const color = toneOf[tone] ?? "none"
  const paint =
    width === undefined
      ? `fill="${color}"${tone === "v" ? ' fill-opacity="0.5"' : ""}`
      : `fill="none" stroke="${color}" stroke-width="${width}" stroke-linecap="round" stroke-linejoin="round"`
  if (form === undefined) return `<path d="${values}" ${paint}/>`
  const [x = 0, y = 0, a = 0, b] = values.split(" ").map(Number)
  const [, , , , radius = 0] = values.split(" ").map(Number)
  return form === "o"
    ? `<ellipse cx="${x}" cy="${y}" rx="${a}" ry="${b ?? a}" ${paint}/>`
    : `<rect x="${x}" y="${y}" width="${a}" height="${b ?? a}" rx="${radius}" ${paint}/>`
}

export const drawing = (motif: Motif, color: Color): string => {
  const toneOf = tones(color)
  return motifs[motif].map((each) => element(each, toneOf)).join("")
}

/** Draws the motif around a point, with the shadow under it. */
export const placed = (
  look: { readonly motif: Motif; readonly color: Color },
  at: { readonly x: number; readonly y: number; readonly scale: number; readonly tilt?: number }
): string => {
  const { scale, tilt = 0, x, y } = at
  const round = (value: number) => Number(value.toFixed(2))
  const shadow = `<ellipse cx="${x}" cy="${round(y + 39.5 * scale)}" rx="${round(37 * scale)}" ry="${round(4 * scale)}" fill="#14161c" fill-opacity="0.13"/>`
  return `${shadow}<g transform="translate(${x} ${y}) rotate(${tilt}) scale(${scale}) translate(-50 -50)">${drawing(look.motif, look.color)}</g>`
}
