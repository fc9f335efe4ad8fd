/** Pages that say why nothing was done with a key or an app. */
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import { integrationsPath } from "./IntegrationsPaths.ts"
import { quoted } from "../shared/ThirdParty.ts"
import type { Page } from "../shared/Layout.ts"
import type { SignedIn } from "../shared/Visitors.ts"

const notDone = (
  visitor: SignedIn,
  {
    heading,
    explanation: said,
    status
  }: { readonly status: number; readonly heading: string; readonly explanation: string | Html }
): Page => ({
  account: visitor,
  section: "integrations",
  status,
  heading,
  body: html`
    <p>${said}</p>
    <p><a href="${integrationsPath}">${visitor.locale.text("key.back")}</a></p>
  `
})

/** The page is the same for a key or an app that has ended, that another account has, or that never existed. */
export const gone = (visitor: SignedIn): Page => {
  const { text } = visitor.locale
  return notDone(visitor, { status: 404, heading: text("key.gone"), explanation: text("key.goneWhy") })
}

/** The form was sent twice, by a reload or two clicks: the key exists, but its secret cannot be shown again. */
export const madeAlready = (visitor: SignedIn, name: string): Page => {
  const { locale } = visitor
  const { text } = locale
  return notDone(visitor, {
    status: 409,
    heading: text("key.madeAlready"),
    explanation: locale.html("key.madeAlreadyHow", { name: quoted(name, locale) })
  })
}
