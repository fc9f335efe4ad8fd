/** Pages without access as people see them, where no billing is set up. */
import { describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Browser, checker, isAvailable, looks } from "../../../support/Browser.ts"
import * as Consent from "../../../support/Consent.ts"
import { Site } from "../../../support/Site.ts"
import { goTo, signIn } from "../../../support/Steps.ts"

const config = {
  ...Consent.config,
  baseUrl: "http://localhost",
  billingUrl: "http://localhost/dashboard",
  supportUrl: "http://localhost/dashboard"
}

const services = Layer.merge(Site.layer({ config }), Browser.layer)

describe.skipIf(!isAvailable())("without access, in a browser", () => {
  layer(services, { excludeTestServices: true })((it) => {
    it.effect.each(looks)("the pages pass axe and fit at $width pixels, $scheme", (look) =>
      Effect.gen(function* () {
        const site = yield* Site
        const page = yield* (yield* Browser).open(look)
        yield* goTo(page, "/sign-in")
        yield* signIn(page, yield* site.account({ plan: "starter" }))
        const check = checker(page, look)
        for (const part of ["", "/integrations", "/ads"]) {
          yield* goTo(page, `/dashboard${part}`)
          yield* check(`no-access${part.replace("/", "-")}`)
        }
      })
    )
  })
})
