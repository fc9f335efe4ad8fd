import { assert, describe, it } from "@effect/vitest"
import * as ClientSetup from "../../../../src/http/pages/integrations/ClientSetup.ts"

const url = "https://discovery.test/mcp"
const key = `dsk_${"k".repeat(43)}`

const textOf = (setups: ReadonlyArray<ClientSetup.ClientSetup>, client: string) =>
  setups.find((setup) => setup.client === client)?.text ?? assert.fail(client)

describe("instructions for a client", () => {
  it("VS Code asks for the key: its file is usually committed", () => {
    const text = textOf(ClientSetup.withKey(url, key), "VS Code")
    assert.notInclude(text, key)
    assert.nestedPropertyVal(JSON.parse(text), "inputs[0].password", true)
    assert.nestedPropertyVal(
      JSON.parse(text),
      "servers.discovery.headers.Authorization",
      "Bearer ${input:discovery-key}"
    )
    assert.deepStrictEqual(JSON.parse(textOf(ClientSetup.signingIn(url), "VS Code")), {
      servers: { discovery: { type: "http", url } }
    })
  })

  it("Claude Code has the server in every folder", () => {
    for (const setups of [ClientSetup.signingIn(url), ClientSetup.withKey(url, key)]) {
      assert.include(textOf(setups, "Claude Code"), "claude mcp add --scope user --transport http discovery")
    }
    assert.include(textOf(ClientSetup.withKey(url, key), "Claude Code"), key)
  })
})
