/** A real SMTP server, with the mails that it has taken. */
import { Context, Effect, Layer, Redacted, Schedule } from "effect"
import PostalMime from "postal-mime"
import type { Email } from "postal-mime"
import { SMTPServer } from "smtp-server"

export interface Received extends Email {
  /** Where it was really sent. */
  readonly recipients: ReadonlyArray<string>
}

/** What the server replies to a recipient: a code of SMTP, or nothing at all. */
export type Mood = number | "silent"

export class MailServer extends Context.Service<
  MailServer,
  {
    /** `SMTP_URL`. */
    readonly url: Redacted.Redacted
    /** Mails in the order of their arrival. */
    readonly mails: ReadonlyArray<Received>
    /** How often a recipient was named. */
    readonly attempts: () => number
    /** For the next recipients, one each; then it takes mails again. */
    readonly reply: (...moods: ReadonlyArray<Mood>) => void
    /** Takes back what was set by {@link reply}. */
    readonly forget: () => void
    /** Waits for the newest mail to an address, after `count` of them. */
    readonly mailTo: (address: string, count?: number) => Effect.Effect<Received>
    /** Mails to an address. */
    readonly allTo: (address: string) => ReadonlyArray<Received>
  }
>()("test/support/MailServer") {
  static readonly layer: Layer.Layer<MailServer> = Layer.effect(
    MailServer,
    Effect.gen(function* () {
      const mails: Array<Received> = []
      const moods: Array<Mood> = []
      let attempts = 0
      const server = new SMTPServer({
        disabledCommands: ["AUTH", "STARTTLS"],
        disableReverseLookup: true,
        logger: false,
        onRcptTo: (_, __, callback) => {
          attempts++
          const mood = moods.shift()
          if (mood === "silent") return
          callback(mood === undefined ? null : Object.assign(new Error("not now"), { responseCode: mood }))
        },
        onData: (stream, { envelope }, callback) => {
          const chunks: Array<Buffer> = []
          stream.on("data", (chunk: Buffer) => chunks.push(chunk))
          stream.on("end", () => {
            const taken = async () => {
              const mail = await PostalMime.parse(Buffer.concat(chunks))
              mails.push({ ...mail, recipients: envelope.rcptTo.map(({ address }) => address) })
            }
            void taken().finally(callback)
          })
        }
      })
      // A client that gives up on a silent server is no error of the test.
      server.on("error", () => {})
      const port = yield* Effect.acquireRelease(
        Effect.promise(
          () =>
            new Promise<number>((resolve) => {
              const listening = server.listen(0, "127.0.0.1", () => {
                const address = listening.address()
                resolve(typeof address === "object" && address !== null ? address.port : 0)
              })
            })
        ),
        () => Effect.promise(() => new Promise<void>((resolve) => server.close(() => resolve())))
      )
      const allTo = (address: string) => mails.filter(({ recipients }) => recipients.includes(address))
      return {
        url: Redacted.make(`smtp://127.0.0.1:${port}`),
        mails,
        attempts: () => attempts,
        reply: (...next) => void moods.push(...next),
        forget: () => void moods.splice(0),
        mailTo: (address, count = 0) =>
          Effect.suspend(() => {
            const found = allTo(address)
            const newest = found.at(-1)
            return newest === undefined || found.length <= count ? Effect.fail("not there yet") : Effect.succeed(newest)
          }).pipe(Effect.retry({ schedule: Schedule.spaced("5 millis") }), Effect.orDie),
        allTo
      }
    })
  )
}

/** The path and query of the link that a mail has as text, which its HTML must have as well. */
export const linkOf = ({ html = "", text = "" }: Pick<Email, "html" | "text">): string => {
  const [link = ""] = /^https?:\/\/\S+$/mu.exec(text) ?? []
  if (!html.replaceAll("&amp;", "&").includes(`href="${link}"`)) throw new Error(`The texts differ: ${text} ${html}`)
  const { pathname, search } = new URL(link)
  return pathname + search
}
