/** Sends the answer of a statement as ClickHouse does, or spoiled as a fault says. */
import type { IncomingMessage, ServerResponse } from "node:http"
import * as zlib from "node:zlib"
import type { Exception } from "./Engine.ts"
import type { Fault } from "./Messages.ts"
import * as Requests from "./Requests.ts"

const tag = "qwertyuiopasdfgh"

/** The block behind the rows that were sent before an error. Its number counts the text with its line feed. */
const blockOf = (text: string): string => {
  const line = `${text}\n`
  return `\r\n__exception__\r\n${tag}\r\n${line}${Buffer.byteLength(line)} ${tag}\r\n__exception__\r\n`
}

export const textOf = (code: number, name: string): string =>
  `Code: ${code}. DB::Exception: Made for a test: while executing 'SELECT 1'. (${name}) (version 26.7.2.1)`

export const sendException = (response: ServerResponse, { code, message }: Exception): void => {
  if (response.destroyed) return
  response.writeHead(Requests.statusOf(code), {
    "Content-Type": "text/plain; charset=UTF-8",
    "X-ClickHouse-Exception-Code": String(code)
  })
  response.end(`${message}\n`)
}

/** Compressed if the client and the settings of the request ask for it. */
const encoderOf = (request: IncomingMessage, url: URL) => {
  const accepted = request.headers["accept-encoding"] ?? ""
  if (url.searchParams.get("enable_http_compression") !== "1") return undefined
  if (accepted.includes("zstd")) return { name: "zstd", encode: zlib.zstdCompressSync }
  return accepted.includes("gzip") ? { name: "gzip", encode: zlib.gzipSync } : undefined
}

export interface Target {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly url: URL
}

/** Ends when the answer has been sent, as far as it is. `released` is for an answer that is held. */
export const send = async (
  { request, response, url }: Target,
  body: Uint8Array,
  fault: Fault,
  released: () => Promise<void>
): Promise<void> => {
  const encoder = encoderOf(request, url)
  const bytes = encoder === undefined ? body : encoder.encode(body)
  const half = Math.ceil(bytes.length / 2)
  const flushed = (part: Uint8Array) => new Promise<void>((resolve) => response.write(part, () => resolve()))
  const isMarked = fault.kind === "late exception" ? fault.isMarked : true
  response.writeHead(200, {
    "Content-Type": "application/json; charset=UTF-8",
    ...(encoder === undefined ? {} : { "Content-Encoding": encoder.name }),
    ...(isMarked ? { "X-ClickHouse-Exception-Tag": tag } : {})
  })
  switch (fault.kind) {
    case "cut": {
      await flushed(bytes.subarray(0, half))
      if (fault.endsWell) response.end()
      else request.socket.destroy()
      return
    }
    case "late exception": {
      // Before compression, as the engine writes it.
      const text = textOf(fault.code, fault.name)
      const spoiled = Buffer.concat([
        body.subarray(0, Math.ceil(body.length / 2)),
        Buffer.from(fault.isMarked ? blockOf(text) : `\n${text}\n`)
      ])
      await flushed(encoder === undefined ? spoiled : encoder.encode(spoiled))
      if (fault.isCut) request.socket.destroy()
      else response.end()
      return
    }
    case "hold": {
      if (fault.after === "half") {
        await flushed(bytes.subarray(0, half))
        await released()
        response.end(bytes.subarray(half))
        return
      }
      break
    }
    default:
  }
  response.end(bytes)
}
