/**
 * Limits on attempts with a password, a passkey or a recovery code (R56), counted in the database and thus by all servers
 * together.
 *
 * Wrong attempts are counted for one account from one network, for one network, and for one account from anywhere; of IPv6
 * also for the wider network (ClientNetwork). The last count is so wide that a handful of requests cannot lock out the owner
 * of an account. A browser that has signed in to the account before (KnownBrowsers), a session that confirms the password and
 * a link that sets it have counts of their own instead.
 *
 * Right attempts cost the same work, so they are counted too, for one account and for one network. Nobody can use up these
 * counts without a password. Every attempt counts as both before its password is verified, so that concurrent attempts get
 * no further than sequential ones; then the counts of the other kind are given back.
 *
 * Requests for a mail (sign-up, password reset, new e-mail address) are counted in the same way, for the network and, each
 * purpose apart, for the address that gets the mail, whether it has an account or not. Using up the mails of somebody else blocks
 * little: after the limit of resets the owner has received as many links, and a new address needs a password.
 *
 * Each count is a leaky bucket, stored as the time at which it will be empty.
 */
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Statement } from "effect/sql"
import * as EmailAddress from "../../domain/access/EmailAddress.ts"
import type { ServiceUnavailable } from "../../domain/ToolError.ts"
import { availableOnce } from "../database/Availability.ts"
import * as DatabaseClock from "../database/DatabaseClock.ts"
import * as ClientNetwork from "../../domain/access/ClientNetwork.ts"
import { deleteUnlocked, firstOf } from "../database/Rows.ts"
import * as Metrics from "../metrics/Metrics.ts"

/** Known and unknown e-mail addresses are counted alike, whatever their spelling. */
export interface Attempt {
  readonly email: string
  /** The IP address of the client, or its network (http/shared/ClientAddress.ts). */
  readonly address: string
  /** The id of a browser that has signed in to the account before. */
  readonly knownBrowser?: string | undefined
}

/** An attempt with a passkey. Its account is known only once the passkey is verified. */
export interface PasskeyAttempt {
  readonly address: string
}

/** The password is confirmed in a session. */
export interface SessionAttempt {
  readonly email: string
  readonly sessionId: number
}

/** Of someone who has a link that sets the password of an account. */
export interface LinkAttempt {
  readonly email: string
  readonly link: "reset"
}

export type AnyAttempt = Attempt | SessionAttempt | LinkAttempt | PasskeyAttempt

/** Somebody asks for a mail to an address. */
export interface MailRequest {
  readonly mailTo: string
  readonly purpose: "sign_up" | "reset" | "email"
  /** The IP address of the client, or its network, as in {@link Attempt}. */
  readonly address: string
}

interface Limit {
  /** What is counted. */
  readonly subject: string
  /** Attempts in a row. */
  readonly burst: number
  /** One more attempt is allowed after each of these intervals. */
  readonly everyMillis: number
}

interface Limits {
  readonly wrong: ReadonlyArray<Limit>
  readonly right: ReadonlyArray<Limit>
}

/** Limits of one account, regardless of who signs in. */
const rightOnes = { burst: 30, everyMillis: 10_000 }

/** A limit of the network of an address, and that of the wider one around it: the widest first. */
const byNetwork = (
  address: string,
  subjectOf: (key: string) => string,
  { burst, everyMillis }: Omit<Limit, "subject">
): ReadonlyArray<Limit> =>
  ClientNetwork.countedOf(address)
    .toReversed()
    .map(({ key, times }) => ({ subject: subjectOf(key), burst: burst * times, everyMillis: everyMillis / times }))

/** The limits of a network, whatever the account. */
const ofNetworks = (address: string): Limits => ({
  wrong: byNetwork(address, (key) => `network ${key}`, { burst: 30, everyMillis: 20_000 }),
  right: byNetwork(address, (key) => `right network ${key}`, { burst: 120, everyMillis: 1_000 })
})

/** Each request may hash a password and sends a mail. */
const mailLimits = ({ address, mailTo, purpose }: MailRequest): ReadonlyArray<Limit> => [
  ...byNetwork(address, (key) => `mail from network ${key}`, { burst: 20, everyMillis: 60_000 }),
  { subject: `${purpose} mail to ${EmailAddress.canonical(mailTo)}`, burst: 4, everyMillis: 15 * 60_000 }
]

/** Only the holder of the session, of the link, or of the cookie of the browser (`own`) can use up the count of wrong ones. */
const ofOwner = (own: string, email: string): Limits => ({
  wrong: [{ subject: `${own} account ${email}`, burst: 10, everyMillis: 60_000 }],
  right: [{ subject: `right owner ${email}`, ...rightOnes }]
})

/** The counts of an attempt, always in the same order, in which their rows are locked: the widest network first. */
const limitsOf = (attempt: AnyAttempt): Limits => {
  if (!("email" in attempt)) return ofNetworks(attempt.address)
  const email = EmailAddress.canonical(attempt.email)
  if ("sessionId" in attempt) return ofOwner(`session ${attempt.sessionId}`, email)
  if ("link" in attempt) return ofOwner(`${attempt.link} link`, email)
  const { address, knownBrowser } = attempt
  if (knownBrowser !== undefined) return ofOwner(knownBrowser, email)
  const { right, wrong } = ofNetworks(address)
  return {
    wrong: [
      ...wrong,
      ...byNetwork(address, (key) => `network ${key} account ${email}`, { burst: 10, everyMillis: 60_000 }),
      { subject: `account ${email}`, burst: 100, everyMillis: 36_000 }
    ],
    right: [...right, { subject: `right account ${email}`, ...rightOnes }]
  }
}

/** Empty buckets that one attempt deletes at most; it writes eight. */
const maxForgotten = 20

export class TooManyAttempts extends Schema.TaggedError<TooManyAttempts>()("TooManyAttempts", {
  message: Schema.String,
  retryAfterSeconds: Schema.Int
}) {}

const decodeBucket = firstOf(Schema.Struct({ empties_at: Schema.Date }))

export class SignInAttempts extends Context.Service<
  SignInAttempts,
  {
    /** Counts an attempt, or refuses it without counting it. */
    take(attempt: AnyAttempt): Effect.Effect<void, TooManyAttempts | ServiceUnavailable>
    /** Counts a mail that is asked for, or refuses it without counting it. */
    takeMail(request: MailRequest): Effect.Effect<void, TooManyAttempts | ServiceUnavailable>
    /** For a mail that was not written. A failure is ignored. */
    giveBackMail(request: MailRequest): Effect.Effect<void>
    /** Gives back the counts that the outcome does not call for. */
    settle(attempt: AnyAttempt, outcome: "right" | "wrong" | "not_verified"): Effect.Effect<void, ServiceUnavailable>
  }
>()("discovery/limits/SignInAttempts") {
  static readonly layer = Layer.effect(
    SignInAttempts,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const forget = deleteUnlocked(sql, "sign_in_attempt", "key")

      // The database folds the case, as it does to find the account, so that no spelling has a count of its own.
      const keyOf = ({ subject }: Limit): Statement.Fragment => sql`sha256(convert_to(lower(${subject}::text), 'UTF8'))`

      const takeOne = Effect.fnUntraced(function* (limit: Limit, nowMillis: number, what: string) {
        const key = keyOf(limit)
        const now = sql`${new Date(nowMillis)}::timestamptz`
        const drop = sql`interval '1 millisecond' * ${limit.everyMillis}::integer`
        const full = sql`${now} + ${limit.burst}::integer * ${drop}`
        // A bucket is above its burst only after the clock was set back. It admits this attempt and becomes full, so that nobody is
        // locked out for as long as the clock was set back. The minute is for concurrent attempts, whose times differ.
        const taken = yield* sql`
          INSERT INTO sign_in_attempt AS a (key, empties_at) VALUES (${key}, ${now} + ${drop})
          ON CONFLICT (key) DO UPDATE SET empties_at = least(greatest(a.empties_at, ${now}) + ${drop}, ${full})
          WHERE greatest(a.empties_at, ${now}) + ${drop} <= ${full} OR a.empties_at > ${full} + interval '1 minute'
          RETURNING empties_at`
        if (taken.length > 0) return
        const bucket = yield* decodeBucket(sql`SELECT empties_at FROM sign_in_attempt WHERE key = ${key}`)
        const fullMillis = (limit.burst - 1) * limit.everyMillis
        const waitMillis = (bucket?.empties_at.getTime() ?? nowMillis) - fullMillis - nowMillis
        return yield* tooMany(what, Math.max(1, Math.ceil(waitMillis / 1000)))
      })

      const takeAll = Effect.fnUntraced(
        function* (limits: ReadonlyArray<Limit>, what: string) {
          // All servers share the buckets: one whose clock is wrong would empty them, or fill them for a long time.
          const nowMillis = yield* DatabaseClock.currentTimeMillis.pipe(
            Effect.provideService(SqlClient.SqlClient, sql),
            availableOnce
          )
          yield* Effect.forEach(limits, (limit) => takeOne(limit, nowMillis, what), { discard: true }).pipe(
            sql.withTransaction,
            availableOnce
          )
          // The attempt is counted: it must go on.
          yield* forget(sql`empties_at <= ${new Date(nowMillis)} ORDER BY empties_at LIMIT ${maxForgotten}`).pipe(
            availableOnce,
            Effect.catch((error) => Effect.logWarning("Old counts of attempts could not be deleted", error))
          )
        },
        Effect.tapErrorTag("TooManyAttempts", () => Metrics.refused.add({ limit: "sign_in" }))
      )

      const take = Effect.fn("SignInAttempts.take")((attempt: AnyAttempt) => {
        const { right, wrong } = limitsOf(attempt)
        return takeAll([...wrong, ...right], "attempts with a password")
      })

      const takeMail = Effect.fn("SignInAttempts.takeMail")((request: MailRequest) =>
        takeAll(mailLimits(request), "requests for a mail")
      )

      const giveBack = (limits: ReadonlyArray<Limit>) =>
        Effect.forEach(
          limits,
          (limit) => sql`
            UPDATE sign_in_attempt SET empties_at = empties_at - interval '1 millisecond' * ${limit.everyMillis}::integer
            WHERE key = ${keyOf(limit)}`,
          { discard: true }
        ).pipe(sql.withTransaction, availableOnce)

      const giveBackMail = Effect.fn("SignInAttempts.giveBackMail")((request: MailRequest) =>
        Effect.ignore(giveBack(mailLimits(request)))
      )

      const settle: SignInAttempts["Service"]["settle"] = Effect.fn("SignInAttempts.settle")(
        function* (attempt, outcome) {
          const { right, wrong } = limitsOf(attempt)
          yield* giveBack([...(outcome === "wrong" ? [] : wrong), ...(outcome === "right" ? [] : right)])
        }
      )

      return { take, takeMail, giveBackMail, settle }
    })
  )
}

const tooMany = (what: string, retryAfterSeconds: number) => {
  const minutes = Math.ceil(retryAfterSeconds / 60)
  return new TooManyAttempts({
    message: `Too many ${what}. Try again in ${minutes === 1 ? "a minute" : `${minutes} minutes`}.`,
    retryAfterSeconds
  })
}
