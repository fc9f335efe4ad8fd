/** What stands around every page. */
import type { Texts } from "./Locale.ts"

const en = {
  skip: "Skip to the content",
  sections: "Dashboard",
  ads: "Ads",
  products: "Products",
  stores: "Stores",
  integrations: "Integrations",
  usage: "Usage",
  operator: "Accounts",
  signOut: "Sign out"
}
export type LayoutText = typeof en

const de: LayoutText = {
  skip: "Zum Inhalt springen",
  sections: "Dashboard",
  ads: "Anzeigen",
  products: "Produkte",
  stores: "Shops",
  integrations: "Integrationen",
  usage: "Nutzung",
  operator: "Konten",
  signOut: "Abmelden"
}

const fr: LayoutText = {
  skip: "Aller au contenu",
  sections: "Tableau de bord",
  ads: "Publicités",
  products: "Produits",
  stores: "Boutiques",
  integrations: "Intégrations",
  usage: "Utilisation",
  operator: "Comptes",
  signOut: "Se déconnecter"
}

const es: LayoutText = {
  skip: "Saltar al contenido",
  sections: "Panel",
  ads: "Anuncios",
  products: "Productos",
  stores: "Tiendas",
  integrations: "Integraciones",
  usage: "Uso",
  operator: "Cuentas",
  signOut: "Cerrar sesión"
}

export const texts: Texts<LayoutText> = { en, de, fr, es }
