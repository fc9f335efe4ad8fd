/** What the Ads page and the Products page say around their filters and results. */
import type { Reason } from "../../../domain/search/AdNotice.ts"
import type { Advice } from "../../../domain/search/Narrowing.ts"
import type { Texts } from "../shared/Locale.ts"

export type Subject = "ads" | "products"

/** Counts come as they are written, and as numbers where they decide the form of a word. */
export interface SearchPageText {
  readonly headings: Readonly<Record<Subject, string>>
  /** What the words of the search box are looked for in. */
  readonly wordsIn: Readonly<Record<Subject, string>>
  readonly search: string
  readonly filters: string
  readonly apply: string
  readonly active: string
  readonly remove: (filter: string) => string
  readonly clear: string
  readonly several: (count: number) => string
  readonly results: string
  readonly total: Readonly<Record<Subject, (count: number, shown: string) => string>>
  readonly stores: (count: number, shown: string) => string
  /** Of counts in words. */
  readonly grouped: (ads: string, stores: string) => string
  readonly listed: (shown: string) => string
  readonly nothing: Readonly<Record<Subject, string>>
  readonly leaveOut: string
  readonly without: (filter: string) => string
  readonly noneYet: string
  readonly pastLast: string
  readonly toFirst: string
  readonly reasons: Readonly<Record<Exclude<Reason, "past_the_last_result">, string>>
  readonly error: string
  readonly mend: string
  readonly tooLong: (length: string, limit: string) => string
  readonly tooSlow: string
  readonly words: Readonly<Record<Exclude<Advice["words"], "none">, string>>
  readonly addFilter: string
  readonly narrowFilter: string
  readonly earlierPage: string
  readonly toolCall: string
  readonly toolCallHint: (tool: string) => string
}

const en: SearchPageText = {
  headings: { ads: "Ads", products: "Products" },
  wordsIn: { ads: "Ad copy, social pages, stores", products: "Product titles, stores, domains" },
  search: "Search",
  filters: "Filters",
  apply: "Apply filters",
  active: "Filters in use",
  remove: (filter) => `Remove: ${filter}`,
  clear: "Clear all",
  several: (count) => `${count} chosen`,
  results: "Results",
  total: {
    ads: (count, shown) => (count === 1 ? "1 ad" : `${shown} ads`),
    products: (count, shown) => (count === 1 ? "1 product" : `${shown} products`)
  },
  stores: (count, shown) => (count === 1 ? "1 store" : `${shown} stores`),
  grouped: (ads, stores) => `${ads} of ${stores}. One per store is shown, stores with most running ads first.`,
  listed: (shown) => `Only the first ${shown} are listed. Narrow the search to see others.`,
  nothing: { ads: "No ad matches all of these filters", products: "No product matches all of these filters" },
  leaveOut: "Leave one of them out:",
  without: (filter) => `Without ${filter}`,
  noneYet: "The catalog is empty. It fills with the first import.",
  pastLast: "This page is past the last result.",
  toFirst: "To the first page",
  reasons: {
    unknown_app:
      "An app whose name is not known matches nothing: choose one from the list, or check how it is written.",
    unknown_creation_date:
      "The creation date is not known of every store, and such stores never match: widen the dates or leave them out."
  },
  error: "Error",
  mend: "This search cannot be run as it is:",
  tooLong: (length, limit) =>
    `The address of this search has ${length} characters, of at most ${limit}. Choose fewer values.`,
  tooSlow: "This search took too long and was stopped",
  words: {
    short: "So few letters begin very many words: write a longer word.",
    one: "One common word has too many hits: add a second one.",
    several: "These words have too many hits: add a rarer one."
  },
  addFilter: "Add a filter on the store, such as niches, countries or visits a month.",
  narrowFilter: "Narrow the filters on the store, such as niches, countries or visits a month.",
  earlierPage: "Or go back to an earlier page.",
  toolCall: "Copy as tool call",
  toolCallHint: (tool) =>
    `This JSON-RPC message asks the tool ${tool} for exactly this search. A call by an agent costs 1 credit; looking here is free.`
}

const de: SearchPageText = {
  headings: { ads: "Anzeigen", products: "Produkte" },
  wordsIn: { ads: "Anzeigentext, Social-Media-Seiten, Shops", products: "Produkttitel, Shops, Domains" },
  search: "Suchen",
  filters: "Filter",
  apply: "Filter anwenden",
  active: "Aktive Filter",
  remove: (filter) => `Entfernen: ${filter}`,
  clear: "Alle entfernen",
  several: (count) => `${count} gewählt`,
  results: "Ergebnisse",
  total: {
    ads: (count, shown) => (count === 1 ? "1 Anzeige" : `${shown} Anzeigen`),
    products: (count, shown) => (count === 1 ? "1 Produkt" : `${shown} Produkte`)
  },
  stores: (count, shown) => (count === 1 ? "1 Shop" : `${shown} Shops`),
  grouped: (ads, stores) =>
    `${ads} von ${stores}. Je Shop ist eine zu sehen, die Shops mit den meisten laufenden Anzeigen zuerst.`,
  listed: (shown) => `Nur die ersten ${shown} sind aufgeführt. Grenzen Sie die Suche ein, um weitere zu sehen.`,
  nothing: { ads: "Keine Anzeige passt zu all diesen Filtern", products: "Kein Produkt passt zu all diesen Filtern" },
  leaveOut: "Lassen Sie einen davon weg:",
  without: (filter) => `Ohne ${filter}`,
  noneYet: "Der Katalog ist leer. Er füllt sich mit dem ersten Import.",
  pastLast: "Diese Seite liegt hinter dem letzten Ergebnis.",
  toFirst: "Zur ersten Seite",
  reasons: {
    unknown_app:
      "Eine App mit unbekanntem Namen passt zu nichts: wählen Sie eine aus der Liste, oder prüfen Sie die Schreibweise.",
    unknown_creation_date:
      "Das Gründungsdatum ist nicht von jedem Shop bekannt, und solche Shops passen nie: erweitern Sie den Zeitraum, oder lassen Sie ihn weg."
  },
  error: "Fehler",
  mend: "So lässt sich diese Suche nicht ausführen:",
  tooLong: (length, limit) =>
    `Die Adresse dieser Suche hat ${length} Zeichen, erlaubt sind ${limit}. Wählen Sie weniger Werte.`,
  tooSlow: "Diese Suche hat zu lange gedauert und wurde abgebrochen",
  words: {
    short: "Mit so wenigen Buchstaben beginnen sehr viele Wörter: schreiben Sie ein längeres.",
    one: "Ein häufiges Wort hat zu viele Treffer: schreiben Sie ein zweites dazu.",
    several: "Diese Wörter haben zu viele Treffer: schreiben Sie ein selteneres dazu."
  },
  addFilter: "Grenzen Sie die Shops ein, etwa mit Nischen, Ländern oder Besuchen im Monat.",
  narrowFilter: "Grenzen Sie die Shops enger ein, etwa mit Nischen, Ländern oder Besuchen im Monat.",
  earlierPage: "Oder gehen Sie zu einer früheren Seite zurück.",
  toolCall: "Als Tool-Aufruf kopieren",
  toolCallHint: (tool) =>
    `Diese JSON-RPC-Nachricht fragt das Tool ${tool} nach genau dieser Suche. Ein Aufruf durch einen Agenten kostet 1 Credit, hier zu schauen nichts.`
}

const fr: SearchPageText = {
  headings: { ads: "Publicités", products: "Produits" },
  wordsIn: { ads: "Textes, pages sociales, boutiques", products: "Titres, boutiques, domaines" },
  search: "Rechercher",
  filters: "Filtres",
  apply: "Appliquer les filtres",
  active: "Filtres actifs",
  remove: (filter) => `Retirer : ${filter}`,
  clear: "Tout effacer",
  several: (count) => `${count} choisis`,
  results: "Résultats",
  total: {
    ads: (count, shown) => `${shown} ${count < 2 ? "publicité" : "publicités"}`,
    products: (count, shown) => `${shown} ${count < 2 ? "produit" : "produits"}`
  },
  stores: (count, shown) => `${shown} ${count < 2 ? "boutique" : "boutiques"}`,
  grouped: (ads, stores) => `${ads}, ${stores}. Une par boutique, d’abord celles qui en ont le plus en cours.`,
  listed: (shown) => `Seuls les ${shown} premiers résultats sont listés. Affinez la recherche pour en voir d’autres.`,
  nothing: {
    ads: "Aucune publicité ne correspond à tous ces filtres",
    products: "Aucun produit ne correspond à tous ces filtres"
  },
  leaveOut: "Retirez-en un :",
  without: (filter) => `Sans ${filter}`,
  noneYet: "Le catalogue est vide. Il se remplit au premier import.",
  pastLast: "Cette page est au-delà du dernier résultat.",
  toFirst: "Vers la première page",
  reasons: {
    unknown_app:
      "Une application dont le nom est inconnu ne correspond à rien : choisissez-la dans la liste ou vérifiez son nom.",
    unknown_creation_date:
      "La date de création n’est pas connue pour toutes les boutiques, et celles-là ne correspondent jamais : élargissez les dates ou retirez-les."
  },
  error: "Erreur",
  mend: "Cette recherche ne peut pas être lancée telle quelle :",
  tooLong: (length, limit) =>
    `L’adresse de cette recherche a ${length} caractères, ${limit} au plus. Choisissez moins de valeurs.`,
  tooSlow: "Cette recherche a pris trop de temps et a été arrêtée",
  words: {
    short: "Si peu de lettres commencent un très grand nombre de mots : écrivez un mot plus long.",
    one: "Un mot courant donne trop de résultats : ajoutez-en un deuxième.",
    several: "Ces mots donnent trop de résultats : ajoutez-en un plus rare."
  },
  addFilter: "Ajoutez un filtre sur la boutique, par exemple niches, pays ou visites par mois.",
  narrowFilter: "Resserrez les filtres sur la boutique, par exemple niches, pays ou visites par mois.",
  earlierPage: "Ou revenez à une page précédente.",
  toolCall: "Copier comme appel d’outil",
  toolCallHint: (tool) =>
    `Ce message JSON-RPC demande à l’outil ${tool} exactement cette recherche. Un appel par un agent coûte 1 crédit ; regarder ici est gratuit.`
}

const es: SearchPageText = {
  headings: { ads: "Anuncios", products: "Productos" },
  wordsIn: { ads: "Textos, páginas sociales, tiendas", products: "Títulos, tiendas, dominios" },
  search: "Buscar",
  filters: "Filtros",
  apply: "Aplicar filtros",
  active: "Filtros activos",
  remove: (filter) => `Quitar: ${filter}`,
  clear: "Quitar todos",
  several: (count) => `${count} elegidos`,
  results: "Resultados",
  total: {
    ads: (count, shown) => (count === 1 ? "1 anuncio" : `${shown} anuncios`),
    products: (count, shown) => (count === 1 ? "1 producto" : `${shown} productos`)
  },
  stores: (count, shown) => (count === 1 ? "1 tienda" : `${shown} tiendas`),
  grouped: (ads, stores) => `${ads} de ${stores}. Se muestra uno por tienda, primero las que más tienen en curso.`,
  listed: (shown) => `Solo se muestran los primeros ${shown}. Acote la búsqueda para ver otros.`,
  nothing: {
    ads: "Ningún anuncio cumple todos estos filtros",
    products: "Ningún producto cumple todos estos filtros"
  },
  leaveOut: "Quite uno de ellos:",
  without: (filter) => `Sin ${filter}`,
  noneYet: "El catálogo está vacío. Se llena con la primera importación.",
  pastLast: "Esta página está más allá del último resultado.",
  toFirst: "A la primera página",
  reasons: {
    unknown_app: "Una aplicación de nombre desconocido no coincide con nada: elíjala de la lista o revise su nombre.",
    unknown_creation_date:
      "No se conoce la fecha de creación de todas las tiendas, y esas nunca coinciden: amplíe las fechas o quítelas."
  },
  error: "Error",
  mend: "Esta búsqueda no se puede hacer así:",
  tooLong: (length, limit) =>
    `La dirección de esta búsqueda tiene ${length} caracteres, de ${limit} como máximo. Elija menos valores.`,
  tooSlow: "Esta búsqueda ha tardado demasiado y se ha detenido",
  words: {
    short: "Muchísimas palabras empiezan por tan pocas letras: escriba una palabra más larga.",
    one: "Una palabra común tiene demasiados resultados: añada otra.",
    several: "Estas palabras tienen demasiados resultados: añada una más rara."
  },
  addFilter: "Añada un filtro sobre la tienda, por ejemplo nichos, países o visitas al mes.",
  narrowFilter: "Acote los filtros sobre la tienda, por ejemplo nichos, países o visitas al mes.",
  earlierPage: "O vuelva a una página anterior.",
  toolCall: "Copiar como llamada a herramienta",
  toolCallHint: (tool) =>
    `Este mensaje JSON-RPC pide a la herramienta ${tool} exactamente esta búsqueda. Una llamada de un agente cuesta 1 crédito; mirar aquí es gratis.`
}

export const texts: Texts<SearchPageText> = { en, de, fr, es }
