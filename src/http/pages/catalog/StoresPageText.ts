/** What the page of stores says; figures and what can be done with a store are named as on its own page (StorePageText). */
import type { Texts } from "../shared/Locale.ts"

const en = {
  heading: "Stores",
  search: "Find a store by its name or domain",
  searchButton: "Search",
  badQuery: "Enter 1 to 200 characters, with a letter, a digit or a symbol among them.",
  found: (query: string) => `Stores that match “${query}”`,
  noneFound: "No store's name or domain has all of these words.",
  noneFoundNext: "Try fewer words, or the beginning of the domain.",
  backToTracked: "Back to your stores",
  followed: "Stores you track",
  followedCount: (count: string, most: string) => `${count} of at most ${most}; your own brand's stores come first.`,
  empty: "You track no stores yet.",
  emptyNext:
    "Track a store to give your agents its products' descriptions, variants and images. Search for one above, or follow the dashboard link of any result.",
  store: "Store",
  growth: "Growth",
  actions: "Actions",
  untrackOf: (name: string) => `Stop tracking ${name}`,
  untracked: "You no longer track that store.",
  untrackedOwn: "Nothing was changed: that is a store of your own brand, and stays that."
}
export type StoresPageText = typeof en

const de: StoresPageText = {
  heading: "Shops",
  search: "Shop nach Name oder Domain finden",
  searchButton: "Suchen",
  badQuery: "Geben Sie 1 bis 200 Zeichen ein, darunter einen Buchstaben, eine Ziffer oder ein Symbol.",
  found: (query) => `Shops zu „${query}“`,
  noneFound: "Kein Shop hat alle diese Wörter im Namen oder in der Domain.",
  noneFoundNext: "Versuchen Sie es mit weniger Wörtern oder mit dem Anfang der Domain.",
  backToTracked: "Zurück zu Ihren Shops",
  followed: "Beobachtete Shops",
  followedCount: (count, most) => `${count} von höchstens ${most}; die Shops Ihrer eigenen Marke zuerst.`,
  empty: "Sie beobachten noch keine Shops.",
  emptyNext:
    "Beobachten Sie einen Shop, um Ihren Agenten Beschreibungen, Varianten und Bilder seiner Produkte zu geben. Suchen Sie oben einen, oder folgen Sie dem Dashboard-Link eines Ergebnisses.",
  store: "Shop",
  growth: "Wachstum",
  actions: "Aktionen",
  untrackOf: (name) => `Nicht mehr beobachten: ${name}`,
  untracked: "Sie beobachten diesen Shop nicht mehr.",
  untrackedOwn: "Es wurde nichts geändert: Das ist ein Shop Ihrer eigenen Marke und bleibt es."
}

const fr: StoresPageText = {
  heading: "Boutiques",
  search: "Trouver une boutique par son nom ou son domaine",
  searchButton: "Rechercher",
  badQuery: "Saisissez de 1 à 200 caractères, dont une lettre, un chiffre ou un symbole.",
  found: (query) => `Boutiques correspondant à « ${query} »`,
  noneFound: "Aucune boutique n’a tous ces mots dans son nom ou son domaine.",
  noneFoundNext: "Essayez avec moins de mots, ou avec le début du domaine.",
  backToTracked: "Retour à vos boutiques",
  followed: "Boutiques suivies",
  followedCount: (count, most) => `${count} sur ${most} au plus ; celles de votre marque d’abord.`,
  empty: "Vous ne suivez encore aucune boutique.",
  emptyNext:
    "Suivez une boutique pour donner à vos agents les descriptions, variantes et images de ses produits. Cherchez-en une ci-dessus, ou suivez le lien vers le tableau de bord d’un résultat.",
  store: "Boutique",
  growth: "Croissance",
  actions: "Actions",
  untrackOf: (name) => `Ne plus suivre ${name}`,
  untracked: "Vous ne suivez plus cette boutique.",
  untrackedOwn: "Rien n’a été modifié : c’est une boutique de votre marque, et elle le reste."
}

const es: StoresPageText = {
  heading: "Tiendas",
  search: "Buscar una tienda por su nombre o dominio",
  searchButton: "Buscar",
  badQuery: "Escriba de 1 a 200 caracteres, con alguna letra, cifra o símbolo.",
  found: (query) => `Tiendas que coinciden con «${query}»`,
  noneFound: "Ninguna tienda tiene todas estas palabras en su nombre o dominio.",
  noneFoundNext: "Pruebe con menos palabras o con el comienzo del dominio.",
  backToTracked: "Volver a sus tiendas",
  followed: "Tiendas que sigue",
  followedCount: (count, most) => `${count} de ${most} como máximo; primero las de su propia marca.`,
  empty: "Aún no sigue ninguna tienda.",
  emptyNext:
    "Siga una tienda para dar a sus agentes las descripciones, variantes e imágenes de sus productos. Búsquela arriba o siga el enlace al panel de cualquier resultado.",
  store: "Tienda",
  growth: "Crecimiento",
  actions: "Acciones",
  untrackOf: (name) => `Dejar de seguir ${name}`,
  untracked: "Ya no sigue esa tienda.",
  untrackedOwn: "No se ha cambiado nada: es una tienda de su propia marca y lo sigue siendo."
}

export const texts: Texts<StoresPageText> = { en, de, fr, es }
