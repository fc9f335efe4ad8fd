/** The messages in a card, which are text whatever they contain: none ends the element that contains them. */
import { assert, it } from "@effect/vitest"
import { Record } from "effect"
import { vi } from "vitest"
import type * as Messages from "../../../../src/domain/Messages.ts"
import * as Cards from "../../../../src/http/mcp/apps/Cards.ts"

/** Before the mocks, which are made before anything else. */
const text = vi.hoisted(() => `</script><script>alert(1)</script><!-- <script> ]]> & "quoted"`)

vi.mock("../../../../src/domain/Messages.ts", async (original) => {
  const messages = await original<typeof Messages>()
  return {
    ...messages,
    catalogs: Record.map(
      messages.catalogs,
      Record.map(() => text)
    )
  }
})

it.each(Cards.resources.map(({ uri }) => uri))("P34 %s", (uri) => {
  const [card] = Cards.contents(Cards.find(uri) ?? assert.fail(), [])
  const html = card?.text ?? ""
  const [, json = ""] = /<script type="application\/json" id="texts">(.*?)<\/script>/su.exec(html) ?? []
  assert.notInclude(json, "<")
  const languages: Readonly<Record<string, Readonly<Record<string, string>>>> = JSON.parse(json)
  const texts = Object.values(languages).flatMap((messages) => Object.values(messages))
  assert.isNotEmpty(texts)
  assert.deepStrictEqual(new Set(texts), new Set([text]))
})
