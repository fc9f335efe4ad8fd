/**
 * A host of MCP Apps: an official client of the server, and the bridge of the extension's own library to a view in a frame
 * of another origin, under the policy that the specification makes of `_meta.ui.csp`.
 */
import { AppBridge, getToolUiResourceUri, RESOURCE_MIME_TYPE } from "@modelcontextprotocol/ext-apps/app-bridge"
import type { McpUiHostContext, McpUiResourceMeta } from "@modelcontextprotocol/ext-apps/app-bridge"
import type { Client, JSONRPCMessage, Transport } from "@modelcontextprotocol/client"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Frame, Page, Request } from "playwright-core"

/** Capabilities of a client that announces the extension. */
export const capabilities = { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: [RESOURCE_MIME_TYPE] } } }

const hostOrigin = "https://host.test"
const viewAddress = "https://view.test/"

/** As the specification writes it, of 2026-01-26. */
const policyOf = ({ csp }: McpUiResourceMeta): string => {
  const images = csp?.resourceDomains?.join(" ") ?? ""
  return [
    "default-src 'none'",
    `script-src 'self' 'unsafe-inline' ${images}`,
    `style-src 'self' 'unsafe-inline' ${images}`,
    `connect-src 'self' ${csp?.connectDomains?.join(" ") ?? ""}`,
    `img-src 'self' data: ${images}`,
    "frame-src 'none'",
    "object-src 'none'",
    "base-uri 'self'"
  ].join("; ")
}

const hostPage = `<!doctype html><html lang="en"><title>Host</title><main aria-label="Host"><h1>Host</h1>
<iframe title="View" sandbox="allow-scripts allow-same-origin" style="width:100%;height:600px;border:0"></iframe></main>
<script>
  const frame = document.querySelector("iframe")
  addEventListener("message", ({ data, source }) => { if (source === frame.contentWindow) void toHost(data) })
</script></html>`

const image =
  '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><rect width="40" height="40" fill="#b5482f"/></svg>'

export interface Shown {
  readonly frame: Frame
  readonly bridge: AppBridge
  /** What the view asked the host to open. */
  readonly opened: ReadonlyArray<string>
  /** Its first request has arrived. Messages of the view arrive at any time after what it shows. */
  readonly firstOpened: Promise<void>
  /** What the frame loaded, besides itself. */
  readonly loaded: ReadonlyArray<string>
  readonly heights: ReadonlyArray<number>
}

/** Calls the tool and shows its answer in the view that its definition names. */
export const show = (
  page: Page,
  client: Client,
  call: { readonly name: string; readonly arguments: Record<string, unknown> },
  hostContext: McpUiHostContext = {}
): Effect.Effect<Shown> =>
  Effect.promise(async () => {
    const { tools } = await client.listTools()
    const tool = tools.find(({ name }) => name === call.name) ?? assert.fail(call.name)
    const uri = getToolUiResourceUri(tool) ?? assert.fail(`${call.name} has no view`)
    const { contents } = await client.readResource({ uri })
    const [content] = contents
    if (content === undefined || !("text" in content)) return assert.fail("no text")
    assert.strictEqual(content.mimeType, RESOURCE_MIME_TYPE)
    const html = content.text
    const meta = (content._meta?.["ui"] ?? {}) as McpUiResourceMeta

    const loaded: Array<string> = []
    await page.route("**/*", async (route) => {
      const request: Request = route.request()
      const address = request.url()
      if (address === `${hostOrigin}/`) return route.fulfill({ contentType: "text/html", body: hostPage })
      if (address === viewAddress) {
        return route.fulfill({
          contentType: "text/html",
          headers: { "content-security-policy": policyOf(meta) },
          body: html
        })
      }
      loaded.push(address)
      return address.includes("broken") ? route.abort() : route.fulfill({ contentType: "image/svg+xml", body: image })
    })

    const opened: Array<string> = []
    const first = Promise.withResolvers<void>()
    const heights: Array<number> = []
    const transport: Transport = {
      start: async () => {},
      close: async () => {},
      send: (message) =>
        page
          .evaluate((sent) => document.querySelector("iframe")?.contentWindow?.postMessage(sent, "*"), message)
          .catch((error: unknown) => {
            // The bridge leaves some of these promises alone, and the page may be closed meanwhile.
            if (!page.isClosed()) throw error
          })
    }
    await page.exposeFunction("toHost", (message: JSONRPCMessage) => transport.onmessage?.(message))
    const bridge = new AppBridge(client, { name: "test", version: "1.0.0" }, { openLinks: {} }, { hostContext })
    bridge.onopenlink = async ({ url }) => {
      opened.push(url)
      first.resolve()
      return {}
    }
    const resize = (pixels: number) => {
      const frame = document.querySelector("iframe")
      if (frame !== null) frame.style.height = `${pixels}px`
    }
    bridge.onsizechange = ({ height = 0 }) => {
      heights.push(height)
      // The page may be closed meanwhile.
      page.evaluate(resize, height).catch(() => {})
    }
    const initialized = new Promise<void>((resolve) => {
      bridge.oninitialized = () => resolve()
    })
    await bridge.connect(transport)
    await page.goto(`${hostOrigin}/`)
    await page.evaluate((address) => document.querySelector("iframe")?.setAttribute("src", address), viewAddress)
    await initialized
    await bridge.sendToolInput({ arguments: call.arguments })
    await bridge.sendToolResult(await client.callTool(call))
    const frame = page.frame({ url: viewAddress }) ?? assert.fail("no frame")
    await frame.locator("main > :not([role=status])").first().waitFor()
    return { frame, bridge, opened, firstOpened: first.promise, loaded, heights }
  })
