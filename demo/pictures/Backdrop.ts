/** The backdrop of a store's products: the same style and hue in all its pictures. */
import { isLight } from "./Drawing.ts"
import type { Look } from "./PictureName.ts"

export interface Frame {
  readonly x: number
  readonly width: number
  readonly height: number
}

/** Stores with consecutive numbers have hues that differ much. */
export const hueOf = ({ store }: Pick<Look, "store">): number => Math.round((store * 137.508) % 360)

const tone = (hue: number, saturation: number, lightness: number): string =>
  `hsl(${hue}, ${saturation}%, ${lightness}%)`

type Style = (frame: Frame, tones: { readonly wall: string; readonly ground: string; readonly shade: string }) => string

const rect = (x: number, y: number, width: number, height: number, fill: string): string =>
  `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="${fill}"/>`

const styles: ReadonlyArray<Style> = [
  // A wall and a ground.
  ({ height, width, x }, { ground, wall }) =>
    rect(x, 0, width, height, wall) + rect(x, height * 0.72, width, height * 0.28, ground),
  // A disc.
  ({ height, width, x }, { ground, wall }) =>
    `${rect(x, 0, width, height, wall)}<circle cx="${x + width / 2}" cy="${height / 2}" r="${Math.min(width, height) * 0.41}" fill="${ground}"/>`,
  // An arch on a ground.
  ({ height, width, x }, { ground, shade, wall }) => {
    const [left, right, radius] = [x + width * 0.16, x + width * 0.84, width * 0.34]
    return `${rect(x, 0, width, height, wall)}<path d="M${left} ${height}V${height * 0.12 + radius}A${radius} ${radius} 0 0 1 ${right} ${height * 0.12 + radius}V${height}Z" fill="${ground}"/>${rect(x, height * 0.84, width, height * 0.16, shade)}`
  },
  // Light through a window.
  ({ height, width, x }, { ground, wall }) => {
    const beam = (from: number, to: number) =>
      `<path d="M${x + width * from} 0H${x + width * to}L${x + width * (to - 0.45)} ${height}H${x + width * (from - 0.45)}Z" fill="#ffffff" fill-opacity="0.28"/>`
    return `${rect(x, 0, width, height, wall)}${rect(x, height * 0.8, width, height * 0.2, ground)}<svg x="${x}" width="${width}" height="${height}" viewBox="${x} 0 ${width} ${height}">${beam(0.55, 0.8)}${beam(0.86, 1.2)}</svg>`
  },
  // A round table.
  ({ height, width, x }, { ground, shade, wall }) => {
    const middle = x + width / 2
    return `${rect(x, 0, width, height, wall)}<path d="M${middle - width * 0.38} ${height * 0.82}V${height}H${middle + width * 0.38}V${height * 0.82}Z" fill="${shade}"/><ellipse cx="${middle}" cy="${height * 0.82}" rx="${width * 0.38}" ry="${height * 0.07}" fill="${ground}"/>`
  },
  // Two hills.
  ({ height, width, x }, { ground, shade, wall }) =>
    `${rect(x, 0, width, height, wall)}<path d="M${x} ${height * 0.66}Q${x + width * 0.3} ${height * 0.44} ${x + width * 0.62} ${height * 0.66}T${x + width} ${height * 0.6}V${height}H${x}Z" fill="${ground}"/><path d="M${x} ${height * 0.86}Q${x + width * 0.4} ${height * 0.72} ${x + width} ${height * 0.84}V${height}H${x}Z" fill="${shade}"/>`,
  // Nothing.
  ({ height, width, x }, { wall }) => rect(x, 0, width, height, wall)
]

export const backdrop = (look: Look, frame: Frame): string => {
  const hue = hueOf(look)
  const [wall, ground, shade] = isLight(look.color) ? [76, 68, 61] : [92, 85, 79]
  const style = styles[look.store % styles.length]
  return style === undefined
    ? ""
    : style(frame, { wall: tone(hue, 34, wall), ground: tone(hue, 32, ground), shade: tone(hue, 28, shade) })
}

/** The colors of text on a picture and of the area behind it. */
export const signOf = (look: Look): { readonly area: string; readonly ink: string; readonly accent: string } => {
  const hue = hueOf(look)
  return look.view % 2 === 0
    ? { area: tone(hue, 42, 24), ink: "#ffffff", accent: tone((hue + 40) % 360, 70, 74) }
    : { area: tone(hue, 46, 90), ink: tone(hue, 50, 18), accent: tone(hue, 55, 36) }
}
