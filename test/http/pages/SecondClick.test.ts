/**
 * A second click: every form of the pages, sent twice. The second time no page claims that nothing was changed although the first
 * time changed something, or that what was right is wrong, and none fails. Where it can be known, the page says what is so.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AccountLinks } from "../../../src/services/accounts/AccountLinks.ts"
import { Accounts } from "../../../src/services/accounts/Accounts.ts"
import { ApiKeys } from "../../../src/services/credentials/ApiKeys.ts"
import { Passkeys } from "../../../src/services/sessions/passkeys/Passkeys.ts"
import { Boards } from "../../../src/services/accounts/Boards.ts"
import { SavedSearches } from "../../../src/services/accounts/SavedSearches.ts"
import { Sessions } from "../../../src/services/sessions/Sessions.ts"
import { ConnectedApps } from "../../../src/services/oauth/ConnectedApps.ts"
import { Webhooks } from "../../../src/services/webhooks/Webhooks.ts"
import { Authenticator } from "../../support/Authenticator.ts"
import * as Catalogs from "../../support/Catalogs.ts"
import * as Consent from "../../support/Consent.ts"
import * as HostileRoutes from "../../support/HostileRoutes.ts"
import * as Integrations from "../../support/Integrations.ts"
import { linkOf, MailServer } from "../../support/MailServer.ts"
import { Site } from "../../support/Site.ts"
import type { Answer } from "../../support/Site.ts"
import * as SiteVisitor from "../../support/SiteVisitor.ts"
import { StripeDouble } from "../../support/StripeDouble.ts"

const services = Layer.unwrap(
  Effect.gen(function* () {
    const { settings } = yield* StripeDouble
    const { url } = yield* MailServer
    const config = {
      ...settings,
      ...Consent.config,
      smtpUrl: Option.some(url),
      rateLimitPerMinute: 0,
      pageViewsPerDay: 0
    }
    return Catalogs.demo("tiny").pipe(Layer.provideMerge(Site.layer({ config })))
  })
).pipe(Layer.provideMerge(Layer.merge(StripeDouble.layer, MailServer.layer)))

const password = "nine green whales"
const next = "seven blue otters"
const account = "/dashboard/account"
const integrations = "/dashboard/integrations"
const searches = "/dashboard/searches"
const boardsPath = "/dashboard/boards"

interface Form {
  readonly visitor: SiteVisitor.SiteVisitor
  readonly path: string
  readonly fields: Readonly<Record<string, string>>
}

interface Case {
  /** What the second answer says or where it leads: its addresses and the text of its last page. */
  readonly said: RegExp
  readonly open: Effect.Effect<Form, unknown, unknown>
  /** Before the second click, in the browser that has the answer of the first. */
  readonly meanwhile?: (form: Form) => Effect.Effect<unknown>
}

const firstId = Schema.decodeUnknownEffect(Schema.Struct({ id: Schema.Int }))
const idOf = (rows: ReadonlyArray<unknown>) => Effect.map(firstId(rows[0]), ({ id }) => id)

let people = 0
const newEmail = () => `clicks${++people}@discovery.test`

/** The visitor with a client address of its own, by which mails and attempts are counted. */
const elsewhere = (visitor: SiteVisitor.SiteVisitor): SiteVisitor.SiteVisitor => {
  const address = SiteVisitor.ownAddress()
  return { ...visitor, submit: (path, fields, headers) => visitor.submit(path, fields, { ...address, ...headers }) }
}

const owner = Effect.gen(function* () {
  const who = yield* (yield* Site).account()
  const { id } = yield* (yield* Accounts).find(who.email)
  return { ...who, id, visitor: elsewhere(yield* SiteVisitor.signedIn(who)) }
})

const guest = Effect.gen(function* () {
  const visitor = yield* SiteVisitor.make
  yield* visitor.get("/sign-in")
  return elsewhere(visitor)
})

const withPasskey = Effect.gen(function* () {
  const mine = yield* owner
  return { ...mine, authenticator: yield* SiteVisitor.addPasskey(mine.visitor) }
})

/** What a passkey answers to the challenge of the form at `path`. */
const answered = (visitor: SiteVisitor.SiteVisitor, authenticator: Authenticator, path: string) =>
  Effect.map(visitor.submit(`${path}/challenge`, {}), ({ text }) => authenticator.answer(text))

const withStep = Effect.gen(function* () {
  const mine = yield* withPasskey
  const path = `${account}/second-step/on`
  const credential = yield* answered(mine.visitor, mine.authenticator, path)
  const { text } = yield* mine.visitor.submit(path, { credential })
  const [code = ""] = /[0-9a-z]{4}(?:-[0-9a-z]{4}){5}/u.exec(text) ?? []
  return { ...mine, code }
})

/** A browser in which the password was right, and the second step is to come. */
const halfSignedIn = Effect.gen(function* () {
  const mine = yield* withStep
  const visitor = yield* guest
  yield* visitor.submit("/sign-in", { email: mine.email, password })
  yield* visitor.get("/sign-in/second-step")
  return { ...mine, visitor }
})

const operator = Effect.gen(function* () {
  const who = yield* (yield* Site).account()
  yield* (yield* Accounts).setRole(who.email, "operator")
  const other = yield* (yield* Site).account()
  const { id } = yield* (yield* Accounts).find(other.email)
  return { id, visitor: yield* SiteVisitor.withPasskey(who) }
})

/** The form of the page that a mail leads to. */
const byMail = Effect.fnUntraced(function* (visitor: SiteVisitor.SiteVisitor, email: string, path: string, before = 0) {
  const link = linkOf(yield* (yield* MailServer).mailTo(email, before))
  const { text } = yield* visitor.get(link)
  return { visitor, path, fields: Consent.fieldsOf(text, path) }
})

const ownForm = (path: string, fields: Form["fields"] = {}) =>
  Effect.map(owner, ({ visitor }) => ({ visitor, path, fields }))

const saved = Effect.gen(function* () {
  const { id, visitor } = yield* owner
  const kept = yield* SavedSearches
  yield* kept.save(id, { subject: "ads", query: "query=lamp", name: "Lamps", mark: 0 })
  return { visitor, path: `${searches}/${yield* idOf((yield* kept.page(id, 1)).searches)}` }
})

const webhook = `${integrations}/webhook`

const hooked = Effect.gen(function* () {
  const { id, visitor } = yield* owner
  yield* Effect.flatMap(Webhooks, (webhooks) => webhooks.set(id, "https://hooks.discovery.test/changes"))
  return visitor
})

const onBoard = Effect.gen(function* () {
  const { id, visitor } = yield* owner
  const boards = yield* Boards
  const board = yield* boards.keep(id, { kind: "store", id: 1 }, { newName: "Board" })
  const sql = yield* SqlClient.SqlClient
  const item = yield* idOf(yield* sql`SELECT id FROM kept_item WHERE board_id = ${board}`)
  return { visitor, board, path: `${boardsPath}/${board}`, item: `${boardsPath}/items/${item}` }
})

const key = Effect.gen(function* () {
  const { id, visitor } = yield* owner
  const made = yield* (yield* ApiKeys).create(id, "a key")
  return { visitor, path: `${integrations}/keys/${made.key.id}` }
})

const signIn =
  (word: string) =>
  ({ fields, visitor }: Form) =>
    Effect.gen(function* () {
      yield* visitor.get("/sign-in")
      const answer = yield* visitor.submit("/sign-in", {
        email: emails.get(fields["token"] ?? "") ?? "",
        password: word
      })
      assert.strictEqual(answer.headers.get("location"), "/dashboard")
    })

/** By the token of the mail. */
const emails = new Map<string, string>()

const cases = {
  "/sign-in": {
    said: /^\/dashboard /u,
    open: Effect.gen(function* () {
      const { email } = yield* (yield* Site).account()
      return { visitor: yield* guest, path: "/sign-in", fields: { email, password } }
    })
  },
  "/sign-in/passkey": {
    said: /^\/dashboard |sent twice/u,
    open: Effect.gen(function* () {
      const { authenticator } = yield* withPasskey
      const visitor = yield* guest
      const credential = yield* answered(visitor, authenticator, "/sign-in/passkey")
      return { visitor, path: "/sign-in/passkey", fields: { credential } }
    })
  },
  "/sign-in/second-step": {
    said: /^\/dashboard |complete already/u,
    open: Effect.map(halfSignedIn, ({ code, visitor }) => ({ visitor, path: "/sign-in/second-step", fields: { code } }))
  },
  "/sign-in/second-step/passkey": {
    said: /^\/dashboard |complete already/u,
    open: Effect.gen(function* () {
      const { authenticator, visitor } = yield* halfSignedIn
      const path = "/sign-in/second-step/passkey"
      return { visitor, path, fields: { credential: yield* answered(visitor, authenticator, path) } }
    })
  },
  "/sign-out": { said: /^\/sign-in /u, open: ownForm("/sign-out") },
  "/sign-up": {
    said: /^\/sign-up\?done=sent&email=/u,
    open: Effect.map(guest, (visitor) => ({ visitor, path: "/sign-up", fields: { email: newEmail(), password } }))
  },
  "/sign-up/confirm": {
    said: /Your account was created with this link/u,
    open: Effect.gen(function* () {
      const [visitor, email] = [yield* guest, newEmail()]
      yield* visitor.submit("/sign-up", { email, password })
      const form = yield* byMail(visitor, email, "/sign-up/confirm")
      emails.set(form.fields["token"] ?? "", email)
      return form
    }),
    meanwhile: signIn(password)
  },
  "/reset-password": {
    said: /^\/reset-password\?done=sent&email=/u,
    open: Effect.gen(function* () {
      const { email } = yield* (yield* Site).account()
      return { visitor: yield* guest, path: "/reset-password", fields: { email } }
    })
  },
  "/reset-password/new": {
    said: /A new password was set with this link/u,
    open: Effect.gen(function* () {
      const { email } = yield* (yield* Site).account()
      const visitor = yield* guest
      yield* visitor.submit("/reset-password", { email })
      const form = yield* byMail(visitor, email, "/reset-password/new")
      emails.set(form.fields["token"] ?? "", email)
      return { ...form, fields: { ...form.fields, next, again: next } }
    }),
    meanwhile: signIn(next)
  },
  "/dashboard/integrations": {
    said: /This key has already been created/u,
    open: Effect.gen(function* () {
      const { visitor } = yield* owner
      const { text } = yield* visitor.get(integrations)
      return { visitor, path: integrations, fields: { ...Consent.fieldsOf(text, integrations), name: "CI" } }
    })
  },
  "/dashboard/integrations/keys/:id/replace": {
    said: /This key has already been created/u,
    open: Effect.gen(function* () {
      const { path, visitor } = yield* key
      const { text } = yield* visitor.get(`${path}/replace`)
      const fields = { ...Consent.fieldsOf(text, `${path}/replace`), name: "CI", ends: "in_24_hours" }
      return { visitor, path: `${path}/replace`, fields }
    })
  },
  "/dashboard/integrations/keys/:id/revoke": {
    said: /This no longer exists/u,
    open: Effect.map(key, ({ path, visitor }) => ({ visitor, path: `${path}/revoke`, fields: {} }))
  },
  "/dashboard/integrations/apps/:id/revoke": {
    said: /This no longer exists/u,
    open: Effect.gen(function* () {
      const { id, visitor } = yield* owner
      yield* Integrations.connect(id, { name: "An app" })
      const app = yield* idOf(yield* (yield* ConnectedApps).list(id))
      return { visitor, path: `${integrations}/apps/${app}/revoke`, fields: {} }
    })
  },
  "/dashboard/searches": {
    said: /^\/dashboard\/ads\?query=lamp .*Saved as Lamps/u,
    open: ownForm(searches, { subject: "ads", query: "query=lamp", name: "Lamps", mark: "0" })
  },
  "/dashboard/searches/:id/rename": {
    said: /The search has been renamed/u,
    open: Effect.map(saved, ({ path, visitor }) => ({ visitor, path: `${path}/rename`, fields: { name: "Lights" } }))
  },
  "/dashboard/integrations/webhook": {
    said: /The address has been saved/u,
    open: Effect.map(owner, ({ visitor }) => ({
      visitor,
      path: webhook,
      fields: { url: "https://hooks.discovery.test/changes" }
    }))
  },
  "/dashboard/integrations/webhook/secret": {
    said: /Copy the secret now/u,
    open: Effect.map(hooked, (visitor) => ({ visitor, path: `${webhook}/secret`, fields: {} }))
  },
  "/dashboard/integrations/webhook/remove": {
    said: /The webhook has been removed/u,
    open: Effect.map(hooked, (visitor) => ({ visitor, path: `${webhook}/remove`, fields: {} }))
  },
  "/dashboard/searches/:id/alert": {
    said: /The alert has been changed/u,
    open: Effect.map(saved, ({ path, visitor }) => ({ visitor, path: `${path}/alert`, fields: { alert: "daily" } }))
  },
  "/alerts/unsubscribe": {
    said: /Alerts are off|is not valid/u,
    open: Effect.gen(function* () {
      const { id, visitor } = yield* owner
      const token = yield* Effect.flatMap(AccountLinks, (links) => links.unsubscribe(id))
      return { visitor, path: `/alerts/unsubscribe?token=${Redacted.value(token)}`, fields: {} }
    })
  },
  "/dashboard/searches/:id/remove": {
    said: /The search has been removed/u,
    open: Effect.map(saved, ({ path, visitor }) => ({ visitor, path: `${path}/remove`, fields: {} }))
  },
  "/dashboard/boards": {
    said: /^\/dashboard\/boards\/\d+\?done=created .*The board was created/u,
    open: ownForm(boardsPath, { name: "Board" })
  },
  "/dashboard/boards/:id/rename": {
    said: /The board was renamed/u,
    open: Effect.map(onBoard, ({ path, visitor }) => ({ visitor, path: `${path}/rename`, fields: { name: "Lights" } }))
  },
  "/dashboard/boards/:id/delete": {
    said: /The board was deleted/u,
    open: Effect.map(onBoard, ({ path, visitor }) => ({ visitor, path: `${path}/delete`, fields: {} }))
  },
  "/dashboard/boards/:id/remove-gone": {
    said: /It was removed from the board/u,
    open: Effect.map(onBoard, ({ path, visitor }) => ({ visitor, path: `${path}/remove-gone`, fields: {} }))
  },
  "/dashboard/boards/keep": {
    said: /^\/dashboard\/shops\/1#kept-store-1 .*Kept on Board/u,
    open: Effect.map(onBoard, ({ board, visitor }) => ({
      visitor,
      path: `${boardsPath}/keep`,
      fields: { item: "store:1", board: String(board), return_to: "/dashboard/shops/1" }
    }))
  },
  "/dashboard/boards/items/:id/note": {
    said: /The note was saved.*Soon/u,
    open: Effect.map(onBoard, ({ item, visitor }) => ({ visitor, path: `${item}/note`, fields: { note: "Soon" } }))
  },
  "/dashboard/boards/items/:id/remove": {
    said: /It was removed from the board/u,
    open: Effect.map(onBoard, ({ board, item, visitor }) => ({
      visitor,
      path: `${item}/remove`,
      fields: { board: String(board), page: "1" }
    }))
  },
  "/dashboard/shops/:id/track": {
    said: /done=tracked .*You track this store/u,
    open: ownForm("/dashboard/shops/1/track")
  },
  "/dashboard/shops/:id/untrack": {
    said: /done=untracked .*You no longer track this store/u,
    open: Effect.tap(ownForm("/dashboard/shops/1/untrack"), ({ visitor }) =>
      visitor.submit("/dashboard/shops/1/track", {})
    )
  },
  "/dashboard/account/password": {
    said: /may have changed your password|check whether it went through/u,
    open: ownForm(`${account}/password`, { current: password, next, again: next })
  },
  "/dashboard/account/email": {
    said: /done=email-asked /u,
    open: Effect.map(ownForm(`${account}/email`), (form) => ({
      ...form,
      fields: { email: newEmail(), current: password }
    }))
  },
  "/dashboard/account/email/confirm": {
    said: /The address was confirmed with this link/u,
    open: Effect.gen(function* () {
      const [{ visitor }, email] = [yield* owner, newEmail()]
      yield* visitor.submit(`${account}/email`, { email, current: password })
      return yield* byMail(visitor, email, `${account}/email/confirm`)
    })
  },
  "/dashboard/account/close": {
    said: /may have closed your account/u,
    open: ownForm(`${account}/close`, { current: password })
  },
  "/dashboard/account/confirm": { said: /^\/dashboard\/account#/u, open: ownForm(`${account}/confirm`, { password }) },
  "/dashboard/account/confirm/passkey": {
    said: /sent twice\. If it did not go through, try again/u,
    open: Effect.gen(function* () {
      const { authenticator, visitor } = yield* withPasskey
      const path = `${account}/confirm/passkey`
      return { visitor, path, fields: { credential: yield* answered(visitor, authenticator, path) } }
    })
  },
  "/dashboard/account/passkeys": {
    said: /sent twice\. If it did not go through, try again/u,
    open: Effect.gen(function* () {
      const { visitor } = yield* owner
      const path = `${account}/passkeys`
      const { text } = yield* visitor.submit(`${path}/challenge`, {})
      const credential = new Authenticator((yield* Site).url).create(text)
      return { visitor, path, fields: { name: "a key", credential } }
    })
  },
  "/dashboard/account/passkeys/:id/remove": {
    said: /The passkey is removed/u,
    open: Effect.gen(function* () {
      const { id, visitor } = yield* withPasskey
      const passkey = yield* idOf(yield* (yield* Passkeys).list(id))
      return { visitor, path: `${account}/passkeys/${passkey}/remove`, fields: {} }
    })
  },
  "/dashboard/account/second-step/on": {
    said: /sent twice\. If it did not go through, try again/u,
    open: Effect.gen(function* () {
      const { authenticator, visitor } = yield* withPasskey
      const path = `${account}/second-step/on`
      return { visitor, path, fields: { credential: yield* answered(visitor, authenticator, path) } }
    })
  },
  "/dashboard/account/second-step/off": {
    said: /Two-step verification is off/u,
    open: Effect.map(withStep, ({ visitor }) => ({ visitor, path: `${account}/second-step/off`, fields: {} }))
  },
  "/dashboard/account/second-step/codes": {
    said: /Your recovery codes/u,
    open: Effect.map(withStep, ({ visitor }) => ({ visitor, path: `${account}/second-step/codes`, fields: {} }))
  },
  "/dashboard/account/sessions/:id/end": {
    said: /done=session-ended /u,
    open: Effect.gen(function* () {
      const mine = yield* owner
      yield* SiteVisitor.signedIn(mine)
      const session = yield* idOf(yield* (yield* Sessions).list(mine.id))
      return { visitor: mine.visitor, path: `${account}/sessions/${session}/end`, fields: {} }
    })
  },
  "/dashboard/account/sessions/end-others": {
    said: /done=others-ended /u,
    open: ownForm(`${account}/sessions/end-others`)
  },
  "/dashboard/billing/checkout": {
    said: /\/c\/pay\/cs_/u,
    open: ownForm("/dashboard/billing/checkout", { plan: "pro" })
  },
  "/dashboard/billing/portal": {
    said: /^http:\S+\/p\/bps_/u,
    open: Effect.tap(ownForm("/dashboard/billing/portal"), ({ visitor }) =>
      visitor.submit("/dashboard/billing/checkout", { plan: "pro" })
    )
  },
  "/authorize/decision": {
    said: /Continue/u,
    open: Effect.gen(function* () {
      const { visitor } = yield* owner
      const { text } = yield* visitor.get(Consent.request((yield* Consent.app()).id))
      const path = "/authorize/decision"
      return { visitor, path, fields: { ...Consent.fieldsOf(text, path), decision: "allow" } }
    })
  },
  "/dashboard/operator/accounts/:id/plan": {
    said: /The plan is changed/u,
    open: Effect.map(operator, ({ id, visitor }) => ({
      visitor,
      path: `/dashboard/operator/accounts/${id}/plan`,
      fields: { from: "growth", to: "pro" }
    }))
  },
  "/dashboard/operator/accounts/:id/status": {
    said: /The status is changed/u,
    open: Effect.map(operator, ({ id, visitor }) => ({
      visitor,
      path: `/dashboard/operator/accounts/${id}/status`,
      fields: { from: "active", to: "unpaid" }
    }))
  }
} satisfies Readonly<Record<string, Case>>

/** Forms that change nothing. */
const without: ReadonlySet<string> = new Set(["/dashboard/:place/*", "/authorize"])

/** What none of the second answers may say. */
const untrue = /nothing (?:was|is) \w+|is wrong|is not your|no such page|mistyped/iu

/** The addresses that an answer leads to, and the text of the page at their end. */
const ending = Effect.fnUntraced(function* (visitor: SiteVisitor.SiteVisitor, answer: Answer) {
  const addresses: Array<string> = []
  let last = answer
  for (let to = last.headers.get("location"); to !== null && addresses.length < 5; to = last.headers.get("location")) {
    addresses.push(to)
    if (!to.startsWith("/")) break
    last = yield* visitor.get(to)
  }
  assert.isBelow(last.status, 500)
  return `${addresses.join(" ")} ${Consent.textOf(last.text)}`
})

layer(services, { excludeTestServices: true })("a second click on", (it) => {
  it.effect("every form is tried", () =>
    Effect.sync(() => {
      const { guest: guests, operator: operators, signedIn } = HostileRoutes.formRoutes
      const forms = [...guests, ...signedIn, ...operators]
        .map(({ route }): string => route)
        // These give a challenge to a script.
        .filter((route) => !route.endsWith("/challenge") && !without.has(route))
      assert.sameMembers(Object.keys(cases), forms)
    })
  )

  it.effect.each(Object.entries(cases))("%s says what is so", ([route, each]) =>
    Effect.gen(function* () {
      const { said, ...rest } = each
      const first = Effect.gen(function* () {
        const form = yield* each.open
        const { fields, path, visitor } = form
        const sent = { ...fields, form_token: visitor.token() }
        return { form, visitor, before: new Map(visitor.cookies), send: visitor.submit(path, sent) }
      })
      const check = (visitor: SiteVisitor.SiteVisitor, answer: Answer, how: string) =>
        Effect.map(ending(visitor, answer), (text) => {
          assert.isBelow(answer.status, 500, `${route}, ${how}`)
          assert.notMatch(text, untrue, how)
          return text
        })

      // The browser has not got the answer of the first, nor its cookies.
      const old = yield* first
      assert.isBelow((yield* old.send).status, 400)
      old.visitor.cookies.clear()
      for (const [name, cookie] of old.before) old.visitor.cookies.set(name, cookie)
      assert.match(yield* check(old.visitor, yield* old.send, "without the answer"), said)

      // The browser has it, and its user has gone back.
      const back = yield* first
      assert.isBelow((yield* back.send).status, 400)
      if ("meanwhile" in rest) yield* rest.meanwhile(back.form)
      assert.match(yield* check(back.visitor, yield* back.send, "after going back"), said)

      const both = yield* first
      for (const answer of yield* Effect.all([both.send, both.send], { concurrency: "unbounded" }))
        yield* check(both.visitor, answer, "at the same time")
    }).pipe(Effect.orDie)
  )
})
