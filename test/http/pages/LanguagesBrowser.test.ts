/**
 * Every page of the dashboard with the demo data, and those that ask for consent, in four languages and from 320 to 1920
 * pixels: no text is cut or beyond the window, the current section is visible, and numbers have the form of the language
 * (D51, D52).
 */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { languages } from "../../../src/domain/Messages.ts"
import { Accounts } from "../../../src/services/accounts/Accounts.ts"
import { Boards } from "../../../src/services/accounts/Boards.ts"
import { SavedSearches } from "../../../src/services/accounts/SavedSearches.ts"
import { Browser, isAvailable, picture } from "../../support/Browser.ts"
import * as Catalogs from "../../support/Catalogs.ts"
import * as Consent from "../../support/Consent.ts"
import * as RecordedCalls from "../../support/RecordedCalls.ts"
import { Site } from "../../support/Site.ts"
import * as SiteVisitor from "../../support/SiteVisitor.ts"
import { enterAs, goTo } from "../../support/Steps.ts"

const widths = [320, 390, 768, 1024, 1280, 1920]

/** Texts that are cut or beyond the window, with the element that cuts them, at the present width; `open`: with all details open. */
const cutTexts = (page: Page, state: "closed" | "open") =>
  page.evaluate((state) => {
    const closed = state === "open" ? [...document.querySelectorAll("details")].filter(({ open }) => !open) : []
    for (const details of closed) details.open = true
    const slack = 1
    const windowWidth = document.documentElement.clientWidth
    const found: Array<string> = []
    const tell = (text: string, by: string) => found.push(`${text.trim().slice(0, 60)} | ${by}`)
    const nameOf = (element: Element) => `${element.tagName.toLowerCase()}.${[...element.classList].join(".")}`
    /** Shown with the focus, or to screen readers alone. */
    const isUnseen = (element: Element) => element.closest(".skip, .unseen, svg") !== null
    const canvas = document.createElement("canvas").getContext("2d")
    const widthOf = (text: string, { font }: CSSStyleDeclaration) => {
      if (canvas === null) return 0
      canvas.font = font
      return canvas.measureText(text).width
    }

    interface Clip {
      readonly element: Element
      readonly edge: DOMRect
      readonly isClippedX: boolean
      readonly isClippedY: boolean
    }
    const clipsByElement = new Map<Element, ReadonlyArray<Clip>>()
    /** The element and those around it that cut what is beyond their edges. Kept, because most texts have the same ones. */
    const clipsOf = (element: Element | null): ReadonlyArray<Clip> => {
      if (element === null || element === document.body || element === document.documentElement) return []
      const known = clipsByElement.get(element)
      if (known !== undefined) return known
      const { display, overflowX, overflowY } = getComputedStyle(element)
      const isClippedX = overflowX !== "visible"
      // A long list scrolls, and a long text in a card can be opened.
      const isClippedY = /hidden|clip/u.test(overflowY)
      const isClip = display !== "inline" && (isClippedX || isClippedY)
      const around = clipsOf(element.parentElement)
      const clips = isClip
        ? [{ element, edge: element.getBoundingClientRect(), isClippedX, isClippedY }, ...around]
        : around
      clipsByElement.set(element, clips)
      return clips
    }

    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
      const element = node.parentElement
      const text = node.textContent ?? ""
      if (element === null || text.trim() === "" || !element.checkVisibility({ visibilityProperty: true })) continue
      if (isUnseen(element) || element.closest("option, script") !== null) continue
      const isClamped = element.closest("details.wording:not([open])") !== null
      const range = document.createRange()
      range.selectNodeContents(node)
      for (const box of range.getClientRects()) {
        if (box.width === 0) continue
        if (box.left < -slack || box.right > windowWidth + slack) tell(text, "window")
        for (const { edge, element: around, isClippedX, isClippedY } of clipsOf(element)) {
          const isCut =
            (isClippedX && (box.left < edge.left - slack || box.right > edge.right + slack)) ||
            (isClippedY && !isClamped && (box.top < edge.top - slack || box.bottom > edge.bottom + slack))
          if (isCut) tell(text, nameOf(around))
        }
      }
    }

    for (const element of document.querySelectorAll<HTMLElement>("main *, header *")) {
      const { overflowX } = getComputedStyle(element)
      // What somebody has typed scrolls in its field.
      if (
        overflowX === "visible" ||
        element instanceof HTMLInputElement ||
        isUnseen(element) ||
        !element.checkVisibility()
      )
        continue
      if (element.scrollWidth > element.clientWidth + slack) tell(element.innerText, `${nameOf(element)} scrolls`)
    }

    for (const field of document.querySelectorAll<HTMLInputElement | HTMLSelectElement>(
      "select, input:not([type=hidden])"
    )) {
      if (!field.checkVisibility() || isUnseen(field)) continue
      const style = getComputedStyle(field)
      const room = field.clientWidth - Number.parseFloat(style.paddingLeft) - Number.parseFloat(style.paddingRight)
      const text = field instanceof HTMLSelectElement ? (field.selectedOptions[0]?.text ?? "") : field.placeholder
      if (widthOf(text, style) > room + slack) tell(text, nameOf(field))
    }

    const current = document.querySelector("nav .sections [aria-current]")?.getBoundingClientRect()
    if (current !== undefined && (current.left < 0 || current.right > windowWidth)) tell("section", "window")
    for (const details of closed) details.open = false
    return [...new Set(found)]
  }, state)

/** Numbers in the form of programs: digits in a row that are to be grouped, and a point before fractions. */
const plainNumbers = (page: Page, language: string) =>
  page.evaluate((language) => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const found: Array<string> = []
    for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
      const element = node.parentElement
      // What third parties wrote, dates, addresses and code.
      if (element === null || element.closest("bdi, code, pre, time, script, option, [lang]:not(html)") !== null)
        continue
      const isPlain = language === "en" ? /\d{5,}|\d,\d(?!\d\d)/u : /\d{5,}|\d\.\d(?!\d\d)/u
      // Spanish has no separator in numbers of four digits.
      const isUngrouped = language === "es" ? /^$/u : /(?<![\d-])[1-9]\d{3}[.,]\d/u
      const text = (node.textContent ?? "").replaceAll(/\d{1,2}\.\d{1,2}\.\d{4}/gu, "")
      if (isPlain.test(text) || isUngrouped.test(text)) found.push(text.trim())
    }
    return found
  }, language)

const services = Layer.merge(Browser.layer, Layer.provideMerge(Catalogs.demo("tiny"), Site.layer()))

/** A customer with tracked stores, calls, keys and saved searches, and an operator; each with the addresses of their pages. */
const visitors = Effect.gen(function* () {
  const site = yield* Site
  const accounts = yield* Accounts
  const saved = yield* SavedSearches
  const boards = yield* Boards
  const customer = yield* site.account({ email: "ada.lovelace@analytical-engines.test" })
  const { id } = yield* accounts.find(customer.email)
  const { caller, key } = yield* RecordedCalls.keyOf(customer.email, "Nightly research job of the marketing department")
  const tools = ["search_ads", "search_products", "list_filter_options", "compare_markets", "get_usage"] as const
  yield* RecordedCalls.record(
    caller,
    Array.from({ length: 40 }, (_, index) => ({
      tool: tools[index % tools.length] ?? "search_ads",
      outcome: index % 7 === 3 ? ("plan_upgrade_required" as const) : ("ok" as const),
      agoMillis: index * 3_600_000,
      durationMillis: 12 + index * 331
    }))
  )
  const filters = "countries=DE&countries=US&languages=English&monthly_revenue.min=12345.5&monthly_visits.max=9000000"
  yield* saved.save(id, {
    subject: "ads",
    query: filters,
    mark: 0,
    name: "Running ads of large stores in two countries"
  })
  const board = yield* boards.create(id, "Running ads of large stores in two countries")
  for (const kind of ["ad", "product", "store"] as const) yield* boards.keep(id, { kind, id: 1 }, { boardId: board })
  yield* boards.create(id, "Another")
  yield* accounts.grant(customer.email, 123_456, undefined)
  const visitor = yield* SiteVisitor.signedIn(customer)
  for (const shop of [1, 2, 3]) yield* visitor.submit(`/dashboard/shops/${shop}/track`, {})
  const starter = yield* SiteVisitor.signedIn(yield* site.account({ plan: "starter" }))
  const boss = yield* site.account({ email: "operator@discovery.test" })
  yield* accounts.setRole(boss.email, "operator")
  const operator = yield* SiteVisitor.withPasskey(boss)
  const one = `/dashboard/operator/accounts/${id}`
  const app = yield* Consent.app({ name: "Research helper of the marketing department" })
  const consent = Consent.request(app.id)
  return [
    {
      visitor,
      paths: [
        "/dashboard",
        "/dashboard/ads",
        `/dashboard/ads?${filters}`,
        "/dashboard/ads?active_days.min=100000.5&color=red&page=21",
        "/dashboard/products",
        "/dashboard/products?query=nothing+at+all+of+this+kind&price.max=12345.5",
        "/dashboard/shops",
        "/dashboard/shops?sort_by=revenue&per_page=25",
        ...[1, 2, 3].map((shop) => `/dashboard/shops/${shop}`),
        ...["niche", "country", "app", "language", "social_network", "currency"].map(
          (group) => `/dashboard/market?group_by=${group}&limit=50`
        ),
        "/dashboard/searches",
        "/dashboard/boards",
        `/dashboard/boards/${board}`,
        `/dashboard/boards/${board}/delete`,
        "/dashboard/compare?shop_ids=1,2,3,4,5",
        "/dashboard/integrations",
        `/dashboard/integrations/keys/${key.id}/replace`,
        `/dashboard/integrations/keys/${key.id}/revoke`,
        "/dashboard/usage",
        "/dashboard/account",
        "/dashboard/account/password",
        "/dashboard/account/email",
        "/dashboard/account/close",
        "/plans",
        "/dashboard/nowhere",
        consent,
        `${consent}&scope=none&response_type=token`,
        "/authorize"
      ]
    },
    {
      visitor: starter,
      paths: ["/dashboard", "/dashboard/ads", "/dashboard/integrations", "/dashboard/usage", consent]
    },
    {
      visitor: operator,
      paths: ["/dashboard/operator", one, `${one}/plan?to=pro`, `${one}/status?to=unpaid`, "/dashboard/account"]
    },
    {
      visitor: undefined,
      paths: [
        "/sign-in",
        "/sign-up",
        "/sign-up?done=sent&email=ada.lovelace@analytical-engines.test",
        "/reset-password",
        "/plans"
      ]
    }
  ]
}).pipe(Effect.orDie)

describe.skipIf(!isAvailable())("in a browser", () => {
  layer(services, { excludeTestServices: true })((it) => {
    it.effect(
      "D51 D52 no text of any page is cut in any language at any width, and numbers have the form of the language",
      () =>
        Effect.gen(function* () {
          const problems: Array<string> = []
          for (const { paths, visitor } of yield* visitors) {
            const page = yield* (yield* Browser).open()
            if (visitor !== undefined) yield* enterAs(page, visitor)
            for (const language of languages) {
              yield* Effect.promise(() => page.setExtraHTTPHeaders({ "accept-language": language }))
              for (const path of paths) {
                yield* goTo(page, path)
                const numbers = yield* Effect.promise(() => plainNumbers(page, language))
                problems.push(...numbers.map((text) => `${language} ${path}: ${text}`))
                for (const width of widths) {
                  yield* Effect.promise(() => page.setViewportSize({ width, height: 800 }))
                  yield* picture(page, `language-${language}-${width}${path.replaceAll(/\W+/gu, "-").slice(-120)}`)
                  // One size serves both, because another one costs as much as looking for what is cut.
                  for (const state of ["closed", "open"] as const) {
                    const cut = yield* Effect.promise(() => cutTexts(page, state))
                    problems.push(...cut.map((text) => `${language} ${width} ${state} ${path}: ${text}`))
                  }
                }
              }
            }
          }
          assert.deepStrictEqual(problems, [])
        }),
      1_200_000
    )
  })
})
