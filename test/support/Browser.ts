/** A browser for one test file, with isolated windows. */
import { AxeBuilder } from "@axe-core/playwright"
import { assert } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { Scope } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { chromium } from "playwright-core"
import type { Page } from "playwright-core"
import { inject } from "vitest"

/** The timeout of the test applies: see vitest.config.ts. */
const patienceMillis = 600_000

export interface Look {
  readonly width?: number
  readonly scheme?: "light" | "dark"
  readonly javaScript?: boolean
}

const screenshots = process.env["SCREENSHOTS"] ?? ""

/**
 * Every page is checked at these widths and in these color schemes. Colors do not depend on the width, so that each width has
 * one scheme; a run that saves screenshots has every pair.
 */
const looksOf = (widths: ReadonlyArray<number>): ReadonlyArray<Required<Pick<Look, "width" | "scheme">>> =>
  widths.flatMap((width, at) =>
    (["light", "dark"] as const)
      .filter((_scheme, index) => screenshots !== "" || index === at % 2)
      .map((scheme) => ({ width, scheme }))
  )

export const looks = looksOf([390, 1280])

/** Includes a common desktop width, for pages that use it. */
export const wideLooks = looksOf([390, 1280, 1920])

/** Without a browser, its tests are skipped. */
export const isAvailable = (): boolean => inject("chromium") !== undefined

export class Browser extends Context.Service<
  Browser,
  {
    /** A page in a new window with its own cookies. */
    open(look?: Look): Effect.Effect<Page, never, Scope.Scope>
  }
>()("test/support/Browser") {
  static readonly layer: Layer.Layer<Browser> = Layer.effect(
    Browser,
    Effect.gen(function* () {
      const found = inject("chromium")
      if (found === undefined) return yield* Effect.die(new Error("there is no Chromium: set CHROMIUM_PATH"))
      const browser = yield* Effect.acquireRelease(
        Effect.promise(() =>
          chromium.launch({
            executablePath: found.executable,
            timeout: patienceMillis,
            // Without the sandbox, which does not work for root. All other web security stays on.
            args: ["--no-sandbox"],
            env: { ...process.env, ...found.environment }
          })
        ),
        (browser) => Effect.promise(() => browser.close())
      )
      return {
        open: ({ javaScript = true, scheme = "light", width = 1280 } = {}) =>
          Effect.acquireRelease(
            Effect.promise(async () => {
              const context = await browser.newContext({
                javaScriptEnabled: javaScript,
                colorScheme: scheme,
                viewport: { width, height: 800 },
                reducedMotion: "reduce"
              })
              context.setDefaultTimeout(patienceMillis)
              return context
            }),
            (context) =>
              Effect.promise(async () => {
                // A request that a test intercepts may still be running; its failure now is no error.
                await Promise.all(context.pages().map((page) => page.unrouteAll({ behavior: "ignoreErrors" })))
                await context.close()
              })
          ).pipe(Effect.flatMap((context) => Effect.promise(() => context.newPage())))
      }
    })
  )
}

/** Violations of WCAG 2.2 AA and of axe's best practices, as rule and element. */
export const violations = (page: Page): Effect.Effect<ReadonlyArray<string>> =>
  Effect.promise(async () => {
    const { violations } = await new AxeBuilder({ page })
      // The results of frames are put together in a further window, which takes a third of the time.
      .setLegacyMode(page.frames().length === 1)
      .withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"])
      .analyze()
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html, target }) => `${id}: ${target.join(" ")} ${html}`))
  })

/** Pixels by which the page is wider than the window. People must not have to scroll sideways (WCAG 1.4.10). */
export const overflow = (page: Page): Effect.Effect<number> =>
  Effect.promise(() => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth))

/** The checks of every page in one look; `name` is that of its screenshot. */
export const checker = (page: Page, { scheme, width }: (typeof looks)[number]) =>
  Effect.fnUntraced(function* (name: string) {
    yield* picture(page, `${name}-${width}-${scheme}`)
    assert.deepStrictEqual(yield* violations(page), [], name)
    assert.isAtMost(yield* overflow(page), 0, name)
  })

/** Saves a screenshot in the folder `SCREENSHOTS`, if that variable is set. */
export const picture = (page: Page, name: string): Effect.Effect<void> =>
  Effect.promise(async () => {
    if (screenshots === "") return
    await fs.mkdir(screenshots, { recursive: true })
    await page.screenshot({ path: path.join(screenshots, `${name}.png`), fullPage: true })
  })
