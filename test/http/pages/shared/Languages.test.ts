/** The pages speak the visitor's language: each of them, in all of its states. */
import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { AccountLinks } from "../../../../src/services/accounts/AccountLinks.ts"
import { Accounts } from "../../../../src/services/accounts/Accounts.ts"
import { ApiKeys } from "../../../../src/services/credentials/ApiKeys.ts"
import { Boards } from "../../../../src/services/accounts/Boards.ts"
import { SavedSearches } from "../../../../src/services/accounts/SavedSearches.ts"
import { languages } from "../../../../src/domain/Messages.ts"
import { Site } from "../../../support/Site.ts"
import type { Answer } from "../../../support/Site.ts"
import * as SiteVisitor from "../../../support/SiteVisitor.ts"

/** What is the same in all of them: names, addresses, and what somebody wrote. */
const names =
  /Discovery|Growth|Pro|Starter|Credits?|Account|API|Apps?|nightly job|Safari|Firefox|Linux|English|Deutsch|Français|Español|Claude Code|Claude|ChatGPT|Cursor|VS Code|Trustpilot|NDJSON/gu

/** Words of English that are another language's as well. */
const shared = new Set([
  "Plan",
  "Niche",
  "Pixel",
  "Theme",
  "Name",
  "Video",
  "Webhook",
  "Note",
  "Status",
  "Format",
  "Themes",
  "Niches",
  "Pixels"
])

/** Tokens of forms, which may have any letters. */
const randomValue = /value="[\w-]{22,}"/gu

/** The texts of a page, as people read them. */
const texts = ({ text }: Answer): ReadonlyArray<string> =>
  text
    .replaceAll(/<(script|style|time|code|pre|bdi)\b.*?<\/\1>/gsu, " ")
    // Entries of lists, such as countries: many have the same name everywhere, and values of the catalog always have.
    .replaceAll(/<label\b[^>]*>\s*<input\b[^>]*type="checkbox".*?<\/label>/gsu, " ")
    .split(/<[^>]*>/u)
    .map((part) => part.replaceAll(names, " ").trim())
    .filter((part) => /\p{L}{4}/u.test(part) && !part.includes("@"))

layer(Site.layer(), { excludeTestServices: true })("languages", (it) => {
  /** One page each, by name. */
  const pages = Effect.fnUntraced(function* (language: string) {
    const site = yield* Site
    const accounts = yield* Accounts
    const keys = yield* ApiKeys
    const saved = yield* SavedSearches
    const boards = yield* Boards
    const sql = yield* SqlClient.SqlClient
    const headers = { "accept-language": `${language}-CH,en;q=0.3` }
    const operator = yield* site.account()
    const { id: operatorId } = yield* accounts.setRole(operator.email, "operator")
    const customer = yield* site.account()
    const { id } = yield* accounts.find(customer.email)
    yield* keys.create(id, "nightly job")
    yield* accounts.setPlan(id, "pro")
    yield* accounts.setStatus(id, "unpaid")
    const guest = yield* SiteVisitor.make
    yield* guest.get("/sign-in")
    yield* SiteVisitor.signedIn(customer, { "user-agent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/141.0" })
    const visitor = yield* SiteVisitor.signedIn(customer)
    const starter = yield* SiteVisitor.signedIn(yield* site.account({ plan: "starter" }))
    const boss = yield* SiteVisitor.withPasskey(operator)
    const secured = yield* site.account()
    const keeper = yield* SiteVisitor.signedIn(secured)
    const authenticator = yield* SiteVisitor.addPasskey(keeper)
    const toTurnOn = yield* keeper.submit("/dashboard/account/second-step/on/challenge", {})
    const credential = authenticator.answer(toTurnOn.text)
    const codes = yield* keeper.submit("/dashboard/account/second-step/on", { credential }, headers)
    const half = yield* SiteVisitor.make
    yield* half.get("/sign-in")
    yield* half.submit("/sign-in", secured)
    const password = "/dashboard/account/password"
    const list = "/dashboard/operator"
    const integrations = "/dashboard/integrations"
    const { key } = yield* keys.create(operatorId, "nightly job")
    const links = yield* AccountLinks
    const unsubscribe = `/alerts/unsubscribe?token=${Redacted.value(yield* links.unsubscribe(operatorId))}`
    const search = { subject: "ads", query: "countries=DE" } as const
    const send = (form: Readonly<Record<string, string>>) => visitor.submit(password, form, headers)
    return {
      "sign-in": yield* guest.get("/sign-in?return_to=/authorize?x", headers),
      "sign-in empty": yield* guest.submit("/sign-in", { email: "", password: "" }, headers),
      "sign-in wrong": yield* guest.submit("/sign-in", { email: "a@b.test", password: "x" }, headers),
      "sign-in out of date": yield* guest.submit("/sign-in", { email: "a", password: "x", form_token: "" }, headers),
      "sign-in, confirmed": yield* guest.get("/sign-in?done=confirmed", headers),
      "sign-in, reset": yield* guest.get("/sign-in?done=reset", headers),
      "sign-in, closed": yield* guest.get("/sign-in?done=closed", headers),
      "sign-up": yield* guest.get("/sign-up?return_to=/authorize?x", headers),
      "sign-up empty": yield* guest.submit("/sign-up", { email: "", password: "" }, headers),
      "sign-up wrong": yield* guest.submit("/sign-up", { email: "a", password: "x" }, headers),
      "sign-up weak": yield* guest.submit("/sign-up", { email: "a@b.test", password: "x" }, headers),
      "sign-up out of date": yield* guest.submit("/sign-up", { email: "a", password: "x", form_token: "" }, headers),
      plans: yield* guest.get("/plans", headers),
      "plans, signed in": yield* starter.get("/plans", headers),
      "sign-up sent to": yield* guest.get("/sign-up?done=sent&email=ada@lovelace.test", headers),
      "sign-up sent": yield* guest.get("/sign-up?done=sent", headers),
      "sign-up link over": yield* guest.get("/sign-up/confirm", headers),
      reset: yield* guest.get("/reset-password", headers),
      "reset wrong": yield* guest.submit("/reset-password", { email: "a" }, headers),
      "reset sent": yield* guest.get("/reset-password?done=sent", headers),
      "reset link over": yield* guest.get("/reset-password/new", headers),
      "e-mail address": yield* visitor.get("/dashboard/account/email", headers),
      "e-mail address wrong": yield* visitor.submit("/dashboard/account/email", { email: "a", current: "" }, headers),
      "e-mail address link over": yield* visitor.get("/dashboard/account/email/confirm", headers),
      "account, address asked": yield* visitor.get("/dashboard/account?done=email-asked", headers),
      "account, address changed": yield* visitor.get("/dashboard/account?done=email-changed", headers),
      close: yield* visitor.get("/dashboard/account/close", headers),
      "close empty": yield* visitor.submit("/dashboard/account/close", { current: "" }, headers),
      overview: yield* visitor.get("/dashboard", headers),
      "overview without a subscription": yield* starter.get("/dashboard", headers),
      account: yield* visitor.get("/dashboard/account?done=session-ended", headers),
      "account, another address": yield* visitor.get("/dashboard/account?done=x&color=red", headers),
      "account of one": yield* starter.get("/dashboard/account?done=others-ended", headers),
      password: yield* visitor.get(password, headers),
      "recovery codes": codes,
      "account with a second step": yield* keeper.get("/dashboard/account?done=passkey-added", headers),
      "account with a passkey": yield* boss.get("/dashboard/account?done=step-off", headers),
      "passkey refused": yield* keeper.submit("/dashboard/account/passkeys", { name: "x", credential: "x" }, headers),
      "sign-in with a passkey refused": yield* guest.submit("/sign-in/passkey", { credential: "x" }, headers),
      "second step": yield* half.get("/sign-in/second-step", headers),
      "second step wrong": yield* half.submit("/sign-in/second-step", { code: "x" }, headers),
      confirm: yield* keeper.get("/dashboard/account/confirm", headers),
      "confirm wrong": yield* keeper.submit("/dashboard/account/confirm", { password: "x" }, headers),
      "confirm for operators": yield* boss.get("/dashboard/account/confirm?return_to=/dashboard/operator", headers),
      "password empty": yield* send({ current: "", next: "", again: "x" }),
      "password short": yield* send({ current: "x", next: "short", again: "short" }),
      "password common": yield* send({ current: "x", next: "passwordpassword", again: "passwordpassword" }),
      "password wrong": yield* send({ current: "x", next: "seven blue otters", again: "seven blue otters" }),
      "not found": yield* visitor.get("/dashboard/no/where", headers),
      "not found, to a guest": yield* guest.get("/dashboard/no/where", headers),
      "form unreadable": yield* visitor.submit(password, { x: "y" }, headers),
      "form rejected": yield* visitor.submit("/dashboard/account/sessions/end-others", { form_token: "" }, headers),
      integrations: yield* boss.get(`${integrations}?done=key_revoked`, headers),
      "integrations without a subscription": yield* visitor.get(integrations, headers),
      "integrations, wrong": yield* boss.submit(integrations, { name: "", attempt: "a".repeat(22) }, headers),
      "replace a key": yield* boss.get(`${integrations}/keys/${key.id}/replace`, headers),
      "revoke a key": yield* boss.get(`${integrations}/keys/${key.id}/revoke`, headers),
      "no such key": yield* boss.get(`${integrations}/keys/2147483647/revoke`, headers),
      usage: yield* boss.get("/dashboard/usage", headers),
      "usage without a subscription": yield* visitor.get("/dashboard/usage", headers),
      stores: yield* boss.get("/dashboard/shops", headers),
      "stores, nothing found": yield* boss.get("/dashboard/shops?query=nothing", headers),
      "stores without a subscription": yield* visitor.get("/dashboard/shops", headers),
      ads: yield* boss.get("/dashboard/ads", headers),
      "ads, filtered": yield* boss.get("/dashboard/ads?countries=DE&status=active&active_days.min=3", headers),
      "ads, wrong": yield* boss.get("/dashboard/ads?countries=XX&page=21&active_days.min=-1&color=red", headers),
      "saved searches, none": yield* boss.get("/dashboard/searches?done=removed", headers),
      "save a search": yield* boss.submit("/dashboard/searches", { ...search, mark: "0", name: "" }, headers),
      "ads, saved": yield* Effect.andThen(
        saved.save(operatorId, { ...search, mark: 0, name: "nightly job" }),
        boss.get("/dashboard/ads?countries=DE", headers)
      ),
      "saved searches": yield* boss.get("/dashboard/searches?done=full", headers),
      "alert changed": yield* boss.get("/dashboard/searches?done=alert", headers),
      "no link to turn alerts off": yield* guest.get("/alerts/unsubscribe", headers),
      "turn alerts off": yield* guest.get(unsubscribe, headers),
      "alerts are off": yield* guest.submit(unsubscribe, {}, headers),
      "rename a search": yield* Effect.flatMap(saved.page(operatorId, 1), ({ searches: [only] }) =>
        boss.get(`/dashboard/searches/${only?.id}/rename`, headers)
      ),
      "boards, none": yield* boss.get("/dashboard/boards?done=deleted", headers),
      "board, wrong name": yield* boss.submit("/dashboard/boards", { name: "" }, headers),
      board: yield* Effect.flatMap(boards.create(operatorId, "nightly job"), (board) =>
        Effect.andThen(
          sql`INSERT INTO kept_item (board_id, kind, item_id, note, kept_at) VALUES (${board}, 'ad', 7, '', now())`,
          boss.get(`/dashboard/boards/${board}?done=created`, headers)
        )
      ),
      boards: yield* boss.get("/dashboard/boards?done=full", headers),
      ...(yield* Effect.flatMap(boards.list(operatorId), ([only]) =>
        Effect.all({
          "rename a board": boss.get(`/dashboard/boards/${only?.id}/rename`, headers),
          "delete a board": boss.get(`/dashboard/boards/${only?.id}/delete`, headers)
        })
      )),
      ...(yield* Effect.flatMap(sql<{ readonly id: number }>`SELECT max(id) AS id FROM kept_item`, ([item]) =>
        Effect.all({
          note: boss.get(`/dashboard/boards/items/${item?.id}/note`, headers),
          "note, too long": boss.submit(`/dashboard/boards/items/${item?.id}/note`, { note: "7".repeat(501) }, headers)
        })
      )),
      "compare, none": yield* boss.get("/dashboard/compare", headers),
      "compare, unknown": yield* boss.get("/dashboard/compare?shop_ids=1,2,3,4,5,6", headers),
      "overview with searches": yield* boss.get("/dashboard", headers),
      products: yield* boss.get("/dashboard/products?price.max=3", headers),
      market: yield* boss.get("/dashboard/market?group_by=theme&limit=50", headers),
      "market, wrong": yield* boss.get("/dashboard/market?limit=99", headers),
      operator: yield* boss.get(list, headers),
      "operator, nothing found": yield* boss.get(`${list}?email=nobody-has-this`, headers),
      "operator's account": yield* boss.get(`${list}/accounts/${id}?done=plan`, headers),
      "operator's plan": yield* boss.get(`${list}/accounts/${id}/plan?to=starter`, headers),
      "operator's status": yield* boss.get(`${list}/accounts/${id}/status?to=active`, headers),
      "operator meanwhile": yield* boss.submit(
        `${list}/accounts/${id}/status`,
        { from: "paused", to: "active" },
        headers
      )
    }
  })

  it.effect("D51 no page mixes two, or lacks a text", () =>
    Effect.gen(function* () {
      const english = yield* pages("en")
      const known = new Set(Object.values(english).flatMap(texts))
      assert.isAbove(known.size, 250)
      for (const language of languages) {
        const found: Readonly<Record<string, Answer>> = yield* pages(language)
        for (const [name, answer] of Object.entries(english)) {
          const page = found[name] ?? answer
          const what = `${language} ${name}`
          assert.include(page.text, `<html lang="${language}">`, what)
          assert.include(page.text, 'class="languages"', what)
          assert.strictEqual(page.status, answer.status, what)
          assert.notMatch(page.text.replaceAll(randomValue, ""), /undefined|\[object|NaN|=> /u, what)
          assert.strictEqual(texts(page).length > 0, true, what)
          if (language !== "en") {
            const same = texts(page).filter((text) => known.has(text) && !shared.has(text))
            assert.deepStrictEqual(same, [], what)
          }
        }
      }
    })
  )
})
