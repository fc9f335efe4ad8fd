import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as RedirectUri from "../../../src/domain/oauth/RedirectUri.ts"

const Port = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 65_535 }))
const Host = Schema.Literals(["localhost", "127.0.0.1", "[::1]"])

describe("R43 an address may be registered", () => {
  it.each([
    "https://claude.ai/api/mcp/auth_callback",
    "https://app.example:8443/cb?tenant=1&x=%20y",
    "https://192.0.2.7/cb",
    "https://[2001:db8::1]:8443/cb",
    "https://app.example",
    "HTTPS://APP.EXAMPLE/Callback",
    "https://xn--bcher-kva.example/cb",
    "http://localhost/callback",
    "http://localhost:8787/callback",
    "http://127.0.0.1:33418",
    "http://127.0.0.1:0/callback",
    "http://[::1]:0",
    "http://127.0.0.1/callback/abc?x=1",
    "http://[::1]:7777/oauth2callback",
    "cursor://anysphere.cursor-mcp/oauth/callback",
    "vscode://vscode.github-authentication/did-authenticate",
    "vscode-insiders://vscode.github-authentication/did-authenticate",
    "Zed://mcp/callback",
    "com.example.app:/oauth2redirect",
    "com.example.app://oauth2redirect"
  ])("%s", (uri) => {
    assert.isTrue(RedirectUri.isRegistrable(uri))
  })

  it.each([
    "",
    "/callback",
    "callback",
    "//app.example/callback",
    "http://app.example/callback",
    "http://localhost.evil.example/callback",
    "http://localhost@evil.example/callback",
    "http://localhost:80@evil.example/callback",
    "http://localhost:65536/callback",
    "http://LOCALHOST/callback",
    "http://127.1/callback",
    "http://2130706433/callback",
    "http://127.0.0.2/callback",
    "http://0.0.0.0/callback",
    "http://[::ffff:127.0.0.1]/callback",
    "http://[::]/callback",
    "http:localhost/callback",
    "http:/localhost/callback",
    "http:\\\\localhost/callback",
    "http://localhost\\@evil.example/callback",
    "https://app.example/callback#",
    "https://app.example/callback#fragment",
    "cursor://host/path#fragment",
    "https://user@app.example/callback",
    "https://user:secret@app.example/callback",
    "https://:@app.example/callback",
    "cursor://user:secret@host/path",
    "https://*.app.example/callback",
    "https://app.example/*",
    "https:app.example/callback",
    "https:/app.example/callback",
    "https:///callback",
    "https://",
    "https://?x",
    "https://app.example:99999/callback",
    "https://%65vil.example/callback",
    "https://app.example\\@evil.example/callback",
    "https://app.example/call back",
    "https://app.example/\u0000",
    "https://app.example/\r\nLocation: https://evil.example",
    "https://app.example/\u202e",
    "https://bücher.example/callback",
    "https://app.example/<script>",
    'https://app.example/"',
    "javascript:alert(1)",
    "JavaScript:/alert(1)",
    "javascript://app.example/%0aalert(1)",
    "data:text/html,x",
    "data:/text/html,x",
    "file:///etc/passwd",
    "vbscript:/x",
    "blob:https://app.example/x",
    "about:blank",
    "about:/x",
    "ftp://app.example/x",
    "ws://app.example/x",
    "wss://app.example/x",
    "view-source:/x",
    "filesystem:/x",
    "intent://scan/x",
    "ms-msdt:/id",
    "search-ms:/query",
    "mailto:/someone",
    "tel:/1",
    "ssh://host/x",
    "chrome://settings/",
    "c:/windows",
    "steam://run/1",
    "zoommtg://zoom.us/join",
    "myapp://callback",
    "constructor:/x",
    "x-apple.systempreferences:/x",
    "ms-app.x:/y",
    "urn:ietf:wg:oauth:2.0:oob",
    "com.example.app:callback",
    `https://app.example/${"x".repeat(2000)}`
  ])("but not %j", (uri) => {
    assert.isFalse(RedirectUri.isRegistrable(uri))
  })

  it.prop("or anything that a parser does not take as an address", [Schema.String], ([text]) => {
    if (RedirectUri.isRegistrable(text)) assert.isNotNull(URL.parse(text))
  })
})

describe("R11 an address is one that was registered", () => {
  it.prop("a loopback address with any port, none or 0, and with or without its slash", [Host, Port, Port], (each) => {
    const [host, port, other] = each
    for (const rests of [["", "/"], ["/callback"], ["/callback/1?a=b"], ["?a=b", "/?a=b"]]) {
      const urisOf = (ports: ReadonlyArray<string>) =>
        ports.flatMap((each) => rests.map((rest) => `http://${host}${each}${rest}`))
      for (const registered of urisOf(["", ":0", `:${port}`])) {
        assert.isTrue(RedirectUri.isRegistrable(registered), registered)
        for (const given of urisOf(["", `:${port}`, `:${other}`])) {
          assert.isTrue(RedirectUri.matches(registered, given), `${registered} ${given}`)
        }
        for (const given of urisOf([":0"])) assert.isFalse(RedirectUri.matches(registered, given), given)
      }
    }
  })

  it.prop("R35 and is exchanged with the port that was asked for", [Host, Port, Port], ([host, port, other]) => {
    assert.isTrue(RedirectUri.areSame(`http://${host}:${port}`, `http://${host}:${port}/`))
    assert.isTrue(RedirectUri.areSame(`http://${host}:${port}/?a=b`, `http://${host}:${port}?a=b`))
    assert.strictEqual(RedirectUri.areSame(`http://${host}:${port}/`, `http://${host}:${other}/`), port === other)
    assert.isFalse(RedirectUri.areSame("https://app.example", "https://app.example/"))
  })

  it.each([
    "https://claude.ai/api/mcp/auth_callback",
    "https://app.example/cb?x=1",
    "cursor://anysphere.cursor-mcp/oauth/callback"
  ])("the same text: %s", (uri) => {
    assert.isTrue(RedirectUri.matches(uri, uri))
  })

  it.each([
    ["http://localhost/callback", "http://127.0.0.1/callback"],
    ["http://127.0.0.1/callback", "http://[::1]:80/callback"],
    ["http://localhost/callback", "http://localhost/callback/"],
    ["http://localhost/callback", "http://localhost/callback?x=1"],
    ["http://localhost/callback?x=1", "http://localhost:1/callback"],
    ["http://localhost/callback", "http://localhost:1/Callback"],
    ["http://localhost/callback", "http://localhost:1/x/../callback"],
    ["http://localhost/callback", "http://localhost:0/callback"],
    ["http://localhost/callback", "http://localhost:65536/callback"],
    ["http://localhost/callback", "http://localhost:/callback"],
    ["http://localhost/callback", "http://localhost:1:2/callback"],
    ["http://localhost/callback", "https://localhost:1/callback"],
    ["https://localhost/callback", "https://localhost:1/callback"],
    ["http://localhost/callback", "http://LOCALHOST:1/callback"],
    ["http://localhost/callback", "http://localhost:1@evil.example/callback"],
    ["http://localhost/callback", "http://localhost.evil.example/callback"],
    ["http://localhost/callback", "http://localhost:80#@evil.example/callback"],
    ["http://localhost/callback", "http://localhost:1/callback#x"],
    ["http://localhost/callback", "http://localhost:1/callback\n"],
    ["https://app.example", "https://app.example/"],
    ["https://app.example/cb", "https://app.example:443/cb"],
    ["https://app.example/cb", "https://app.example:8443/cb"],
    ["https://app.example/cb", "https://app.example/cb/"],
    ["https://app.example/cb", "https://app.example/cb?x=1"],
    ["https://app.example/cb", "https://APP.example/cb"],
    ["https://app.example/cb", "https://app.example/cb/../cb"],
    ["https://app.example/cb", "https://app.example/%63b"],
    ["https://app.example/cb", "https://app.example.evil.example/cb"],
    ["https://app.example/cb", "https://app.example@evil.example/cb"],
    ["cursor://host/cb", "cursor://host:1/cb"]
  ])("not %s and %j", (registered, given) => {
    assert.isFalse(RedirectUri.matches(registered, given))
  })
})

describe("R24 the destination that a person is shown", () => {
  it.each([
    ["https://claude.ai/api/mcp/auth_callback", "claude.ai"],
    ["https://app.example:8443/cb", "app.example:8443"],
    ["http://localhost:8787/callback", "localhost:8787"],
    ["http://[::1]:8787/callback", "[::1]:8787"],
    ["cursor://anysphere.cursor-mcp/oauth/callback", "cursor:"],
    ["com.example.app:/cb", "com.example.app:"],
    ["https://xn--bcher-kva.example/cb", "xn--bcher-kva.example"]
  ])("of %s is %s", (uri, shown) => {
    assert.strictEqual(RedirectUri.destination(uri), shown)
  })
})

describe("R19 a web site of an app's publisher", () => {
  it.each([
    ["claude.ai", "https://claude.ai/api/mcp/auth_callback"],
    ["auth.app.example", "https://www.app.example/cb"],
    ["app.example", "https://deep.below.APP.example:8443/cb?x=1"],
    ["app.co.uk", "https://www.app.co.uk/cb"],
    ["me.github.io", "https://x.me.github.io/cb"],
    ["127.0.0.1:3000", "https://127.0.0.1/cb"]
  ])("at %s is %s", (publisher, uri) => {
    assert.isTrue(RedirectUri.isSiteOf(publisher, uri))
  })
  it.each([
    ["claude.ai", "https://claude.com/api/mcp/auth_callback"],
    ["app.example", "https://evil.example/cb"],
    ["app.example", "https://app.example.evil.example/cb"],
    ["app.example", "https://notapp.example/cb"],
    ["app.co.uk", "https://evil.co.uk/cb"],
    ["me.github.io", "https://you.github.io/cb"],
    ["app.example", "http://app.example/cb"],
    ["app.example", "http://localhost:8787/cb"],
    ["127.0.0.1:3000", "http://127.0.0.1:3000/cb"],
    ["127.0.0.1:3000", "https://127.0.0.2/cb"],
    ["app.example", "com.app.example:/cb"],
    ["app.example", "nothing"]
  ])("at %s is not %s", (publisher, uri) => {
    assert.isFalse(RedirectUri.isSiteOf(publisher, uri))
  })
})

describe("R26 the user's own machine", () => {
  it.each([
    "http://localhost/cb",
    "http://127.0.0.1:1/cb",
    "http://[::1]:1/cb",
    "https://localhost/cb",
    "https://127.1/cb"
  ])("is %s", (uri) => {
    assert.isTrue(RedirectUri.isLoopback(uri))
  })
  it.each(["https://localhost.example/cb", "https://app.example/localhost", "cursor://localhost/cb", "nothing"])(
    "is not %s",
    (uri) => {
      assert.isFalse(RedirectUri.isLoopback(uri))
    }
  )
})

describe("R11, R17 parameters are added behind what the address has", () => {
  it.each([
    ["https://app.example/cb", "https://app.example/cb?code=c"],
    ["https://app.example/cb?", "https://app.example/cb?code=c"],
    ["https://app.example/cb?x=%20&y=+", "https://app.example/cb?x=%20&y=+&code=c"],
    ["https://app.example/cb?x&", "https://app.example/cb?x&code=c"],
    ["cursor://a.b/cb", "cursor://a.b/cb?code=c"],
    ["http://LOCALHOST:80", "http://LOCALHOST:80?code=c"]
  ])("%s", (uri, expected) => {
    assert.strictEqual(RedirectUri.withParameters(uri, { code: "c", state: undefined }), expected)
  })

  it.prop("and say what they said, to every kind of reader", [Schema.String], ([text]) => {
    const state = text.toWellFormed()
    const uri = RedirectUri.withParameters("https://app.example/cb?x=1", { state })
    assert.strictEqual(new URL(uri).searchParams.get("state"), state)
    assert.strictEqual(decodeURIComponent(uri.slice(uri.indexOf("&state=") + 7)), state)
  })
})
