import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as ClientIdUrl from "../../../src/domain/oauth/ClientIdUrl.ts"

const isAllowed = (id: string, local = false) => ClientIdUrl.parse(id, { local }) !== undefined

describe("R47 a client id that is an address", () => {
  it.each([
    "https://claude.ai/oauth/mcp-oauth-client-metadata",
    "https://claude.ai/oauth/claude-code-client-metadata",
    "https://chatgpt.com/oauth/aBc-123_x/client.json",
    "https://vscode.dev/oauth/client-metadata.json",
    "https://client.example/a/b/",
    "https://client.example/client.json?v=2",
    "https://client.example/caf%C3%A9.json",
    "https://client.example/%20.json",
    "https://xn--bcher-kva.example/client.json",
    "https://a.b.c.client.example/~me/client.json",
    `https://client.example/${"a".repeat(2048 - 23)}`
  ])("is %s", (id) => {
    assert.isTrue(isAllowed(id))
    assert.isTrue(isAllowed(id, true))
    assert.isTrue(ClientIdUrl.isAddress(id))
  })

  const refused: ReadonlyArray<readonly [why: string, id: string]> = [
    ["nothing", ""],
    ["http", "http://client.example/client.json"],
    ["another scheme", "ftp://client.example/client.json"],
    ["a script", "javascript://client.example/%0aalert(1)"],
    ["a relative address", "//client.example/client.json"],
    ["no path", "https://client.example"],
    ["an empty path", "https://client.example/"],
    ["an empty path with a query", "https://client.example?client.json"],
    ["a fragment", "https://client.example/client.json#a"],
    ["an empty fragment", "https://client.example/client.json#"],
    ["a user", "https://claude.ai@client.example/client.json"],
    ["a user with a password", "https://a:b@client.example/client.json"],
    ["an empty user", "https://@client.example/client.json"],
    ["a dot segment", "https://client.example/a/./client.json"],
    ["two dots", "https://client.example/a/../client.json"],
    ["dots at the end", "https://client.example/a/.."],
    ["encoded dots", "https://client.example/a/%2e%2e/client.json"],
    ["encoded dots in capitals", "https://client.example/a/%2E/client.json"],
    ["half encoded dots", "https://client.example/a/.%2e/client.json"],
    ["a backslash", "https://client.example\\client.json"],
    ["a backslash in the path", "https://client.example/a\\b"],
    ["a backslash before another host", "https://client.example\\@evil.example/a"],
    ["a space", "https://client.example/a b"],
    ["a space before", " https://client.example/a"],
    ["a space after", "https://client.example/a "],
    ["a tab", "https://client.exa\tmple/a"],
    ["a line break", "https://client.example/a\n"],
    ["a null", "https://client.example/a\u0000"],
    ["a character that is not ASCII", "https://client.example/café"],
    ["a host that is not ASCII", "https://clіent.example/client.json"],
    ["a right-to-left override", "https://client.example/\u202Enosj.tneilc"],
    ["a loose percent sign", "https://client.example/100%"],
    ["quotes", 'https://client.example/"a"'],
    ["a host in capitals", "https://Client.example/client.json"],
    ["a scheme in capitals", "HTTPS://client.example/client.json"],
    ["the default port", "https://client.example:443/client.json"],
    ["another port", "https://client.example:8443/client.json"],
    ["a port of another service", "https://client.example:22/client.json"],
    ["an empty port", "https://client.example:/client.json"],
    ["a port with a zero before", "https://client.example:08443/client.json"],
    ["a port that is none", "https://client.example:70000/client.json"],
    ["one slash", "https:/client.example/client.json"],
    ["three slashes", "https:///client.example/client.json"],
    ["a single label", "https://intranet/client.json"],
    ["a dot after the host", "https://client.example./client.json"],
    ["an underscore in the host", "https://a_b.example/client.json"],
    ["an encoded host", "https://client%2Eexample/client.json"],
    ["an IPv4 address", "https://93.184.216.34/client.json"],
    ["an IPv4 address as a number", "https://1572395042/client.json"],
    ["an IPv4 address in hexadecimal", "https://0x7f.0.0.1/client.json"],
    ["an IPv4 address cut short", "https://127.1/client.json"],
    ["an IPv6 address", "https://[2606:2800:220:1::1]/client.json"],
    ["an IPv4-mapped address", "https://[::ffff:7f00:1]/client.json"],
    ["too long", `https://client.example/${"a".repeat(2048 - 22)}`]
  ]
  it.each(refused)("is not one with %s", (_, id) => {
    assert.isFalse(isAllowed(id))
    assert.isFalse(isAllowed(id, true))
  })

  it.each([
    "http://localhost:9000/client.json",
    "https://localhost/client.json",
    "http://127.0.0.1:9000/client.json",
    "http://[::1]:9000/client.json"
  ])("R49 is %s for a server that runs locally alone", (id) => {
    assert.isFalse(isAllowed(id))
    assert.isTrue(isAllowed(id, true))
  })

  it.each([
    "http://localhost.evil.example/client.json",
    "http://127.0.0.1.evil.example/client.json",
    "http://127.0.0.2/client.json",
    "http://0.0.0.0/client.json",
    "http://[::]/client.json",
    "http://192.168.0.1/client.json",
    "http://localhost@evil.example/client.json",
    "http://LOCALHOST/client.json"
  ])("R49 is never %s", (id) => {
    assert.isFalse(isAllowed(id, true))
  })

  const pieces = ["https:", "http:", "/", "//", "a", "B", ".", "..", "%2e", "%2E", "@", ":", "443", "#", "?", "\\", " "]
  const Hostile = Schema.Array(
    Schema.Literals([...pieces, "client.example", "localhost", "127.0.0.1", "[::1]", "é", "\t", "%", "[", "xn--a"])
  ).check(Schema.isMaxLength(12))

  it.prop(
    "R47 is never changed by whoever parses it: compared as strings, ids are equal exactly when their addresses are",
    [Hostile, Schema.Boolean, Schema.Literals(["", "https://client.example/", "http://localhost:1/"])],
    ([parts, local, begin]) => {
      const id = begin + parts.join("")
      const url = ClientIdUrl.parse(id, { local })
      if (url === undefined) return
      assert.strictEqual(url.href, id)
      assert.strictEqual(new URL(url.href).href, id)
      const [address = ""] = id.split("?")
      assert.notMatch(id, /[#\\\s]|^https?:\/\/[^/]*@/)
      assert.notMatch(address, /\/(?:\.|%2e){1,2}(?:\/|$)/i)
      assert.isAbove(url.pathname.length, 1)
    },
    { arbitrary: { runs: 2000 } }
  )

  it("R46 distinguishes an address from an id that was issued", () => {
    assert.isFalse(ClientIdUrl.isAddress("doc_0123456789"))
    assert.isFalse(ClientIdUrl.isAddress("https"))
    assert.isTrue(ClientIdUrl.isAddress("HTTPS://claude.ai/x"))
  })
})
