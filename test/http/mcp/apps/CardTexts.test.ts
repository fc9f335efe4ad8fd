/** The messages in a card, which are text whatever they contain: none ends the element that contains them. */
import { afterAll, assert, it } from "@effect/vitest"
import { Record } from "effect"
import { vi } from "vitest"
import type * as Messages from "../../../../src/domain/Messages.ts"
import type * as CardsModule from "../../../../src/http/mcp/apps/Cards.ts"

const text = `</script><script>alert(1)</script><!-- <script> ]]> & "quoted"`
const module = "../../../../src/domain/Messages.ts"

// Other files of the same process have loaded both modules already, and others load them after this one.
vi.resetModules()
vi.doMock(module, async (original: () => Promise<typeof Messages>) => {
  const messages = await original()
  return {
    ...messages,
    catalogs: Record.map(
      messages.catalogs,
      Record.map(() => text)
    )
  }
})
const Cards: typeof CardsModule = await import("../../../../src/http/mcp/apps/Cards.ts")
afterAll(() => {
  vi.doUnmock(module)
  vi.resetModules()
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
