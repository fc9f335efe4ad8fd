/** Actions of a person in a browser. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { catalogs } from "../../src/domain/Messages.ts"
import type { Language, MessageKey } from "../../src/domain/Messages.ts"
import { linkOf, MailServer } from "./MailServer.ts"
import { Site } from "./Site.ts"
import type { SiteVisitor } from "./SiteVisitor.ts"

/** Waits for the focus: `autofocus` takes effect with the first rendering of a page. */
export const hasFocus = (page: Page, selector: string) =>
  Effect.promise(() => page.locator(`${selector}:focus`).waitFor())

/** The URL without its origin. */
export const at = (page: Page) => {
  const { pathname, search } = new URL(page.url())
  return pathname + search
}

export const fill = Effect.fnUntraced(function* (page: Page, fields: Readonly<Record<string, string>>) {
  for (const [label, value] of Object.entries(fields)) {
    yield* Effect.promise(() => page.getByLabel(label, { exact: true }).fill(value))
  }
})

/** Acts, and waits for the next page. */
export const leave = (page: Page, act: () => Promise<void>) =>
  Effect.promise(async () => {
    // Together: a promise without a handler would fail outside of the test.
    await Promise.all([page.waitForEvent("framenavigated"), act()])
    await page.waitForLoadState()
  })

/** Presses a button, and waits for the next page. */
export const press = (page: Page, button: string) =>
  // "Sign in" is not "Sign in with a passkey".
  leave(page, () => page.getByRole("button", { name: button, exact: button === "Sign in" }).click())

export const goTo = (page: Page, path: string) =>
  Effect.flatMap(Site, ({ url }) => Effect.promise(() => page.goto(url + path)))

/** Takes over the session of a visitor without a window. */
export const enterAs = (page: Page, visitor: SiteVisitor) =>
  Effect.flatMap(Site, ({ url }) =>
    Effect.promise(() =>
      page.context().addCookies(Array.from(visitor.cookies, ([name, { value }]) => ({ name, value, url })))
    )
  )

export const signIn = Effect.fnUntraced(function* (
  page: Page,
  who: { readonly email: string; readonly password: string }
) {
  yield* fill(page, { "E-mail address": who.email, Password: who.password })
  yield* press(page, "Sign in")
})

/** The actions of a person who reads the pages in one language. */
export const reader = (page: Page, language: Language) => {
  const words = (key: MessageKey) => catalogs[language][key]
  const enter = (fields: Readonly<Partial<Record<MessageKey, string>>>) =>
    fill(page, Object.fromEntries(Object.entries(fields).map(([key, value]) => [words(key as MessageKey), value])))
  const press = (key: MessageKey) =>
    leave(page, () => page.getByRole("button", { name: words(key), exact: true }).click())
  return {
    enter,
    press,
    /** On the form: signs up, follows the link of the mail, and signs in. */
    signUp: Effect.fnUntraced(function* (email: string, password: string) {
      const account = { "signIn.email": email, "signIn.password": password } as const
      yield* enter(account)
      yield* press("signUp.submit")
      yield* goTo(page, linkOf(yield* (yield* MailServer).mailTo(email)))
      yield* press("signUp.confirmSubmit")
      yield* enter(account)
      yield* press("signIn.submit")
    }),
    follow: (key: MessageKey) => leave(page, () => page.getByRole("link", { name: words(key), exact: true }).click()),
    /** What the page says in its notice. */
    isTold: (key: MessageKey, email = "") =>
      Effect.map(
        Effect.promise(() => page.getByRole("status").innerText()),
        (said) => assert.strictEqual(said, words(key).replace("{email}", email))
      ),
    isAt: (key: MessageKey) =>
      Effect.map(
        Effect.promise(() => page.locator("h1").innerText()),
        (heading) => assert.strictEqual(heading, words(key))
      )
  }
}
