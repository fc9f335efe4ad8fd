/** What people do in a browser, step by step. */
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { Site } from "./Site.ts"

/** Waits until it has the focus: `autofocus` acts with the first picture of a page. */
export const hasFocus = (page: Page, selector: string) =>
  Effect.promise(() => page.locator(`${selector}:focus`).waitFor())

/** The address without its origin. */
export const at = (page: Page) => {
  const { pathname, search } = new URL(page.url())
  return pathname + search
}

export const fill = Effect.fnUntraced(function* (page: Page, fields: Readonly<Record<string, string>>) {
  for (const [label, value] of Object.entries(fields)) {
    yield* Effect.promise(() => page.getByLabel(label, { exact: true }).fill(value))
  }
})

/** Waits for the page that the button leads to. */
export const press = (page: Page, button: string) =>
  Effect.promise(async () => {
    const leaves = page.waitForEvent("framenavigated")
    await page.getByRole("button", { name: button }).click()
    await leaves
    await page.waitForLoadState()
  })

export const goTo = (page: Page, path: string) =>
  Effect.flatMap(Site, ({ url }) => Effect.promise(() => page.goto(url + path)))

export const signIn = Effect.fnUntraced(function* (
  page: Page,
  who: { readonly email: string; readonly password: string }
) {
  yield* fill(page, { "E-mail address": who.email, Password: who.password })
  yield* press(page, "Sign in")
})
