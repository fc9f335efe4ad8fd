/**
 * Sends mails in the background: over SMTP, or, without `SMTP_URL`, into files of a folder. A mail that a server does not
 * take now is tried again for about ten minutes; how many wait is bounded. Pages never wait for a mail, so that the time of
 * an answer does not tell whether one was sent.
 *
 * Owners are told of changes that they could make again and again, so these mails are limited for each address. Mails that
 * visitors ask for are limited before (SignInAttempts).
 */
import { Clock, Context, Effect, FiberSet, Layer, Option, Redacted, Schedule, Schema, Semaphore } from "effect"
import type { Duration } from "effect"
import { createTransport } from "nodemailer"
import type { SMTPTransportOptions } from "nodemailer"
import { randomUUID } from "node:crypto"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { AppConfig } from "../../Config.ts"
import { isLocalHost } from "../../domain/LocalHost.ts"
import type { Sender } from "../../domain/MailSettings.ts"
import { unavailable } from "../../domain/ToolErrorMessages.ts"
import type { ServiceUnavailable } from "../../domain/ToolError.ts"
import * as LeakyBucket from "../limits/LeakyBucket.ts"
import * as Metrics from "../metrics/Metrics.ts"
import * as Letter from "./Letter.ts"

const maxAtOnce = 4
export const maxRetries = 5
/** What is left of the process when it stops. */
const drainTimeout = "5 seconds"
/** Of changes in one account's sessions: in a row, and in an hour. */
export const maxChanges = { limit: 20, windowMillis: 3_600_000 }
/** Addresses whose changes are counted. */
const maxCounted = 10_000
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
  /** A reply of the kind 5yz: the same mail would be refused again (RFC 5321, 4.2.1). */
  isPermanent: Schema.Boolean
}) {}

interface Message extends Letter.Written {
  readonly to: string
  readonly at: Date
}

export class Mailer extends Context.Service<
  Mailer,
  {
    /** Fails while too many mails wait. Asked before it is known whether there is anything to send. */
    readonly ready: Effect.Effect<void, ServiceUnavailable>
    /** Returns at once. A mail that cannot be sent is logged. */
    send(letter: Letter.Letter): Effect.Effect<void>
    /** Waits until no mail is pending. */
    readonly settled: Effect.Effect<void>
  }
>()("discovery/mail/Mailer") {
  static readonly layerWith = (options: {
    /** The first wait; each further one is three times as long. */
    readonly firstRetry: Duration.Input
    /** For one attempt, whatever the mail server does. */
    readonly attemptTimeout: Duration.Input
    /** Mails that wait or are being sent, per process. */
    readonly maxPending: number
  }) =>
    Layer.effect(
      Mailer,
      Effect.gen(function* () {
        const { baseUrl, dataDir, mailFrom, smtpUrl, supportUrl } = yield* AppConfig
        const deliver = Option.isSome(smtpUrl)
          ? overSmtp(smtpUrl.value, mailFrom)
          : yield* intoFolder(path.resolve(dataDir, "mail"), mailFrom)
        const permits = Semaphore.makeUnsafe(maxAtOnce)
        const pending = yield* FiberSet.make<void>()
        const counted = LeakyBucket.make(maxCounted)
        let count = 0

        // The wait for the next attempt takes no permit: one address whose server says "later" delays nobody else's mail.
        const attempts = (message: Message) =>
          permits
            .withPermits(1)(deliver(message))
            .pipe(
              Effect.timeoutOrElse({
                duration: options.attemptTimeout,
                orElse: () => Effect.fail(new MailRefused({ code: "ETIMEDOUT", isPermanent: false }))
              }),
              Effect.retry({
                times: maxRetries,
                schedule: Schedule.jittered(Schedule.exponential(options.firstRetry, 3)),
                while: ({ isPermanent }) => !isPermanent
              })
            )

        const send = Effect.fn("Mailer.send")(function* (letter: Letter.Letter) {
          const { kind, to } = letter
          const lost = (outcome: "refused" | "failed" | "too_many" | "stopped", text: string, code?: string) =>
            Effect.andThen(
              Metrics.mails.add({ outcome }),
              Effect.logError(text, { kind, ...(code === undefined ? {} : { code }) })
            )
          const nowMillis = yield* Clock.currentTimeMillis
          if (count >= options.maxPending) return yield* lost("too_many", "A mail was not sent: too many wait")
          if (
            Letter.isChange(kind) &&
            counted.take([{ key: to, allowance: maxChanges }], nowMillis).retryAfterSeconds > 0
          ) {
            return yield* Effect.logWarning("A mail was not sent: too many changes of one account", { kind })
          }
          count++
          const language = yield* Letter.MailLanguage
          const at = new Date(nowMillis)
          const service = { baseUrl, supportUrl }
          yield* Effect.suspend(() => attempts({ ...Letter.write(letter, language, service), to, at })).pipe(
            Effect.matchEffect({
              onSuccess: () => Metrics.mails.add({ outcome: "sent" }),
              // Without the address and the reply, which may repeat it.
              onFailure: (refusal) => lost(outcomeOf(refusal), "A mail could not be sent", refusal.code)
            }),
            Effect.onInterrupt(() => lost("stopped", "A mail was not sent: the server stopped")),
            Effect.ensuring(Effect.sync(() => void count--)),
            FiberSet.run(pending, { startImmediately: false })
          )
        })

        yield* Metrics.queueLength.follow({ queue: "mails" }, () => count)
        const settled = FiberSet.awaitEmpty(pending)
        yield* Effect.addFinalizer(() => Effect.timeoutOption(settled, drainTimeout))
        return {
          ready: Effect.suspend(() => (count >= options.maxPending ? Effect.fail(unavailable("mail")) : Effect.void)),
          send,
          settled
        }
      })
    )

  /** Tries for about ten minutes. */
  static readonly layer = Mailer.layerWith({ firstRetry: "5 seconds", attemptTimeout: "60 seconds", maxPending: 500 })
}

/** A mail server that does not accept the password of SMTP_URL (530 to 538) refuses the server, not the mail. */
const outcomeOf = ({ code, isPermanent }: MailRefused) =>
  isPermanent && !/^53\d$/u.test(code) ? ("refused" as const) : ("failed" as const)

const fieldsOf = ({ at, html, subject, text, to }: Message, from: Sender) => ({
  from,
  // As an object: the text of an address is never parsed as a list of addresses.
  to: { name: "", address: to },
  envelope: { from: from.address, to: [to] },
  subject,
  text,
  html,
  date: at,
  headers: { "Auto-Submitted": "auto-generated" },
  disableFileAccess: true,
  disableUrlAccess: true
})

const refusalOf = (cause: unknown): MailRefused => {
  const text = (name: string): string | undefined =>
    cause instanceof Error && name in cause
      ? String(Object.entries(cause).find(([key]) => key === name)?.[1])
      : undefined
  const reply = text("responseCode")
  return new MailRefused({ code: reply ?? text("code") ?? "unknown", isPermanent: /^5\d\d$/u.test(reply ?? "") })
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

const overSmtp = (smtpUrl: Redacted.Redacted, from: Sender) => {
  const transport = createTransport(optionsOf(Redacted.value(smtpUrl)))
  return (message: Message): Effect.Effect<void, MailRefused> =>
    Effect.tryPromise({
      try: (signal) => transport.sendMail({ ...fieldsOf(message, from), signal }),
      catch: refusalOf
    }).pipe(Effect.asVoid)
}

/** Files that only their owner can read, because the links in them are secrets. Their names sort by time. */
const intoFolder = (folder: string, from: Sender) => {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: "windows" })
  const save = async (message: Message): Promise<string> => {
    const { message: bytes } = await transport.sendMail(fieldsOf(message, from))
    await fs.mkdir(folder, { recursive: true, mode: 0o700 })
    const file = path.join(folder, `${message.at.toISOString().replaceAll(/[:.]/gu, "-")}-${randomUUID()}.eml`)
    await fs.writeFile(file, bytes, { mode: 0o600 })
    const files = (await fs.readdir(folder)).filter((name) => name.endsWith(".eml")).toSorted()
    for (const old of files.slice(0, -maxFiles)) await fs.rm(path.join(folder, old), { force: true })
    return file
  }
  const deliver = (message: Message): Effect.Effect<void, MailRefused> =>
    Effect.tryPromise({ try: () => save(message), catch: refusalOf }).pipe(
      Effect.flatMap((file) => Effect.logInfo("SMTP_URL is not set: a mail was written to a file", { file })),
      Effect.asVoid
    )
  return Effect.as(Effect.logInfo("SMTP_URL is not set: mails are written to a folder", { folder }), deliver)
}
