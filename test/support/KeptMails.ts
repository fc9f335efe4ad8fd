/** A mailer whose mails are kept instead of sent. */
import { Effect, Layer } from "effect"
import type { Language } from "../../src/domain/Messages.ts"
import { unavailable } from "../../src/domain/ToolErrorMessages.ts"
import { MailLanguage } from "../../src/services/mail/Letter.ts"
import type { Kind } from "../../src/services/mail/Letter.ts"
import { Mailer } from "../../src/services/mail/Mailer.ts"

interface Kept {
  readonly kind: Kind
  readonly to: string
  readonly link?: string
  readonly language: Language
}

export const make = () => {
  const letters: Array<Kept> = []
  const mood = { isFull: false }
  const layer = Layer.succeed(Mailer, {
    ready: Effect.suspend(() => (mood.isFull ? Effect.fail(unavailable("mail")) : Effect.void)),
    send: (letter) => Effect.map(MailLanguage, (language) => void letters.push({ ...letter, language })),
    settled: Effect.void
  })
  return { letters, mood, layer, to: (address: string) => letters.filter(({ to }) => to === address) }
}
