import { assert, describe, it } from "@effect/vitest"
import { clientFamilies, kindOf } from "../../../src/domain/oauth/ClientFamily.ts"

describe("the family of an app", () => {
  it.each([
    ["Claude", "claude"],
    ["Claude Code (plugin:discovery)", "claude_code"],
    ["ChatGPT", "chatgpt"],
    ["Codex", "codex"],
    ["Cursor", "cursor"],
    ["Visual Studio Code - Insiders", "vscode"],
    ["VS Code", "vscode"],
    ["Gemini CLI MCP Client", "gemini"],
    ["GitHub Copilot CLI", "copilot"],
    ["opencode", "opencode"],
    ["Qwen Code MCP Client", "qwen"],
    ["MCP Inspector", "inspector"],
    ["MCP CLI Proxy", "mcp_remote"],
    ["n8n", "n8n"],
    ["Precursory notes", "other"],
    ["", "other"]
  ])("of a registration follows from its name: %s", (name, family) => {
    assert.deepStrictEqual(kindOf({ id: "doc_1", name }), { client_family: family, registration: "dynamic" })
  })

  it.each([
    ["https://claude.ai/oauth/claude-code-client-metadata", "claude_code"],
    ["https://claude.ai/oauth/client.json", "claude"],
    ["https://vscode.dev/oauth/client.json", "vscode"],
    ["https://app.example/client.json", "other"]
  ])("of a document follows from its address: %s", (id, family) => {
    assert.deepStrictEqual(kindOf({ id, name: "Cursor" }), { client_family: family, registration: "metadata_document" })
  })

  it("is one of a short list", () => {
    assert.isAtMost(clientFamilies.length, 16)
    assert.strictEqual(new Set(clientFamilies).size, clientFamilies.length)
  })
})
