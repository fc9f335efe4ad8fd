// The view in the frame of its host: MCP Apps, 2026-01-26. It only reads: it calls no tool, and requests nothing but to open a
// link.

import { element, foreign } from "./elements.js"
import { speak, text } from "./locale.js"
import { views } from "./views.js"

const root = document.documentElement
const main = document.querySelector("main")

const waiting = new Map()
let lastId = 0

const send = (message) => window.parent.postMessage({ jsonrpc: "2.0", ...message }, "*")

const request = (method, params) =>
  new Promise((resolve, reject) => {
    const id = ++lastId
    waiting.set(id, { resolve, reject })
    send({ id, method, params })
  })

let context = {}
let canOpenLinks = false
let input = {}
let answer

document.addEventListener("click", (event) => {
  const anchor = event.target.closest?.("a[href]")
  if (anchor === null || anchor === undefined || !canOpenLinks) return
  event.preventDefault()
  request("ui/open-link", { url: anchor.href }).catch(() => {})
})

const show = (...children) => main.replaceChildren(...children.flat().filter((child) => child !== undefined))

/** The text of an answer without structured content, such as an error. */
const words = (result) => result.content?.find(({ type }) => type === "text")?.text ?? ""

const render = () => {
  if (answer === undefined) {
    show(element("p", { role: "status" }, text("card.view.waiting")))
  } else if (answer.isCanceled === true) {
    show(element("p", { role: "status" }, text("card.view.canceled")))
  } else if (answer.isError === true || answer.structuredContent === undefined) {
    show(foreign("p", words(answer), { class: "words", role: answer.isError === true ? "alert" : undefined }))
  } else {
    show(views[root.dataset.card](answer.structuredContent, input))
  }
}

const setContext = (changes) => {
  context = { ...context, ...changes }
  root.lang = speak(context.locale ?? navigator.language)
  root.style.colorScheme = context.theme === "dark" || context.theme === "light" ? context.theme : ""
  for (const [name, value] of Object.entries(context.styles?.variables ?? {})) {
    if (name.startsWith("--") && typeof value === "string") root.style.setProperty(name, value)
  }
  render()
}

const receive = {
  "ui/notifications/tool-input": (params) => {
    input = params.arguments ?? {}
  },
  "ui/notifications/tool-result": (result) => {
    answer = result
    render()
  },
  "ui/notifications/tool-cancelled": () => {
    answer = { isCanceled: true }
    render()
  },
  "ui/notifications/host-context-changed": setContext
}

window.addEventListener("message", ({ data, source }) => {
  if (source !== window.parent || data?.jsonrpc !== "2.0") return
  if (data.method === undefined) {
    const asked = waiting.get(data.id)
    waiting.delete(data.id)
    if (data.error === undefined) asked?.resolve(data.result)
    else asked?.reject(new Error(data.error.message))
  } else if (data.id === undefined) {
    receive[data.method]?.(data.params ?? {})
  } else if (data.method === "ping" || data.method === "ui/resource-teardown") {
    send({ id: data.id, result: {} })
  } else {
    send({ id: data.id, error: { code: -32601, message: "there is no such method" } })
  }
})

let told
new ResizeObserver(() => {
  const height = Math.ceil(root.getBoundingClientRect().height)
  if (height === told) return
  told = height
  send({ method: "ui/notifications/size-changed", params: { width: root.clientWidth, height } })
}).observe(root)

render()
const { hostCapabilities, hostContext } = await request("ui/initialize", {
  appInfo: { name: "discovery-cards", version: "1.0.0" },
  appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
  protocolVersion: "2026-01-26"
})
canOpenLinks = hostCapabilities?.openLinks !== undefined
setContext(hostContext ?? {})
send({ method: "ui/notifications/initialized", params: {} })
