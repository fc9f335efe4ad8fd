/** The pages for people, and the services that they share (D11). */
import { Layer } from "effect"
import * as AccountPage from "./account/AccountPage.ts"
import * as AdPage from "./catalog/AdPage.ts"
import * as AdsPage from "./catalog/AdsPage.ts"
import * as BoardPage from "./boards/BoardPage.ts"
import * as BoardsPage from "./boards/BoardsPage.ts"
import * as ComparePage from "./catalog/ComparePage.ts"
import * as KeptItemPages from "./boards/KeptItemPages.ts"
import * as BillingPage from "./account/BillingPage.ts"
import * as ChangesPage from "./catalog/ChangesPage.ts"
import * as ClosePage from "./account/ClosePage.ts"
import * as Asset from "./shared/Assets.ts"
import { CatalogAccess } from "./catalog/CatalogAccess.ts"
import * as ConfirmPage from "./passkeys/ConfirmPage.ts"
import { Csrf } from "./shared/Csrf.ts"
import * as DashboardPage from "./account/DashboardPage.ts"
import * as EmailPage from "./account/EmailPage.ts"
import * as DocsPages from "./docs/DocsPages.ts"
import * as ExportRoutes from "./catalog/ExportRoutes.ts"
import { ErrorPage } from "./shared/ErrorPage.ts"
import * as IntegrationsPage from "./integrations/IntegrationsPage.ts"
import { Layout } from "./shared/Layout.ts"
import * as LanguagePage from "./account/LanguagePage.ts"
import * as MarketPage from "./catalog/MarketPage.ts"
import * as OperatorAccountPage from "./operator/OperatorAccountPage.ts"
import * as OperatorChangePages from "./operator/OperatorChangePages.ts"
import * as OperatorPage from "./operator/OperatorPage.ts"
import { PageRoutes } from "./shared/PageRoutes.ts"
import * as PasskeyRoutes from "./passkeys/PasskeyRoutes.ts"
import * as PasskeySignInPage from "./passkeys/PasskeySignInPage.ts"
import * as SecondStepPage from "./passkeys/SecondStepPage.ts"
import * as PasswordPage from "./account/PasswordPage.ts"
import * as ProductPage from "./catalog/ProductPage.ts"
import * as PlansPage from "./account/PlansPage.ts"
import * as ProductsPage from "./catalog/ProductsPage.ts"
import * as ResetPage from "./account/ResetPage.ts"
import * as ReplacePage from "./integrations/ReplacePage.ts"
import * as RevokePages from "./integrations/RevokePages.ts"
import * as WebhookPage from "./integrations/WebhookPage.ts"
import * as SavedSearchesPage from "./catalog/SavedSearchesPage.ts"
import * as SearchAlerts from "./catalog/SearchAlerts.ts"
import * as SignInPage from "./account/SignInPage.ts"
import * as SignUpPage from "./account/SignUpPage.ts"
import * as StorePage from "./catalog/StorePage.ts"
import * as StoresPage from "./catalog/StoresPage.ts"
import * as TrackingForms from "./catalog/TrackingForms.ts"
import * as UsagePage from "./usage/UsagePage.ts"
import { Visitors } from "./shared/Visitors.ts"

/** The services of pages. Routes elsewhere that answer with pages need them too. */
export const tools = PageRoutes.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(Visitors.layer, Csrf.layer, ErrorPage.layer)),
  Layer.provideMerge(Layout.layer),
  Layer.provideMerge(Asset.Assets.layer)
)

const catalog = Layer.mergeAll(
  AdsPage.layer,
  ProductsPage.layer,
  StoresPage.layer,
  MarketPage.layer,
  ChangesPage.layer,
  StorePage.layer,
  AdPage.layer,
  ProductPage.layer,
  TrackingForms.layer,
  SavedSearchesPage.layer,
  BoardsPage.layer,
  BoardPage.layer,
  KeptItemPages.layer,
  ComparePage.layer,
  SearchAlerts.layer,
  ExportRoutes.layer
).pipe(Layer.provide(CatalogAccess.layer))

export const layer = Layer.mergeAll(
  Asset.routes,
  SignInPage.layer,
  SignUpPage.layer,
  ResetPage.layer,
  AccountPage.layer,
  BillingPage.layer,
  PasswordPage.layer,
  PasskeySignInPage.layer,
  SecondStepPage.layer,
  PasskeyRoutes.layer,
  ConfirmPage.layer,
  EmailPage.layer,
  ClosePage.layer,
  OperatorPage.layer,
  OperatorAccountPage.layer,
  OperatorChangePages.layer,
  IntegrationsPage.layer,
  ReplacePage.layer,
  RevokePages.layer,
  WebhookPage.layer,
  DashboardPage.layer,
  DocsPages.layer,
  LanguagePage.layer,
  PlansPage.layer,
  UsagePage.layer,
  catalog
).pipe(Layer.provide(tools))
