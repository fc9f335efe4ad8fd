/** The names of what a search can be narrowed and sorted by; values of closed lists such as `Shop Now` stay as they are. */
import type { AdSort, AdQuery } from "../../../domain/search/AdQuery.ts"
import type { ProductQuery, ProductSort } from "../../../domain/search/ProductQuery.ts"
import type { Texts } from "../shared/Locale.ts"

/** Of both pages. */
export type ArgumentName = keyof AdQuery | keyof ProductQuery

/** What the filters are sorted into. */
export type Group = "ads" | "products" | "store" | "market" | "technology"

/** Several arguments that one group of fields has; the others have one of their own, named like the argument. */
export type Bundle = "running" | "figures" | "trustpilot"

export interface FilterText {
  /** A record, so that an argument without a name does not compile. */
  readonly names: Readonly<Record<ArgumentName, string>>
  readonly hints: Readonly<Partial<Record<ArgumentName, string>>>
  readonly groups: Readonly<Record<Group, string>>
  readonly bundles: Readonly<Record<Bundle, string>>
  readonly sorts: Readonly<Record<AdSort | ProductSort, string>>
  readonly orders: Readonly<Record<"asc" | "desc", string>>
  readonly statuses: Readonly<Record<"all" | "active" | "inactive", string>>
  readonly from: string
  readonly to: string
  /** Of a list of names, the field for those that are not in the list. */
  readonly others: string
  readonly onePerLine: string
  readonly find: string
}

const en: FilterText = {
  names: {
    query: "Search",
    niches: "Niches",
    countries: "Countries",
    currencies: "Currencies",
    languages: "Languages",
    domains: "Domain endings",
    pixels: "Pixels",
    themes: "Themes",
    apps: "Apps",
    social_networks: "Social networks",
    monthly_revenue: "Revenue a month",
    monthly_visits: "Visits a month",
    traffic_growth_pct: "Traffic growth in %",
    active_ads: "Running ads",
    products_count: "Products",
    monthly_orders: "Orders a month",
    shop_created_between: "Store created",
    avg_price: "Average price",
    media_types: "Format",
    status: "Status",
    ctas: "Call to action",
    active_days: "Days running",
    ad_started_between: "Ad started",
    partnership_only: "Partnership ads only",
    trustpilot_rating: "Rating",
    trustpilot_reviews: "Reviews",
    price: "Price",
    sort_by: "Sort by",
    sort_order: "Order",
    page: "Page",
    per_page: "Per page"
  },
  hints: {
    niches: "A niche includes all niches below it.",
    domains: "Such as .com or .co.uk.",
    monthly_revenue: "Estimated, in the store's currency.",
    traffic_growth_pct: "Can be negative.",
    active_days: "Only ads that still run.",
    price: "In the store's currency.",
    trustpilot_rating: "From 0 to 5."
  },
  groups: {
    ads: "The ad",
    products: "The product",
    store: "The store",
    market: "Its market",
    technology: "Its technology"
  },
  bundles: { running: "Running time", figures: "Store figures", trustpilot: "Trustpilot" },
  sorts: {
    recommended: "Recommended",
    newest: "Newest",
    oldest: "Oldest",
    reach: "Reach",
    revenue: "Store revenue",
    traffic: "Store traffic",
    traffic_growth: "Traffic growth",
    orders: "Store orders",
    active_ads: "Running ads",
    price: "Price"
  },
  orders: { desc: "Highest first", asc: "Lowest first" },
  statuses: { all: "All", active: "Running", inactive: "Stopped" },
  from: "from",
  to: "to",
  others: "Others, one per line",
  onePerLine: "One per line",
  find: "Find in this list"
}

const de: FilterText = {
  names: {
    query: "Suche",
    niches: "Nischen",
    countries: "Länder",
    currencies: "Währungen",
    languages: "Sprachen",
    domains: "Domain-Endungen",
    pixels: "Pixel",
    themes: "Themes",
    apps: "Apps",
    social_networks: "Soziale Netzwerke",
    monthly_revenue: "Umsatz im Monat",
    monthly_visits: "Besuche im Monat",
    traffic_growth_pct: "Wachstum der Besuche in %",
    active_ads: "Laufende Anzeigen",
    products_count: "Produkte",
    monthly_orders: "Bestellungen im Monat",
    shop_created_between: "Shop gegründet",
    avg_price: "Durchschnittspreis",
    media_types: "Format",
    status: "Status",
    ctas: "Call-to-Action",
    active_days: "Tage Laufzeit",
    ad_started_between: "Anzeige gestartet",
    partnership_only: "Nur Partnerschaftsanzeigen",
    trustpilot_rating: "Bewertung",
    trustpilot_reviews: "Rezensionen",
    price: "Preis",
    sort_by: "Sortieren nach",
    sort_order: "Reihenfolge",
    page: "Seite",
    per_page: "Pro Seite"
  },
  hints: {
    niches: "Eine Nische umfasst alle Nischen darunter.",
    domains: "Zum Beispiel .com oder .co.uk.",
    monthly_revenue: "Geschätzt, in der Währung des Shops.",
    traffic_growth_pct: "Darf negativ sein.",
    active_days: "Nur Anzeigen, die noch laufen.",
    price: "In der Währung des Shops.",
    trustpilot_rating: "Von 0 bis 5."
  },
  groups: {
    ads: "Die Anzeige",
    products: "Das Produkt",
    store: "Der Shop",
    market: "Sein Markt",
    technology: "Seine Technik"
  },
  bundles: { running: "Laufzeit", figures: "Kennzahlen des Shops", trustpilot: "Trustpilot" },
  sorts: {
    recommended: "Empfehlung",
    newest: "Neueste",
    oldest: "Älteste",
    reach: "Reichweite",
    revenue: "Umsatz des Shops",
    traffic: "Besuche des Shops",
    traffic_growth: "Wachstum der Besuche",
    orders: "Bestellungen des Shops",
    active_ads: "Laufende Anzeigen",
    price: "Preis"
  },
  orders: { desc: "Höchste zuerst", asc: "Niedrigste zuerst" },
  statuses: { all: "Alle", active: "Läuft", inactive: "Beendet" },
  from: "von",
  to: "bis",
  others: "Weitere, je Zeile ein Wert",
  onePerLine: "Je Zeile ein Wert",
  find: "In dieser Liste suchen"
}

const fr: FilterText = {
  names: {
    query: "Recherche",
    niches: "Niches",
    countries: "Pays",
    currencies: "Devises",
    languages: "Langues",
    domains: "Extensions de domaine",
    pixels: "Pixels",
    themes: "Thèmes",
    apps: "Applications",
    social_networks: "Réseaux sociaux",
    monthly_revenue: "Chiffre d’affaires par mois",
    monthly_visits: "Visites par mois",
    traffic_growth_pct: "Croissance du trafic en %",
    active_ads: "Publicités en cours",
    products_count: "Produits",
    monthly_orders: "Commandes par mois",
    shop_created_between: "Création de la boutique",
    avg_price: "Prix moyen",
    media_types: "Format",
    status: "Statut",
    ctas: "Appel à l’action",
    active_days: "Jours de diffusion",
    ad_started_between: "Début de la publicité",
    partnership_only: "Partenariats uniquement",
    trustpilot_rating: "Note",
    trustpilot_reviews: "Nombre d’avis",
    price: "Prix",
    sort_by: "Trier par",
    sort_order: "Ordre",
    page: "Page",
    per_page: "Par page"
  },
  hints: {
    niches: "Une niche comprend toutes ses sous-niches.",
    domains: "Par exemple .com ou .co.uk.",
    monthly_revenue: "Estimation, dans la devise de la boutique.",
    traffic_growth_pct: "Peut être négative.",
    active_days: "Publicités encore en cours uniquement.",
    price: "Dans la devise de la boutique.",
    trustpilot_rating: "De 0 à 5."
  },
  groups: {
    ads: "La publicité",
    products: "Le produit",
    store: "La boutique",
    market: "Son marché",
    technology: "Sa technologie"
  },
  bundles: { running: "Diffusion", figures: "Chiffres de la boutique", trustpilot: "Trustpilot" },
  sorts: {
    recommended: "Recommandation",
    newest: "Plus récents",
    oldest: "Plus anciens",
    reach: "Portée",
    revenue: "Chiffre d’affaires",
    traffic: "Trafic de la boutique",
    traffic_growth: "Croissance du trafic",
    orders: "Commandes de la boutique",
    active_ads: "Publicités en cours",
    price: "Prix"
  },
  orders: { desc: "Décroissant", asc: "Croissant" },
  statuses: { all: "Toutes", active: "En cours", inactive: "Arrêtées" },
  from: "de",
  to: "à",
  others: "Autres, un par ligne",
  onePerLine: "Un par ligne",
  find: "Chercher dans cette liste"
}

const es: FilterText = {
  names: {
    query: "Búsqueda",
    niches: "Nichos",
    countries: "Países",
    currencies: "Monedas",
    languages: "Idiomas",
    domains: "Extensiones de dominio",
    pixels: "Píxeles",
    themes: "Temas",
    apps: "Aplicaciones",
    social_networks: "Redes sociales",
    monthly_revenue: "Ingresos al mes",
    monthly_visits: "Visitas al mes",
    traffic_growth_pct: "Crecimiento del tráfico en %",
    active_ads: "Anuncios en curso",
    products_count: "Productos",
    monthly_orders: "Pedidos al mes",
    shop_created_between: "Creación de la tienda",
    avg_price: "Precio medio",
    media_types: "Formato",
    status: "Estado",
    ctas: "Llamada a la acción",
    active_days: "Días en curso",
    ad_started_between: "Inicio del anuncio",
    partnership_only: "Solo colaboraciones",
    trustpilot_rating: "Valoración",
    trustpilot_reviews: "Número de reseñas",
    price: "Precio",
    sort_by: "Ordenar por",
    sort_order: "Orden",
    page: "Página",
    per_page: "Por página"
  },
  hints: {
    niches: "Un nicho incluye todos los que tiene debajo.",
    domains: "Por ejemplo .com o .co.uk.",
    monthly_revenue: "Estimados, en la moneda de la tienda.",
    traffic_growth_pct: "Puede ser negativo.",
    active_days: "Solo anuncios que siguen en curso.",
    price: "En la moneda de la tienda.",
    trustpilot_rating: "De 0 a 5."
  },
  groups: {
    ads: "El anuncio",
    products: "El producto",
    store: "La tienda",
    market: "Su mercado",
    technology: "Su tecnología"
  },
  bundles: { running: "Duración", figures: "Cifras de la tienda", trustpilot: "Trustpilot" },
  sorts: {
    recommended: "Recomendación",
    newest: "Más recientes",
    oldest: "Más antiguos",
    reach: "Alcance",
    revenue: "Ingresos de la tienda",
    traffic: "Tráfico de la tienda",
    traffic_growth: "Crecimiento del tráfico",
    orders: "Pedidos de la tienda",
    active_ads: "Anuncios en curso",
    price: "Precio"
  },
  orders: { desc: "De mayor a menor", asc: "De menor a mayor" },
  statuses: { all: "Todos", active: "En curso", inactive: "Finalizados" },
  from: "desde",
  to: "hasta",
  others: "Otros, uno por línea",
  onePerLine: "Uno por línea",
  find: "Buscar en esta lista"
}

export const texts: Texts<FilterText> = { en, de, fr, es }
