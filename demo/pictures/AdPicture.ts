/** The picture of an ad: its headline and the name of its page, next to the product. */
import type { AdWords } from "../../src/domain/catalog/PictureNames.ts"
import type { MediaType } from "../../src/domain/catalog/Enumerations.ts"
import { backdrop, signOf } from "./Backdrop.ts"
import { placed } from "./Drawing.ts"
import { escape, fitted, isRightToLeft, lineHeight } from "./Lines.ts"
import { colorNames } from "./PictureName.ts"
import type { Look } from "./PictureName.ts"

const [width, height] = [160, 100]
/** The widths of the words and of the product. */
const [wordsWidth, productWidth] = [88, 72]
const margin = 9

const written = (
  text: string,
  at: { readonly x: number; readonly y: number; readonly room: number },
  style: string
): string => {
  const x = isRightToLeft(text) ? at.x + at.room : at.x
  const direction = isRightToLeft(text) ? ' direction="rtl"' : ""
  return `<text x="${x}" y="${Number(at.y.toFixed(2))}"${direction} font-family="system-ui, sans-serif" ${style}>${escape(text)}</text>`
}

const words = (look: Look, { headline, pageName }: AdWords, left: number): string => {
  const { accent, area, ink } = signOf(look)
  const x = left + margin
  const room = wordsWidth - 2 * margin
  const text = headline === null || headline.trim() === "" ? pageName : headline
  const { lines, size } = fitted(text, { width: room, height: 58 }, [11.5, 9.6, 8, 6.8, 5.8])
  const page = fitted(pageName, { width: room - 9, height: 7 }, [4.4]).lines[0] ?? ""
  const top = 55 - ((lines.length - 1) * size * lineHeight) / 2 + size * 0.36
  return (
    `<rect x="${left}" width="${wordsWidth}" height="${height}" fill="${area}"/>` +
    `<circle cx="${x + 2.6}" cy="13" r="2.6" fill="${accent}"/>` +
    written(page, { x: x + 8, y: 14.6, room: room - 8 }, `font-size="4.4" font-weight="600" fill="${ink}"`) +
    lines
      .map((line, index) =>
        written(
          line,
          { x, y: top + index * size * lineHeight, room },
          `font-size="${size}" font-weight="700" fill="${ink}"`
        )
      )
      .join("") +
    `<rect x="${x}" y="89" width="14" height="1.6" rx="0.8" fill="${accent}"/>`
  )
}

/** A carousel and a catalog show the product in several colors. */
const inColors = (look: Look, places: ReadonlyArray<readonly [x: number, y: number, scale: number]>): string =>
  places
    .map(([x, y, scale], index) => {
      const color = colorNames[(colorNames.indexOf(look.color) + index * 3) % colorNames.length] ?? look.color
      return placed({ motif: look.motif, color }, { x, y, scale })
    })
    .join("")

const product = (look: Look, mediaType: MediaType, left: number): string => {
  const middle = left + productWidth / 2
  const behind = backdrop(look, { x: left, width: productWidth, height })
  const single = placed(look, { x: middle, y: 51, scale: 0.62 })
  const dot = (index: number) =>
    `<circle cx="${middle - 5 + index * 5}" cy="92" r="1.4" fill="#14161c" fill-opacity="${index === 0 ? 0.75 : 0.25}"/>`
  const grid: ReadonlyArray<readonly [number, number, number]> = [
    [middle - 17, 28, 0.3],
    [middle + 17, 28, 0.3],
    [middle - 17, 72, 0.3],
    [middle + 17, 72, 0.3]
  ]
  switch (mediaType) {
    case "video":
      return `${behind}${single}<circle cx="${middle}" cy="50" r="9.5" fill="#14161c" fill-opacity="0.62"/><path d="M${middle - 3} 45L${middle + 5.4} 50L${middle - 3} 55Z" fill="#ffffff"/>`
    case "carousel":
      return `${behind}${inColors(look, [
        [middle - 8, 50, 0.56],
        [middle + 27, 56, 0.36]
      ])}${[0, 1, 2].map(dot).join("")}`
    case "dpa":
      return `${behind}<path d="M${middle} 0V${height}M${left} 50H${left + productWidth}" stroke="#ffffff" stroke-opacity="0.7" stroke-width="1.2"/>${inColors(look, grid)}`
    case "image":
    case "dco":
      return behind + single
  }
}

export const adPicture = (look: Look, ad: AdWords): string => {
  const isMirrored = look.store % 2 === 1
  const [wordsLeft, productLeft] = isMirrored ? [productWidth, 0] : [0, wordsWidth]
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="750" viewBox="0 0 ${width} ${height}">` +
    `<svg x="${productLeft}" width="${productWidth}" height="${height}" viewBox="${productLeft} 0 ${productWidth} ${height}">${product(look, ad.mediaType, productLeft)}</svg>` +
    `${words(look, ad, wordsLeft)}</svg>`
  )
}
