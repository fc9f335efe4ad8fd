/** A browser and its system, by which people recognize their sessions. */
import type { Device } from "../../../domain/access/Device.ts"
import type { Locale } from "./Locale.ts"

export const deviceName = ({ browser, system }: Device, { text }: Locale): string => {
  if (system === null) return browser ?? text("account.unknownDevice")
  return text("account.device", { browser: browser ?? text("account.aBrowser"), system })
}
