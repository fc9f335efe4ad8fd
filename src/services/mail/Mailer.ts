/**
 * Sends the mails that wait in the database (Outbox): over SMTP, or, without `SMTP_URL`, into files of a folder. A mail that the
 * mail server does not take now is tried again, later each time, by this server or another one, also after a restart. Pages never
 * wait for a mail, so that the time of an answer does not tell whether one was sent.
 *
 * Owners are told of changes that they could make again and again, so these mails are limited for each address. Mails that
 * visitors ask for are limited before (SignInAttempts).
 */
import { Clock, Context, Effect, FiberSet, Layer, Option, Redacted, Schedule, Schema, Semaphore } from "effect"
import type { Duration } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import type { SMTPTransportOptions } from "nodemailer"
import { randomUUID } from "node:crypto"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { AppConfig } from "../../Config.ts"
import { isLocalHost } from "../../domain/LocalHost.ts"
import type { Sender } from "../../domain/MailSettings.ts"
import type { Language } from "../../domain/Messages.ts"
import type { ServiceUnavailable } from "../../domain/ToolError.ts"
import { AccountLinks } from "../accounts/AccountLinks.ts"
import { availableOnce } from "../database/Availability.ts"
import * as LeakyBucket from "../limits/LeakyBucket.ts"
import * as Metrics from "../metrics/Metrics.ts"
import * as Letter from "./Letter.ts"
import * as Notices from "./Notices.ts"
import * as Outbox from "./Outbox.ts"

const maxAtOnce = 4
/** Each poll is one small statement. */
const pollInterval = "1 second"
/** For one attempt, whatever the mail server does. */
const attemptTimeout = "60 seconds"
/** The wait after the first attempt. Each further one is three times as long, up to the longest. */
const firstRetrySeconds = 5
const longestRetrySeconds = 30 * 60
/** For the mails that are being sent when the process stops. The others wait for the next one. */
const drainTimeout = "5 seconds"
/** Of changes in one account's sessions: in a row, and in an hour. */
export const maxChanges = { limit: 20, windowMillis: 3_600_000 }
/** Addresses whose changes are counted. */
const maxCounted = 10_000
/** The folder of mails without `SMTP_URL`. */
export const folderIn = (dataDir: string): string => path.resolve(dataDir, "mail")

/** Files in the folder; the oldest are deleted. */
export const maxFiles = 1_000

const timeouts = {
  dnsTimeout: 5_000,
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 20_000,
  /** A response of SMTP has a few lines. */
  maxResponseSize: 64 * 1024
}

/** The mail server did not take the mail. */
export class MailRefused extends Schema.TaggedError<MailRefused>()("MailRefused", {
  /** Such as `ETIMEDOUT`, or the reply code of SMTP. */
  code: Schema.String,
  /** The same mail would be refused again. */
  isPermanent: Schema.Boolean
}) {}

export interface Message {
  readonly to: string
  /** When the change happened, or the mail was asked for: the date of the mail. */
  readonly at: Date
  readonly letter: Letter.Letter
  readonly language: Language
}

/** Tries to send one mail. */
export type Deliver = (message: Message) => Effect.Effect<void, MailRefused>

export class Mailer extends Context.Service<
  Mailer,
  {
    /** Sends what is due now, and waits until it is sent or has to be tried again. For tests: a server does so all the time. */
    readonly settled: Effect.Effect<void, ServiceUnavailable>
  }
>()("discovery/mail/Mailer") {
  static readonly layerOver = (
    deliver: Deliver,
    options: { readonly attemptTimeout: Duration.Input; readonly maxAtOnce: number }
  ): Layer.Layer<Mailer, never, SqlClient.SqlClient | AccountLinks> =>
    Layer.effect(
      Mailer,
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const links = yield* AccountLinks
        const permits = Semaphore.makeUnsafe(options.maxAtOnce)
        const turn = Semaphore.makeUnsafe(1)
        const sending = yield* FiberSet.make<void>()
        const counted = LeakyBucket.make(maxCounted)
        const onDatabase = <A, E>(
          effect: Effect.Effect<A, E | SqlError.SqlError, SqlClient.SqlClient>
        ): Effect.Effect<A, Exclude<E, SqlError.SqlError> | ServiceUnavailable> =>
          effect.pipe(Effect.provideService(SqlClient.SqlClient, sql), availableOnce)

        /** With the secret of its link, which nobody else has seen. None if the link is over, or nobody has the address. */
        const letterOf = Effect.fnUntraced(function* (
          mail: Outbox.Waiting
        ): Effect.fn.Return<Option.Option<Pick<Message, "to" | "letter">>, SqlError.SqlError, SqlClient.SqlClient> {
          const { accountId, kind, link, news, to } = mail
          if (kind === "alerts") {
            if (accountId === null || news === null) return Option.none()
            return Option.some({ to, letter: { kind, news, secret: yield* links.unsubscribe(accountId) } })
          }
          if (!Letter.isLinked(kind)) return Option.some({ to, letter: { kind } })
          const linked =
            kind === "reset"
              ? yield* links.make({ purpose: "reset", email: to })
              : link === null
                ? Option.none()
                : yield* links.renew(link)
          if (kind !== "reset" && Option.isSome(linked)) yield* Outbox.setLink(mail, linked.value.secret)
          // To the address of the link: no other one may get it, and one that differs in case may be another mailbox.
          return Option.map(linked, ({ email, secret }) => ({ to: email, letter: { kind, secret } }))
        })

        const isTooMuch = Effect.fnUntraced(function* ({ attempts, kind, to }: Outbox.Waiting) {
          const now = yield* Clock.currentTimeMillis
          if (!Letter.isChange(kind) || attempts > 1) return false
          return counted.take([{ key: to, allowance: maxChanges }], now).retryAfterSeconds > 0
        })

        const end = Effect.fnUntraced(function* (
          mail: Outbox.Waiting,
          outcome: "sent" | "refused" | "failed",
          code?: string
        ) {
          yield* Metrics.mails.add({ outcome })
          // Without the address and the reply, which may repeat it.
          if (code !== undefined) yield* Effect.logError("A mail could not be sent", { kind: mail.kind, code })
          const { accountId } = mail
          yield* onDatabase(
            accountId === null
              ? Outbox.remove(mail)
              : sql.withTransaction(
                  Effect.andThen(Outbox.remove(mail), Notices.add({ accountId, kind: "alert", outcome }))
                )
          )
        })

        const attempt = Effect.fnUntraced(function* (mail: Outbox.Waiting) {
          if (mail.isOver) return yield* end(mail, "failed", "EXPIRED")
          if (yield* isTooMuch(mail)) {
            yield* Effect.logWarning("A mail was not sent: too many changes of one account", { kind: mail.kind })
            return yield* onDatabase(Outbox.remove(mail))
          }
          const letter = yield* onDatabase(sql.withTransaction(letterOf(mail)))
          if (Option.isNone(letter)) return yield* onDatabase(Outbox.remove(mail))
          const { createdAt: at, language } = mail
          const refusal = yield* deliver({ ...letter.value, at, language }).pipe(
            Effect.timeoutOrElse({
              duration: options.attemptTimeout,
              orElse: () => Effect.fail(new MailRefused({ code: "ETIMEDOUT", isPermanent: false }))
            }),
            Effect.flip,
            Effect.option
          )
          if (Option.isNone(refusal)) return yield* end(mail, "sent")
          const { code, isPermanent } = refusal.value
          if (isPermanent) return yield* end(mail, "refused", code)
          const seconds = Math.min(firstRetrySeconds * 3 ** (mail.attempts - 1), longestRetrySeconds)
          if (!(yield* onDatabase(Outbox.postpone(mail, seconds)))) return yield* end(mail, "failed", code)
          yield* Metrics.mails.add({ outcome: "postponed" })
          yield* Effect.logWarning("A mail could not be sent yet", { kind: mail.kind, code })
        })

        /** In the background. Between two attempts a mail takes no permit: one whose server says "later" delays nobody else's. */
        const sendDue = Effect.gen(function* () {
          for (;;) {
            yield* permits.take(1)
            const mail = yield* onDatabase(Outbox.take).pipe(Effect.onError(() => permits.release(1)))
            if (Option.isNone(mail)) return yield* Effect.asVoid(permits.release(1))
            yield* attempt(mail.value).pipe(
              // The mail is still in the table: another attempt follows when the lease of this one is over.
              Effect.catch(logFailure),
              Effect.catchDefect(logFailure),
              Effect.ensuring(permits.release(1)),
              FiberSet.run(sending, { startImmediately: false })
            )
          }
        }).pipe(turn.withPermits(1))

        yield* Effect.addFinalizer(() => Effect.timeoutOption(FiberSet.awaitEmpty(sending), drainTimeout))
        // While the database is away there is nothing to send: other metrics and lines tell that it is.
        yield* sendDue.pipe(
          Effect.ignore,
          Effect.catchDefect(logFailure),
          Effect.schedule(Schedule.spaced(pollInterval)),
          Effect.forkScoped
        )
        return { settled: Effect.andThen(sendDue, FiberSet.awaitEmpty(sending)) }
      })
    )

  static readonly layerWith = (options: { readonly attemptTimeout: Duration.Input }) =>
    Layer.unwrap(
      Effect.gen(function* () {
        const { baseUrl, dataDir, mailFrom, smtpUrl, supportUrl } = yield* AppConfig
        const deliver = Option.isSome(smtpUrl)
          ? overSmtp(smtpUrl.value, mailFrom)
          : intoFolder(folderIn(dataDir), mailFrom)
        const service = { baseUrl, supportUrl }
        return Mailer.layerOver(
          ({ at, language, letter, to }) => deliver({ ...Letter.write(letter, language, service), to, at }),
          { ...options, maxAtOnce }
        )
      })
    )

  static readonly layer = Mailer.layerWith({ attemptTimeout })
}

const logFailure = (cause: unknown) => Effect.logWarning("A mail could not be looked up or written down", cause)

interface Written extends Letter.Written {
  readonly to: string
  readonly at: Date
}

const fieldsOf = ({ at, html, subject, text, to, unsubscribe }: Written, from: Sender) => ({
  from,
  // As an object: the text of an address is never parsed as a list of addresses.
  to: { name: "", address: to },
  envelope: { from: from.address, to: [to] },
  subject,
  text,
  html,
  date: at,
  headers: {
    "Auto-Submitted": "auto-generated",
    ...(unsubscribe === undefined
      ? {}
      : { "List-Unsubscribe": `<${unsubscribe}>`, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" })
  },
  disableFileAccess: true,
  disableUrlAccess: true
})

/** Codes of nodemailer for a refused sender, recipient or message. */
const ofTheMail: ReadonlySet<string> = new Set(["EENVELOPE", "EMESSAGE"])

const refusalOf = (cause: unknown): MailRefused => {
  const text = (name: string): string | undefined =>
    cause instanceof Error && name in cause
      ? String(Object.entries(cause).find(([key]) => key === name)?.[1])
      : undefined
  const code = text("code") ?? ""
  const reply = code === "ETLS" ? undefined : text("responseCode")
  // A reply of the kind 5yz is for good (RFC 5321, 4.2.1), but one to the connection, the login or STARTTLS is about the server,
  // not about the mail, and so is the demand for a login (530 to 538) at any time.
  const isPermanent = ofTheMail.has(code) && /^5(?!3\d)\d\d$/u.test(reply ?? "")
  return new MailRefused({ code: reply ?? (code === "" ? "unknown" : code), isPermanent })
}

/** One connection for each mail. To other machines with TLS only: links are secrets. */
export const optionsOf = (smtpUrl: string): SMTPTransportOptions => {
  const { hostname, password, port, protocol, username } = new URL(smtpUrl)
  const secure = protocol === "smtps:"
  return {
    host: hostname.replace(/^\[(.*)\]$/u, "$1"),
    port: port === "" ? (secure ? 465 : 587) : Number(port),
    secure,
    requireTLS: !secure && !isLocalHost(hostname),
    ...(username === "" ? {} : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    ...timeouts
  }
}

/** Loaded for the first mail: most servers send none for hours. What cannot be loaded is tried again with the next mail. */
const library = () => import("nodemailer")
type Library = Awaited<ReturnType<typeof library>>

const madeOnce = <A>(make: (loaded: Library) => A): (() => Promise<A>) => {
  let made: { readonly value: A } | undefined
  return async () => (made ??= { value: make(await library()) }).value
}

const overSmtp = (smtpUrl: Redacted.Redacted, from: Sender) => {
  const transport = madeOnce(({ createTransport }) => createTransport(optionsOf(Redacted.value(smtpUrl))))
  return (message: Written): Effect.Effect<void, MailRefused> =>
    Effect.tryPromise({
      try: async (signal) => (await transport()).sendMail({ ...fieldsOf(message, from), signal }),
      catch: refusalOf
    }).pipe(Effect.asVoid)
}

/** Files that only their owner can read, because the links in them are secrets. Their names sort by time. */
const intoFolder = (folder: string, from: Sender) => {
  const transport = madeOnce(({ createTransport }) =>
    createTransport({ streamTransport: true, buffer: true, newline: "windows" })
  )
  const save = async (message: Written): Promise<string> => {
    const { message: bytes } = await (await transport()).sendMail(fieldsOf(message, from))
    await fs.mkdir(folder, { recursive: true, mode: 0o700 })
    const file = path.join(folder, `${message.at.toISOString().replaceAll(/[:.]/gu, "-")}-${randomUUID()}.eml`)
    await fs.writeFile(file, bytes, { mode: 0o600 })
    const files = (await fs.readdir(folder)).filter((name) => name.endsWith(".eml")).toSorted()
    for (const old of files.slice(0, -maxFiles)) await fs.rm(path.join(folder, old), { force: true })
    return file
  }
  return (message: Written): Effect.Effect<void, MailRefused> =>
    Effect.tryPromise({ try: () => save(message), catch: refusalOf }).pipe(
      Effect.flatMap((file) => Effect.logInfo("SMTP_URL is not set: a mail was written to a file", { file })),
      Effect.asVoid
    )
}
