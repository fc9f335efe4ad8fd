/** The paths of the pages of API keys and connected apps. */
import { sections } from "../shared/Layout.ts"

export const integrationsPath = sections.integrations

export const webhookPath = `${integrationsPath}/webhook` as const

export const keyPath = (keyId: number | ":id", action: "revoke" | "replace") =>
  `${integrationsPath}/keys/${keyId}/${action}` as const

export const appPath = (appId: number | ":id", action: "revoke") =>
  `${integrationsPath}/apps/${appId}/${action}` as const
