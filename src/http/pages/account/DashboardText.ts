/** What the dashboard's first page says. */
import type { Section } from "../shared/Layout.ts"
import type { Texts } from "../shared/Locale.ts"

export interface DashboardText {
  readonly heading: string
  readonly creditsLeft: string
  /** After the credits that are left. */
  readonly ofAllowance: (allowance: string) => string
  readonly noCredits: string
  readonly renews: string
  readonly plan: string
  readonly connected: string
  readonly keysAndApps: (keys: number, apps: number) => string
  readonly start: string
  readonly startAbout: string
  readonly done: string
  readonly connect: string
  readonly connectAbout: string
  readonly toIntegrations: string
  readonly call: string
  readonly callAbout: string
  readonly look: string
  readonly lookAbout: string
  readonly toAds: string
  readonly address: string
  readonly sections: string
  readonly about: Readonly<Record<Exclude<Section, "operator">, string>>
  readonly account: string
}

const en: DashboardText = {
  heading: "Overview",
  creditsLeft: "Credits left",
  ofAllowance: (allowance) => `of ${allowance}`,
  noCredits: "None with this plan",
  renews: "Credits renew",
  plan: "Plan",
  connected: "Connected",
  keysAndApps: (keys, apps) => `${keys === 1 ? "1 key" : `${keys} keys`}, ${apps === 1 ? "1 app" : `${apps} apps`}`,
  start: "Get started",
  startAbout: "Three steps, and your AI agent can look for stores, products and ads.",
  done: "Done",
  connect: "Connect an app, or create a key",
  connectAbout: "Apps sign in by themselves once you give them the address below. Scripts and servers take an API key.",
  toIntegrations: "To the integrations",
  call: "Make a first call",
  callAbout: "Ask your agent for your usage: that is free, and shows that the connection works.",
  look: "Look at the ads",
  lookAbout: "The same search as your agent has, as a page. Looking costs no credits.",
  toAds: "To the ads",
  address: "Address for AI agents",
  sections: "Where to go",
  about: {
    ads: "What stores advertise on social platforms.",
    products: "What stores sell, best chances first.",
    stores: "Find a store, and track it.",
    integrations: "API keys and connected apps.",
    usage: "Calls and credits, day by day.",
    account: "Your password, and where you are signed in."
  },
  account: "Account"
}

const de: DashboardText = {
  heading: "Übersicht",
  creditsLeft: "Verbleibende Credits",
  ofAllowance: (allowance) => `von ${allowance}`,
  noCredits: "Keine in diesem Tarif",
  renews: "Neue Credits am",
  plan: "Tarif",
  connected: "Verbunden",
  keysAndApps: (keys, apps) => `${keys} Schlüssel, ${apps === 1 ? "1 App" : `${apps} Apps`}`,
  start: "Erste Schritte",
  startAbout: "Drei Schritte, und Ihr KI-Agent kann nach Shops, Produkten und Anzeigen suchen.",
  done: "Erledigt",
  connect: "Eine App verbinden oder einen Schlüssel erstellen",
  connectAbout:
    "Apps melden sich selbst an, sobald Sie ihnen die Adresse unten geben. Skripte und Server bekommen einen API-Schlüssel.",
  toIntegrations: "Zu den Integrationen",
  call: "Einen ersten Aufruf machen",
  callAbout: "Fragen Sie Ihren Agenten nach Ihrer Nutzung: Das kostet nichts und zeigt, dass die Verbindung steht.",
  look: "Die Anzeigen ansehen",
  lookAbout: "Dieselbe Suche, die Ihr Agent hat, als Seite. Ansehen kostet keine Credits.",
  toAds: "Zu den Anzeigen",
  address: "Adresse für KI-Agenten",
  sections: "Wohin möchten Sie?",
  about: {
    ads: "Womit Shops auf sozialen Plattformen werben.",
    products: "Was Shops verkaufen, das Aussichtsreichste zuerst.",
    stores: "Einen Shop finden und beobachten.",
    integrations: "API-Schlüssel und verbundene Apps.",
    usage: "Aufrufe und Credits, Tag für Tag.",
    account: "Ihr Passwort, und wo Sie angemeldet sind."
  },
  account: "Konto"
}

const fr: DashboardText = {
  heading: "Vue d’ensemble",
  creditsLeft: "Crédits restants",
  ofAllowance: (allowance) => `sur ${allowance}`,
  noCredits: "Aucun avec ce forfait",
  renews: "Renouvellement",
  plan: "Forfait",
  connected: "Connexions",
  keysAndApps: (keys, apps) =>
    `${keys === 1 ? "1 clé" : `${keys} clés`}, ${apps === 1 ? "1 application" : `${apps} applications`}`,
  start: "Pour commencer",
  startAbout: "Trois étapes, et votre agent d’IA peut chercher des boutiques, des produits et des publicités.",
  done: "Fait",
  connect: "Connecter une application ou créer une clé",
  connectAbout:
    "Les applications se connectent d’elles-mêmes dès que vous leur donnez l’adresse ci-dessous. Les scripts et les serveurs reçoivent une clé d’API.",
  toIntegrations: "Vers les intégrations",
  call: "Faire un premier appel",
  callAbout: "Demandez à votre agent votre utilisation : c’est gratuit et cela montre que la connexion fonctionne.",
  look: "Regarder les publicités",
  lookAbout: "La même recherche que celle de votre agent, sous forme de page. Regarder ne coûte aucun crédit.",
  toAds: "Vers les publicités",
  address: "Adresse pour les agents d’IA",
  sections: "Où aller",
  about: {
    ads: "Ce que les boutiques diffusent sur les réseaux sociaux.",
    products: "Ce que les boutiques vendent, le plus prometteur d’abord.",
    stores: "Trouver une boutique et la suivre.",
    integrations: "Clés d’API et applications connectées.",
    usage: "Appels et crédits, jour par jour.",
    account: "Votre mot de passe et vos sessions ouvertes."
  },
  account: "Compte"
}

const es: DashboardText = {
  heading: "Resumen",
  creditsLeft: "Créditos restantes",
  ofAllowance: (allowance) => `de ${allowance}`,
  noCredits: "Ninguno con este plan",
  renews: "Renovación",
  plan: "Plan",
  connected: "Conexiones",
  keysAndApps: (keys, apps) =>
    `${keys === 1 ? "1 clave" : `${keys} claves`}, ${apps === 1 ? "1 aplicación" : `${apps} aplicaciones`}`,
  start: "Primeros pasos",
  startAbout: "Tres pasos y su agente de IA podrá buscar tiendas, productos y anuncios.",
  done: "Hecho",
  connect: "Conectar una aplicación o crear una clave",
  connectAbout:
    "Las aplicaciones inician sesión por sí mismas en cuanto les da la dirección de abajo. Los scripts y servidores usan una clave de API.",
  toIntegrations: "A las integraciones",
  call: "Hacer una primera llamada",
  callAbout: "Pregunte a su agente por su uso: es gratis y muestra que la conexión funciona.",
  look: "Mirar los anuncios",
  lookAbout: "La misma búsqueda que tiene su agente, como página. Mirar no cuesta créditos.",
  toAds: "A los anuncios",
  address: "Dirección para agentes de IA",
  sections: "A dónde ir",
  about: {
    ads: "Lo que las tiendas anuncian en las redes sociales.",
    products: "Lo que venden las tiendas, lo más prometedor primero.",
    stores: "Encontrar una tienda y seguirla.",
    integrations: "Claves de API y aplicaciones conectadas.",
    usage: "Llamadas y créditos, día a día.",
    account: "Su contraseña y dónde tiene la sesión abierta."
  },
  account: "Cuenta"
}

export const texts: Texts<DashboardText> = { en, de, fr, es }
