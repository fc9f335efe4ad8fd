/**
 * What changes of an account by mail share: asking for a link, and ending what a change makes void. Both write their mail in the
 * transaction of the change.
 */
import { Effect, Option, Schema } from "effect"
import type { Redacted } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import type { AccountId } from "../../domain/access/Account.ts"
import type { Device } from "../../domain/access/Device.ts"
import * as EmailAddress from "../../domain/access/EmailAddress.ts"
import { availableOnce } from "../database/Availability.ts"
import { SignInAttempts } from "../limits/SignInAttempts.ts"
import type { MailRequest } from "../limits/SignInAttempts.ts"
import * as Outbox from "../mail/Outbox.ts"
import * as SignInChanges from "../sessions/passkeys/SignInChanges.ts"
import * as AccountLinks from "./AccountLinks.ts"
import { storedEmail } from "./AccountRecord.ts"

/** Not an address that mails are sent to. */
export class EmailRefused extends Schema.TaggedError<EmailRefused>()("EmailRefused", {}) {}

interface Request<EV, A, EP> {
  /** As it was typed. */
  readonly email: string
  /** The network of the client (http/shared/ClientAddress.ts). */
  readonly address: string
  /** What else must be true, before anything is counted as a mail. */
  readonly verify?: (email: string) => Effect.Effect<void, EV>
  /** Work that no transaction waits for. */
  readonly prepare: Effect.Effect<A, EP>
  /** The mail, and what it refers to. */
  readonly post: (email: string, prepared: A) => Effect.Effect<Outbox.Post, SqlError.SqlError, SqlClient.SqlClient>
}

/** Asks for a link. A request is counted before it costs anything, and given back when no mail was written. */
export const asking = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const attempts = yield* SignInAttempts
  const onDatabase = <A, E>(effect: Effect.Effect<A, E, SqlClient.SqlClient>) =>
    effect.pipe(Effect.provideService(SqlClient.SqlClient, sql), availableOnce)
  return Effect.fnUntraced(function* <A, EP = never, EV = never>(
    purpose: MailRequest["purpose"],
    request: Request<EV, A, EP>
  ) {
    const { address, post, prepare, verify } = request
    const email = EmailAddress.mailable(request.email)
    if (email === undefined) return yield* new EmailRefused()
    if (verify !== undefined) yield* verify(email)
    yield* onDatabase(Outbox.ready)
    const mail = { mailTo: email, purpose, address }
    yield* attempts.takeMail(mail)
    yield* Effect.flatMap(prepare, (prepared) =>
      onDatabase(sql.withTransaction(Effect.flatMap(post(email, prepared), Outbox.put)))
    ).pipe(Effect.tapError(() => attempts.giveBackMail(mail)))
  })
})

/** The mail to an address that is free: a link; or to one that has an account: that it has. Both take the same work. */
export const toNewAddress = Effect.fnUntraced(function* <E>(
  email: string,
  link: Effect.Effect<Option.Option<{ readonly secret: Redacted.Redacted }>, E>,
  kinds: { readonly free: "confirm" | "newAddress"; readonly taken: "exists" | "addressTaken" }
) {
  const to = yield* storedEmail(yield* SqlClient.SqlClient, email)
  const made = yield* link
  const post: Outbox.Post = Option.isSome(made)
    ? { kind: kinds.free, to: email, link: made.value.secret }
    : { kind: kinds.taken, to }
  return post
})

/** A change of how its owner signs in ends all links of the account, is recorded, and told by a mail. */
export const changed = Effect.fnUntraced(function* (change: {
  readonly accountId: AccountId
  readonly what: "password_changed" | "password_set" | "address_changed"
  readonly device: Device
  readonly mail: Outbox.Post
}) {
  const { accountId, device, mail, what } = change
  yield* AccountLinks.end(yield* SqlClient.SqlClient, accountId)
  yield* SignInChanges.record({ accountId, what, device })
  yield* Outbox.put(mail)
})
