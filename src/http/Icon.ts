/** The icon that clients show beside the server's name. */
import { HttpRouter, HttpServerResponse } from "effect/http"
import { iconPath } from "./mcp/ServerInfo.ts"

const svg =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" rx="14" fill="#1d4ed8"/>' +
  '<circle cx="28" cy="28" r="14" fill="none" stroke="#fff" stroke-width="6"/>' +
  '<path d="M39 39l13 13" stroke="#fff" stroke-width="7" stroke-linecap="round"/></svg>'

export const layer = HttpRouter.add(
  "GET",
  iconPath,
  HttpServerResponse.text(svg, { contentType: "image/svg+xml", headers: { "cache-control": "public, max-age=86400" } })
)
