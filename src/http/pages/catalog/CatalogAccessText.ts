/** What those read who may not look at the catalog. */
import type { Texts } from "../shared/Locale.ts"

const en = {
  heading: "This needs an active plan",
  need: "Ads, products and stores are shown with an active Growth or Pro subscription.",
  have: (plan: string, status: string) => `This account's plan is ${plan}; its subscription is ${status}.`,
  kept: "Your keys, connected apps and tracked stores are kept and work again at once."
}
export type CatalogAccessText = typeof en

const de: CatalogAccessText = {
  heading: "Dafür braucht es einen aktiven Tarif",
  need: "Anzeigen, Produkte und Shops gibt es mit einem aktiven Abonnement von Growth oder Pro zu sehen.",
  have: (plan, status) => `Der Tarif dieses Kontos ist ${plan}, sein Abonnement ist ${status}.`,
  kept: "Schlüssel, verbundene Apps und beobachtete Shops bleiben erhalten und funktionieren dann sofort wieder."
}

const fr: CatalogAccessText = {
  heading: "Il faut un abonnement actif",
  need: "Les publicités, les produits et les boutiques sont visibles avec un abonnement Growth ou Pro actif.",
  have: (plan, status) => `Le forfait de ce compte est ${plan} ; son abonnement est ${status}.`,
  kept: "Vos clés, applications connectées et boutiques suivies sont conservées et refonctionneront aussitôt."
}

const es: CatalogAccessText = {
  heading: "Hace falta un plan activo",
  need: "Los anuncios, los productos y las tiendas se ven con una suscripción Growth o Pro activa.",
  have: (plan, status) => `El plan de esta cuenta es ${plan}; su suscripción está ${status}.`,
  kept: "Sus claves, aplicaciones conectadas y tiendas seguidas se conservan y volverán a funcionar al instante."
}

export const texts: Texts<CatalogAccessText> = { en, de, fr, es }
