/** The picture of a product: its motif in its color, on the backdrop of its store. */
import { backdrop } from "./Backdrop.ts"
import { placed } from "./Drawing.ts"
import { colorNames } from "./PictureName.ts"
import type { Look } from "./PictureName.ts"

const pixels = 1_200

/** The tilt in degrees, which differs between consecutive colors. */
const tiltOf = ({ color, view }: Look): number => ((colorNames.indexOf(color) + view) % 9) - 4

export const productPicture = (look: Look): string => {
  const tilt = tiltOf(look)
  const other = colorNames[(colorNames.indexOf(look.color) + 1 + look.store) % colorNames.length] ?? look.color
  const shown = [
    placed(look, { x: 50, y: 51, scale: 0.68 }),
    placed(look, { x: 50, y: 51, scale: 0.68, tilt }),
    placed(look, { x: 50, y: 52, scale: 0.82, tilt }),
    // The product with a copy in another color.
    placed({ ...look, color: other }, { x: 66, y: 45, scale: 0.5 }) + placed(look, { x: 38, y: 54, scale: 0.58 })
  ]
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${pixels}" height="${pixels}" viewBox="0 0 100 100">${backdrop(look, { x: 0, width: 100, height: 100 })}${shown[look.view % shown.length] ?? ""}</svg>`
}
