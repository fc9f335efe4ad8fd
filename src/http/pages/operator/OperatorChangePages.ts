/** `/dashboard/operator/accounts/:id/plan` and `.../status` (D54): a confirmation, then the change. */
import { Effect, Layer, Schema } from "effect"
import { Plan, SubscriptionStatus } from "../../../domain/access/Account.ts"
import { titles } from "../../../domain/access/Plan.ts"
import { AccountDirectory } from "../../../services/accounts/AccountDirectory.ts"
import type { AccountEntry } from "../../../services/accounts/AccountDirectory.ts"
import { Accounts } from "../../../services/accounts/Accounts.ts"
import type { AccountNotFound, AccountRecord } from "../../../services/accounts/AccountRecord.ts"
import type { ChangedMeanwhile, Decision } from "../../../services/accounts/Accounts.ts"
import type { AccountId } from "../../../domain/access/Account.ts"
import type { MessageKey } from "../../../domain/Messages.ts"
import type { ServiceUnavailable } from "../../../domain/ToolError.ts"
import { confirmForm } from "../shared/ButtonForm.ts"
import { withDone } from "../shared/FlashNotice.ts"
import { PageNotFound } from "../shared/ErrorPage.ts"
import { html } from "../shared/Html.ts"
import { Layout } from "../shared/Layout.ts"
import type { Locale } from "../shared/Locale.ts"
import { accountPath, changePath } from "./OperatorAccountPage.ts"
import { PageRoutes, reads, seeOther } from "../shared/PageRoutes.ts"
import { pathId } from "../shared/PathId.ts"
import type { SignedIn } from "../shared/Visitors.ts"

/** The properties of an account that an operator may change. */
interface Changeable<A extends string> {
  readonly what: "plan" | "status"
  readonly schema: Schema.ConstraintDecoder<A>
  readonly of: (account: AccountEntry) => A
  readonly nameOf: (value: A, locale: Locale) => string
  readonly heading: MessageKey
  readonly effect: (to: A) => MessageKey
  readonly submit: MessageKey
  readonly set: (
    id: AccountId,
    to: A,
    decision: Decision<A>
  ) => Effect.Effect<AccountRecord, AccountNotFound | ChangedMeanwhile | ServiceUnavailable>
}

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const routes = yield* PageRoutes
    const accounts = yield* Accounts
    const directory = yield* AccountDirectory
    const { page } = yield* Layout

    /** The account was changed after the page was displayed, and is not what the form asks for. */
    const meanwhile = (visitor: SignedIn, id: number) => {
      const { text } = visitor.locale
      return page({
        status: 409,
        heading: text("operatorChange.meanwhile.heading"),
        account: visitor,
        section: "operator",
        body: html`<p>${text("operatorChange.meanwhile.said")}</p>
          <p><a href="${accountPath(id)}">${text("operatorChange.meanwhile.toAccount")}</a></p>`
      })
    }

    const addChange = Effect.fnUntraced(function* <A extends string>(kind: Changeable<A>) {
      const { effect, heading, nameOf, of, schema, set, submit, what } = kind

      const confirmation = (visitor: SignedIn, account: AccountEntry, to: A) => {
        const { locale } = visitor
        const { text } = locale
        const from = of(account)
        return page({
          heading: text(heading),
          account: visitor,
          section: "operator",
          body: html`
            <dl>
              <dt>${text("operator.email")}</dt>
              <dd>${account.email}</dd>
              <dt>${text("operatorChange.from")}</dt>
              <dd>${nameOf(from, locale)}</dd>
              <dt>${text("operatorChange.to")}</dt>
              <dd><strong>${nameOf(to, locale)}</strong></dd>
            </dl>
            <p>${text(effect(to))}</p>
            ${confirmForm(visitor, {
              action: changePath(account.id, what),
              label: text(submit),
              back: { href: accountPath(account.id), label: text("operatorChange.cancel") },
              hidden: { from, to }
            })}
          `
        })
      }

      yield* routes.operatorPage(
        changePath(":id", what),
        reads(Schema.Struct({ to: schema }), (visitor, { to }) =>
          Effect.gen(function* () {
            const account = yield* directory.find(yield* pathId)
            // Nothing would change.
            return of(account) === to ? seeOther(accountPath(account.id)) : confirmation(visitor, account, to)
          }).pipe(Effect.catchTag("AccountNotFound", () => Effect.fail(new PageNotFound())))
        )
      )

      yield* routes.operatorForm(
        changePath(":id", what),
        Schema.Struct({ from: schema, to: schema }),
        ({ from, to }, visitor) =>
          Effect.gen(function* () {
            const { id } = yield* directory.find(yield* pathId)
            const done = seeOther(withDone(accountPath(id), what))
            return yield* set(id, to, { by: visitor.session.accountId, from }).pipe(
              Effect.as(done),
              // It may be as asked for already, by an earlier click.
              Effect.catchTag("ChangedMeanwhile", () =>
                Effect.map(directory.find(id), (now) => (of(now) === to ? done : meanwhile(visitor, id)))
              )
            )
          }).pipe(Effect.catchTag("AccountNotFound", () => Effect.fail(new PageNotFound())))
      )
    })

    yield* addChange<Plan>({
      what: "plan",
      schema: Plan,
      of: ({ plan }) => plan,
      nameOf: (plan) => titles[plan],
      heading: "operatorChange.plan",
      effect: (plan) => `operatorChange.toPlan.${plan}`,
      submit: "operatorChange.doPlan",
      set: (id, to, decision) => accounts.setPlan(id, to, decision)
    })

    yield* addChange<SubscriptionStatus>({
      what: "status",
      schema: SubscriptionStatus,
      of: ({ status }) => status,
      nameOf: (status, { text }) => text(`subscription.statuses.${status}`),
      heading: "operatorChange.status",
      effect: (status) => `operatorChange.toStatus.${status}`,
      submit: "operatorChange.doStatus",
      set: (id, to, decision) => accounts.setStatus(id, to, decision)
    })
  })
)
