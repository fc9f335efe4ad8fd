/** The pictures of the demo data by their names. */
import { adPicture } from "./AdPicture.ts"
import type { AdWords } from "../../src/domain/catalog/PictureNames.ts"
import * as PictureName from "./PictureName.ts"
import { productPicture } from "./ProductPicture.ts"

/** Returns `undefined` if the name is not of a picture. */
export const product = (name: string): string | undefined => {
  const look = PictureName.read(name)
  return look && productPicture(look)
}

/** The name of an ad's picture ends in the key of its record. */
export const ad = (name: string, words: AdWords): string | undefined => {
  const look = PictureName.read(name.replace(/-\d{1,20}$/u, ""))
  return look && adPicture(look, words)
}
