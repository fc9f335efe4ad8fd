/** The pages for people, and what they share. */
import { Layer } from "effect"
import * as Asset from "./Assets.ts"
import { CatalogueAccess } from "./CatalogueAccess.ts"
import { Csrf } from "./Csrf.ts"
import * as DashboardPage from "./DashboardPage.ts"
import { ErrorPage } from "./ErrorPage.ts"
import * as IntegrationsPage from "./IntegrationsPage.ts"
import { Layout } from "./Layout.ts"
import { PageRoutes } from "./PageRoutes.ts"
import * as PasswordPage from "./PasswordPage.ts"
import * as ReplacePage from "./ReplacePage.ts"
import * as RevokePages from "./RevokePages.ts"
import * as SignInPage from "./SignInPage.ts"
import * as StorePage from "./StorePage.ts"
import * as StoresPage from "./StoresPage.ts"
import * as TrackingForms from "./TrackingForms.ts"
import * as UsagePage from "./UsagePage.ts"
import { Visitors } from "./Visitors.ts"

/** What a page is built with; routes elsewhere that show pages need it as well. */
export const tools = PageRoutes.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(Visitors.layer, Csrf.layer, ErrorPage.layer)),
  Layer.provideMerge(Layout.layer),
  Layer.provideMerge(Asset.Assets.layer)
)

/** Over the catalogue. */
const catalogue = Layer.mergeAll(StoresPage.layer, StorePage.layer, TrackingForms.layer).pipe(
  Layer.provide(CatalogueAccess.layer)
)

export const layer = Layer.mergeAll(
  Asset.routes,
  SignInPage.layer,
  PasswordPage.layer,
  IntegrationsPage.layer,
  ReplacePage.layer,
  RevokePages.layer,
  DashboardPage.layer,
  UsagePage.layer,
  catalogue
).pipe(Layer.provide(tools))
