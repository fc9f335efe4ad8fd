/** What a store's page says. */
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import type { Texts } from "../shared/Locale.ts"
import { storesPath } from "./StorePaths.ts"

const tool: Html = html`<code>get_product</code>`

const en = {
  tracked: "Tracked",
  own: "Your own store",
  track: "Track this store",
  untrack: "Stop tracking",
  /** What tracking is for, by how the account stands to the store. */
  standing: {
    none: html`Track this store, and ${tool} gives your agents the description, variants and images of its products.`,
    tracked: html`You track this store: ${tool} gives your agents the description, variants and images of its products.`,
    own: html`This is a store of your own brand: ${tool} gives your agents its products' details. Tracking does not
    change that.`
  },
  done: {
    tracked: html`You track this store now. ${tool} works for its products at once.`,
    untracked: html`You no longer track this store. ${tool} no longer gives the details of its products.`,
    own: html`Nothing was changed: this is a store of your own brand, and stays that.`,
    full: (most: string) =>
      html`This store is not tracked: you have ${most} tracked and own stores, the most there can be.
        <a href="${storesPath}">Stop tracking another one</a> first.`
  },
  figures: "Figures",
  estimated: "Revenue, orders and visits are monthly estimates.",
  unknown: "Not known",
  none: "None known",
  revenue: "Revenue a month",
  orders: "Orders a month",
  visits: "Visits a month",
  growth: "Traffic growth",
  activeAds: "Running ads",
  products: "Products",
  averagePrice: "Average price",
  rating: "Trustpilot rating",
  ratingOf: (rating: string) => `${rating} of 5`,
  reviews: "Trustpilot reviews",
  created: "Created",
  country: "Country",
  currency: "Currency",
  languages: "Languages",
  theme: "Theme",
  traffic: "Traffic",
  trafficTitle: "Visits by month, estimated",
  month: "Month",
  monthVisits: "Visits",
  noTraffic: "No visits are on record for this store.",
  about: "About the store",
  niche: "Niche",
  apps: "Apps",
  moreApps: (count: string) => `${count} more`,
  pixels: "Pixels",
  networks: "Social networks",
  newestProducts: "Newest products",
  noProducts: "No products of this store are on record.",
  moreProducts: "Search products by its domain",
  runningAds: "Running ads, newest first",
  noAds: "No ads of this store are running.",
  moreAds: "Search ads by its name"
}
export type StorePageText = typeof en

const de: StorePageText = {
  tracked: "Beobachtet",
  own: "Eigener Shop",
  track: "Shop beobachten",
  untrack: "Nicht mehr beobachten",
  standing: {
    none: html`Beobachten Sie diesen Shop, und ${tool} gibt Ihren Agenten Beschreibung, Varianten und Bilder seiner
    Produkte.`,
    tracked: html`Sie beobachten diesen Shop: ${tool} gibt Ihren Agenten Beschreibung, Varianten und Bilder seiner
    Produkte.`,
    own: html`Das ist ein Shop Ihrer eigenen Marke: ${tool} gibt Ihren Agenten die Einzelheiten seiner Produkte.
    Beobachten ändert daran nichts.`
  },
  done: {
    tracked: html`Sie beobachten diesen Shop jetzt. ${tool} gilt ab sofort auch für seine Produkte.`,
    untracked: html`Sie beobachten diesen Shop nicht mehr. ${tool} gibt keine Einzelheiten seiner Produkte mehr.`,
    own: html`Es wurde nichts geändert: Das ist ein Shop Ihrer eigenen Marke und bleibt es.`,
    full: (most) =>
      html`Dieser Shop wird nicht beobachtet: Sie haben ${most} beobachtete und eigene Shops, mehr geht nicht.
        <a href="${storesPath}">Beobachten Sie zuerst einen anderen nicht mehr</a>.`
  },
  figures: "Zahlen",
  estimated: "Umsatz, Bestellungen und Besuche sind monatliche Schätzungen.",
  unknown: "Nicht bekannt",
  none: "Keine bekannt",
  revenue: "Umsatz im Monat",
  orders: "Bestellungen im Monat",
  visits: "Besuche im Monat",
  growth: "Wachstum der Besuche",
  activeAds: "Laufende Anzeigen",
  products: "Produkte",
  averagePrice: "Durchschnittspreis",
  rating: "Trustpilot-Bewertung",
  ratingOf: (rating) => `${rating} von 5`,
  reviews: "Trustpilot-Rezensionen",
  created: "Gegründet",
  country: "Land",
  currency: "Währung",
  languages: "Sprachen",
  theme: "Theme",
  traffic: "Besuche",
  trafficTitle: "Besuche nach Monaten, geschätzt",
  month: "Monat",
  monthVisits: "Besuche",
  noTraffic: "Zu diesem Shop sind keine Besuche verzeichnet.",
  about: "Über den Shop",
  niche: "Nische",
  apps: "Apps",
  moreApps: (count) => `${count} weitere`,
  pixels: "Pixel",
  networks: "Soziale Netzwerke",
  newestProducts: "Neueste Produkte",
  noProducts: "Von diesem Shop sind keine Produkte verzeichnet.",
  moreProducts: "Produkte nach seiner Domain suchen",
  runningAds: "Laufende Anzeigen, neueste zuerst",
  noAds: "Von diesem Shop laufen keine Anzeigen.",
  moreAds: "Anzeigen nach seinem Namen suchen"
}

const fr: StorePageText = {
  tracked: "Suivie",
  own: "Votre boutique",
  track: "Suivre cette boutique",
  untrack: "Ne plus suivre",
  standing: {
    none: html`Suivez cette boutique, et ${tool} donnera à vos agents la description, les variantes et les images de ses
    produits.`,
    tracked: html`Vous suivez cette boutique : ${tool} donne à vos agents la description, les variantes et les images de
    ses produits.`,
    own: html`C’est une boutique de votre marque : ${tool} donne à vos agents le détail de ses produits. Le suivi n’y
    change rien.`
  },
  done: {
    tracked: html`Vous suivez maintenant cette boutique. ${tool} fonctionne aussitôt pour ses produits.`,
    untracked: html`Vous ne suivez plus cette boutique. ${tool} ne donne plus le détail de ses produits.`,
    own: html`Rien n’a été modifié : c’est une boutique de votre marque, et elle le reste.`,
    full: (most) =>
      html`Cette boutique n’est pas suivie : vous avez ${most} boutiques suivies ou à vous, le maximum.
        <a href="${storesPath}">Cessez d’abord d’en suivre une autre</a>.`
  },
  figures: "Chiffres",
  estimated: "Le chiffre d’affaires, les commandes et les visites sont des estimations mensuelles.",
  unknown: "Inconnu",
  none: "Aucun connu",
  revenue: "Chiffre d’affaires par mois",
  orders: "Commandes par mois",
  visits: "Visites par mois",
  growth: "Croissance du trafic",
  activeAds: "Publicités en cours",
  products: "Produits",
  averagePrice: "Prix moyen",
  rating: "Note Trustpilot",
  ratingOf: (rating) => `${rating} sur 5`,
  reviews: "Avis Trustpilot",
  created: "Créée",
  country: "Pays",
  currency: "Devise",
  languages: "Langues",
  theme: "Thème",
  traffic: "Trafic",
  trafficTitle: "Visites par mois, estimées",
  month: "Mois",
  monthVisits: "Visites",
  noTraffic: "Aucune visite n’est enregistrée pour cette boutique.",
  about: "À propos de la boutique",
  niche: "Niche",
  apps: "Applications",
  moreApps: (count) => `${count} de plus`,
  pixels: "Pixels",
  networks: "Réseaux sociaux",
  newestProducts: "Derniers produits",
  noProducts: "Aucun produit de cette boutique n’est enregistré.",
  moreProducts: "Chercher les produits par son domaine",
  runningAds: "Publicités en cours, les plus récentes d’abord",
  noAds: "Aucune publicité de cette boutique n’est en cours.",
  moreAds: "Chercher les publicités par son nom"
}

const es: StorePageText = {
  tracked: "Seguida",
  own: "Su tienda",
  track: "Seguir esta tienda",
  untrack: "Dejar de seguir",
  standing: {
    none: html`Siga esta tienda, y ${tool} dará a sus agentes la descripción, las variantes y las imágenes de sus
    productos.`,
    tracked: html`Usted sigue esta tienda: ${tool} da a sus agentes la descripción, las variantes y las imágenes de sus
    productos.`,
    own: html`Es una tienda de su propia marca: ${tool} da a sus agentes los detalles de sus productos. Seguirla no
    cambia nada.`
  },
  done: {
    tracked: html`Ahora sigue esta tienda. ${tool} funciona al instante con sus productos.`,
    untracked: html`Ya no sigue esta tienda. ${tool} ya no da los detalles de sus productos.`,
    own: html`No se ha cambiado nada: es una tienda de su propia marca y lo sigue siendo.`,
    full: (most) =>
      html`Esta tienda no se sigue: tiene ${most} tiendas seguidas y propias, el máximo posible.
        <a href="${storesPath}">Deje antes de seguir otra</a>.`
  },
  figures: "Cifras",
  estimated: "Los ingresos, los pedidos y las visitas son estimaciones mensuales.",
  unknown: "Se desconoce",
  none: "Ninguno conocido",
  revenue: "Ingresos al mes",
  orders: "Pedidos al mes",
  visits: "Visitas al mes",
  growth: "Crecimiento del tráfico",
  activeAds: "Anuncios en curso",
  products: "Productos",
  averagePrice: "Precio medio",
  rating: "Valoración en Trustpilot",
  ratingOf: (rating) => `${rating} de 5`,
  reviews: "Reseñas en Trustpilot",
  created: "Creada",
  country: "País",
  currency: "Moneda",
  languages: "Idiomas",
  theme: "Tema",
  traffic: "Tráfico",
  trafficTitle: "Visitas por mes, estimadas",
  month: "Mes",
  monthVisits: "Visitas",
  noTraffic: "No hay visitas registradas de esta tienda.",
  about: "Sobre la tienda",
  niche: "Nicho",
  apps: "Aplicaciones",
  moreApps: (count) => `${count} más`,
  pixels: "Píxeles",
  networks: "Redes sociales",
  newestProducts: "Productos más recientes",
  noProducts: "No hay productos registrados de esta tienda.",
  moreProducts: "Buscar productos por su dominio",
  runningAds: "Anuncios en curso, los más recientes primero",
  noAds: "Esta tienda no tiene anuncios en curso.",
  moreAds: "Buscar anuncios por su nombre"
}

export const texts: Texts<StorePageText> = { en, de, fr, es }
