import type { Texts } from "./Locale.ts"

const en = { asTable: "As a table", unknown: "unknown" }
export type ChartText = typeof en

export const texts: Texts<ChartText> = {
  en,
  de: { asTable: "Als Tabelle", unknown: "unbekannt" },
  fr: { asTable: "Sous forme de tableau", unknown: "inconnu" },
  es: { asTable: "Como tabla", unknown: "desconocido" }
}
