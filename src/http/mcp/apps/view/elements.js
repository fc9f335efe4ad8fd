// Parts of cards. Data of the catalog is written as text, never as HTML.

import { format, text } from "./locale.js"

export const element = (tag, attributes, ...children) => {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined) made.setAttribute(name, value)
  made.append(...children.flat().filter((child) => child !== undefined && child !== null))
  return made
}

export const drawn = (tag, attributes, ...children) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  made.append(...children)
  return made
}

/** Text in any language and direction. */
export const foreign = (tag, value, attributes = {}) => element(tag, { dir: "auto", ...attributes }, String(value))

/** The address if it is `http` or `https`, without a user name or password. */
const webAddress = (address) => {
  const url = typeof address === "string" ? URL.parse(address) : null
  return url !== null && /^https?:$/u.test(url.protocol) && url.username === "" && url.password === ""
    ? url.href
    : undefined
}

export const link = (address, ...label) => {
  const href = webAddress(address)
  return href === undefined
    ? undefined
    : element("a", { href, target: "_blank", rel: "noopener noreferrer nofollow ugc" }, ...label)
}

export const picture = (address, shape) => {
  const src = webAddress(address)
  const frame = element("div", { class: `picture ${shape}` })
  if (src === undefined) return frame
  const image = element("img", { alt: "", loading: "lazy", decoding: "async", referrerpolicy: "no-referrer" })
  image.addEventListener("error", () => image.remove())
  image.src = src
  frame.append(image)
  return frame
}

export const badge = (label, kind = "") => element("span", { class: `badge ${kind}` }, label)

/** Names and values. `onlyKnown` omits values that are unknown. */
export const figures = (rows, { onlyKnown = false } = {}) =>
  element(
    "dl",
    {},
    rows
      .filter(([, value]) => !onlyKnown || (value !== null && value !== undefined))
      .map(([name, value, write = format.number]) => {
        const isKnown = value !== null && value !== undefined
        const written = isKnown ? write(value) : element("span", { class: "unknown" }, text("store.unknown"))
        return element("div", {}, element("dt", {}, name), element("dd", {}, written))
      })
  )

export const growth = (value) => element("span", { class: value < 0 ? "fall" : "rise" }, format.growth(value))

export const links = (...made) => {
  const present = made.filter((each) => each !== undefined)
  return present.length === 0 ? undefined : element("p", { class: "links" }, present)
}

export const table = (over, unit, rows) =>
  element(
    "table",
    {},
    element(
      "thead",
      {},
      element(
        "tr",
        {},
        [over, unit].map((name) => element("th", { scope: "col" }, name))
      )
    ),
    element(
      "tbody",
      {},
      rows.map(([name, value]) => element("tr", {}, element("th", { scope: "row" }, name), element("td", {}, value)))
    )
  )
