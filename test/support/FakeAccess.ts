/** Credentials and credits in memory, for tests of `http`. */
import { issueAt } from "../../src/domain/ArgumentIssue.ts"
import { Clock, Effect, Layer, Option, Redacted, Schema, Stream } from "effect"
import { AccountId } from "../../src/domain/access/Account.ts"
import type { Caller } from "../../src/domain/access/Account.ts"
import { InvalidArguments } from "../../src/domain/ToolError.ts"
import * as ToolErrorMessages from "../../src/domain/ToolErrorMessages.ts"
import type { Activity } from "../../src/domain/access/Activity.ts"
import { ActivityLog } from "../../src/services/credits/ActivityLog.ts"
import { CallHistory } from "../../src/services/credits/CallHistory.ts"
import { AccountClosing } from "../../src/services/accounts/AccountClosing.ts"
import { AccountDirectory } from "../../src/services/accounts/AccountDirectory.ts"
import { Accounts } from "../../src/services/accounts/Accounts.ts"
import { ApiKeys } from "../../src/services/credentials/ApiKeys.ts"
import { Billing } from "../../src/services/billing/Billing.ts"
import { DailyPageViews } from "../../src/services/limits/DailyPageViews.ts"
import { CredentialRejected, CredentialResolver } from "../../src/services/credentials/CredentialResolver.ts"
import { CreditLedger } from "../../src/services/credits/CreditLedger.ts"
import type { Charge, IdempotencyKey } from "../../src/domain/access/Charge.ts"
import { CsrfTokens } from "../../src/services/sessions/CsrfTokens.ts"
import { Alerts } from "../../src/services/alerts/Alerts.ts"
import { Webhooks } from "../../src/services/webhooks/Webhooks.ts"
import { EmailChange } from "../../src/services/accounts/EmailChange.ts"
import { Notices } from "../../src/services/mail/Notices.ts"
import { PasswordChange } from "../../src/services/accounts/PasswordChange.ts"
import { Passkeys } from "../../src/services/sessions/passkeys/Passkeys.ts"
import { PasskeySignIn } from "../../src/services/sessions/passkeys/PasskeySignIn.ts"
import { SecondStep } from "../../src/services/sessions/passkeys/SecondStep.ts"
import { WebAuthn } from "../../src/services/sessions/passkeys/WebAuthn.ts"
import { PasswordReset } from "../../src/services/accounts/PasswordReset.ts"
import { PasswordsBusy } from "../../src/services/sessions/Passwords.ts"
import { Sessions } from "../../src/services/sessions/Sessions.ts"
import { SignIn } from "../../src/services/sessions/SignIn.ts"
import { SignUp } from "../../src/services/accounts/SignUp.ts"
import { Usage } from "../../src/services/credits/Usage.ts"

const billingUrl = "https://discovery.test/billing"

const accountId = Schema.decodeSync(AccountId)

export const caller = (id: number, overrides: Partial<Caller> = {}): Caller => ({
  accountId: accountId(id),
  plan: "growth",
  status: "active",
  credential: { kind: "api_key", id },
  credits: { allowance: 2000, used: 12, periodStart: "2026-01-01", periodEnd: "2026-02-01" },
  ...overrides
})

export const down = () => ToolErrorMessages.unavailable("database", new Error("secret of the database"))

/** Every call goes to `record`; nothing can be read back. */
export const usage = (record: (call: Activity) => void = () => {}): Layer.Layer<ActivityLog | Usage | CallHistory> =>
  Layer.mergeAll(
    Layer.succeed(ActivityLog, { record, write: Effect.void }),
    Layer.mock(Usage, {}),
    Layer.mock(CallHistory, {})
  )

/** Records the operations on the ledger, for tests to check. */
export interface Books {
  readonly charges: Array<Charge>
}

export const credentials = (callers: Readonly<Record<string, Caller>>): Layer.Layer<CredentialResolver> =>
  Layer.succeed(CredentialResolver, {
    resolve: (secret) => {
      const key = Redacted.value(secret)
      if (key === "down") return Effect.fail(down())
      if (key === "defect") return Effect.die(new Error("secret of the resolver"))
      const found = Object.hasOwn(callers, key) ? callers[key] : undefined
      return found === undefined ? Effect.fail(new CredentialRejected({})) : Effect.succeed(found)
    }
  })

/** Session cookies that cause an unreachable database, and a defect. */
export const badSessions = { down: "d".repeat(43), defect: "x".repeat(43) }

/** Sign-in while too many others sign in. */
export const busy = () =>
  new PasswordsBusy({ message: "Too many people are signing in right now.", retryAfterSeconds: 5 })

/** No sessions and no sign-in: for tests of other routes. */
export const nobodySignedIn = Layer.mergeAll(
  Layer.mock(Sessions, {
    current: (secret) => {
      if (Redacted.value(secret) === badSessions.down) return Effect.fail(down())
      if (Redacted.value(secret) === badSessions.defect) return Effect.die(new Error("secret of the sessions"))
      return Effect.succeedNone
    }
  }),
  Layer.mock(SignIn, { signIn: () => Effect.fail(busy()) }),
  Layer.mock(PasswordChange, {}),
  Layer.mock(Passkeys, {}),
  Layer.mock(PasskeySignIn, {}),
  Layer.mock(SecondStep, {}),
  Layer.mock(WebAuthn, { isAvailable: true, creationOptions: () => ({}), requestOptions: () => ({}) }),
  Layer.mock(CsrfTokens, {
    guestSecret: Effect.succeed(Redacted.make("g".repeat(43))),
    of: () => Effect.succeed(""),
    isOf: () => Effect.succeed(true)
  })
)

/** Services of pages that other tests visit. */
export const unvisited = Layer.mergeAll(
  Layer.mock(AccountClosing, {}),
  Layer.mock(EmailChange, {}),
  Layer.mock(Alerts, {}),
  Layer.mock(Webhooks, {}),
  Layer.mock(Notices, {}),
  Layer.mock(PasswordReset, {}),
  Layer.mock(SignUp, {}),
  Layer.mock(AccountDirectory, {}),
  Layer.mock(Accounts, { list: Stream.empty }),
  Layer.mock(ApiKeys, {}),
  Layer.succeed(DailyPageViews, { take: () => Effect.void }),
  Layer.succeed(Billing, { stripe: Option.none() })
)

/** Balances start at the used credits of the caller; idempotency keys are kept with their fingerprints. */
export const ledger = (books: Books): Layer.Layer<CreditLedger> =>
  Layer.sync(CreditLedger, () => {
    const used = new Map<number, number>()
    const keys = new Map<string, string>()
    const find = ({ accountId }: Caller, { fingerprint, key }: IdempotencyKey) => {
      const known = keys.get(`${accountId} ${key}`)
      if (known === undefined) return Effect.succeed("new" as const)
      return known === fingerprint
        ? Effect.succeed("repeat" as const)
        : Effect.fail(InvalidArguments.fromIssues([issueAt("_meta.discovery/idempotency-key", "used_idempotency_key")]))
    }
    return {
      lookup: find,
      giveBack: (charges) =>
        Effect.sync(() => {
          for (const charge of charges) {
            books.charges.splice(books.charges.indexOf(charge), 1)
            used.set(charge.caller.accountId, (used.get(charge.caller.accountId) ?? 0) - charge.cost)
          }
        }),
      charge: Effect.fnUntraced(function* (charge) {
        const { accountId, credits } = charge.caller
        const before = used.get(accountId) ?? credits.used
        const { idempotency } = charge
        if (idempotency !== undefined && (yield* find(charge.caller, idempotency)) === "repeat") {
          return { cost: 0, remaining: credits.allowance - before }
        }
        if (before + charge.cost > credits.allowance) {
          return yield* ToolErrorMessages.insufficientCredits({
            cost: charge.cost,
            remaining: credits.allowance - before,
            periodEnd: credits.periodEnd,
            nowMillis: yield* Clock.currentTimeMillis,
            billingUrl
          })
        }
        books.charges.push(charge)
        used.set(accountId, before + charge.cost)
        if (idempotency !== undefined) keys.set(`${accountId} ${idempotency.key}`, idempotency.fingerprint)
        return { cost: charge.cost, remaining: credits.allowance - before - charge.cost }
      })
    }
  })
