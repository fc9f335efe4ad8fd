/** Real SMTP servers, with the mails that they have taken. */
import { Context, Effect, Layer, Redacted, Schedule } from "effect"
import PostalMime from "postal-mime"
import type { Email } from "postal-mime"
import { SMTPServer } from "smtp-server"
import type { SMTPServerSession } from "smtp-server"

export interface Received extends Email {
  /** Where it was really sent. */
  readonly recipients: ReadonlyArray<string>
}

/** What a client has said before the mail itself. */
export interface Said {
  readonly what: "login" | "sender" | "recipient"
  /** With TLS, so that nobody else could read it. */
  readonly isSecret: boolean
}

interface Options {
  /** How the client names the server; all of them lead here. */
  readonly host?: "127.0.0.1" | "0.0.0.0"
  /** With it the server has TLS: from the first byte on, or by STARTTLS. */
  readonly certificate?: { readonly cert: string; readonly key: string; readonly by: "smtps" | "STARTTLS" }
  /** Without a login nobody may send. A test may change the password. */
  readonly login?: { readonly user: string; password: string }
  /** The code with which it refuses every connection, if any. A test may change it. */
  readonly closed?: { code: number | undefined }
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
    /** What clients have said so far, in order. */
    readonly said: ReadonlyArray<Said>
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
    Effect.suspend(() => listen())
  )
}

/** A server until the scope is closed. */
export const listen = Effect.fnUntraced(function* ({ certificate, closed, host = "127.0.0.1", login }: Options = {}) {
  const mails: Array<Received> = []
  const moods: Array<Mood> = []
  const said: Array<Said> = []
  const hear = (what: Said["what"], { secure }: SMTPServerSession) => void said.push({ what, isSecret: secure })
  const isRefused = new Error("The user or the password is wrong")
  const server = new SMTPServer({
    disabledCommands: [
      ...(login === undefined ? ["AUTH"] : []),
      ...(certificate?.by === "STARTTLS" ? [] : ["STARTTLS"])
    ],
    // Of a server without TLS, so that a client must know by itself not to send a password.
    allowInsecureAuth: certificate === undefined,
    secure: certificate?.by === "smtps",
    ...(certificate === undefined ? {} : { cert: certificate.cert, key: certificate.key }),
    disableReverseLookup: true,
    logger: false,
    onConnect: (_, callback) =>
      closed?.code === undefined
        ? callback()
        : callback(Object.assign(new Error("no service here"), { responseCode: closed.code })),
    onAuth: ({ password, username }, session, callback) => {
      hear("login", session)
      const isRight = username === login?.user && password === login?.password
      return isRight ? callback(null, { user: username }) : callback(isRefused)
    },
    onMailFrom: (_, session, callback) => {
      hear("sender", session)
      callback()
    },
    onRcptTo: (_, session, callback) => {
      hear("recipient", session)
      const mood = moods.shift()
      if (mood === "silent") return
      callback(mood === undefined ? null : Object.assign(new Error("not now"), { responseCode: mood }))
    },
    onData: (stream, { envelope }, answer) => {
      const chunks: Array<Buffer> = []
      stream.on("data", (chunk: Buffer) => chunks.push(chunk))
      stream.on("end", () => {
        const taken = async () => {
          const mail = await PostalMime.parse(Buffer.concat(chunks))
          mails.push({ ...mail, recipients: envelope.rcptTo.map(({ address }) => address) })
        }
        // A mail that cannot be read is refused, so that its sender learns of it.
        taken().then(() => answer(), answer)
      })
    }
  })
  // A client that gives up, on a silent server or on a certificate, is no error of the test.
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
  const user = login === undefined ? "" : `${encodeURIComponent(login.user)}:${encodeURIComponent(login.password)}@`
  return MailServer.of({
    url: Redacted.make(`${certificate?.by === "smtps" ? "smtps" : "smtp"}://${user}${host}:${port}`),
    mails,
    said,
    attempts: () => said.filter(({ what }) => what === "recipient").length,
    reply: (...next) => void moods.push(...next),
    forget: () => void moods.splice(0),
    mailTo: (address, count = 0) =>
      Effect.suspend(() => {
        const found = allTo(address)
        const newest = found.at(-1)
        return newest === undefined || found.length <= count ? Effect.fail("not there yet") : Effect.succeed(newest)
      }).pipe(Effect.retry({ schedule: Schedule.spaced("5 millis") }), Effect.orDie),
    allTo
  })
})

/** The path and query of the link that a mail has as text, which its HTML must have as well. */
export const linkOf = ({ html = "", text = "" }: Pick<Email, "html" | "text">): string => {
  const [link = ""] = /^https?:\/\/\S+$/mu.exec(text) ?? []
  if (!html.replaceAll("&amp;", "&").includes(`href="${link}"`)) throw new Error(`The texts differ: ${text} ${html}`)
  const { pathname, search } = new URL(link)
  return pathname + search
}
