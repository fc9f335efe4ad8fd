/** The mailer, over the test's database, with a mail server that keeps the mails. */
import { Effect } from "effect"
import type { Layer } from "effect"
import type { SqlClient } from "effect/sql"
import type { Language } from "../../src/domain/Messages.ts"
import type { AccountLinks } from "../../src/services/accounts/AccountLinks.ts"
import { linkTo } from "../../src/services/mail/Letter.ts"
import type { Kind } from "../../src/services/mail/Letter.ts"
import { Mailer } from "../../src/services/mail/Mailer.ts"

interface Kept {
  readonly kind: Kind
  readonly to: string
  readonly link?: string
  readonly language: Language
}

export const make = () => {
  const kept: Array<Kept> = []
  const layer: Layer.Layer<Mailer, never, SqlClient.SqlClient | AccountLinks> = Mailer.layerOver(
    ({ language, letter, to }) =>
      Effect.sync(() => {
        const { kind } = letter
        const link =
          "secret" in letter && letter.kind !== "alerts"
            ? { link: linkTo("https://discovery.test", letter.kind, letter.secret) }
            : {}
        kept.push({ kind, to, ...link, language })
      }),
    // In the order in which they were written.
    { attemptTimeout: "10 seconds", maxAtOnce: 1 }
  )
  /** All that were sent, in order. */
  const letters = Effect.as(
    Effect.flatMap(Mailer, ({ settled }) => Effect.orDie(settled)),
    kept
  )
  return {
    layer,
    letters: Effect.map(letters, (all): ReadonlyArray<Kept> => [...all]),
    to: (address: string) => Effect.map(letters, (all) => all.filter(({ to }) => to === address))
  }
}
