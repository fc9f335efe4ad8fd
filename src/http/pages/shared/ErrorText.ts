/** What a person reads when a page cannot be shown. */
import type { PageError } from "./ErrorPage.ts"
import type { Section } from "./Layout.ts"
import { html } from "./Html.ts"
import type { Html } from "./Html.ts"
import type { Texts } from "./Locale.ts"

interface Said {
  readonly heading: string
  readonly said: string
}

export interface ErrorText {
  /** A record, so that a new error does not compile until it is said what people read. */
  readonly errors: Readonly<Record<PageError["_tag"], Said>>
  /** When there are looks again: of the limit of a day, and the moment. */
  readonly renewal: (limit: string, at: Html) => Html
  readonly toDashboard: string
  readonly reference: string
  readonly signIn: string
  /** Before the places. */
  readonly wanted: string
  readonly overview: string
  readonly places: Readonly<Record<Exclude<Section, "operator">, string>>
}

const en: ErrorText = {
  errors: {
    FormUnreadable: {
      heading: "This form could not be read",
      said: "Nothing was changed. Go back, reload the page and try again."
    },
    FormRejected: {
      heading: "This page is out of date",
      said:
        "Nothing was changed. Since the page was opened, you have signed out or signed in again, perhaps as someone else, " +
        "or the form was sent by another site. Go back, reload the page and try again."
    },
    LooksUsedUp: {
      heading: "Today’s pages are used up",
      said: "Nothing was changed. API keys, connected apps, usage and your account are open as always, and tools go on."
    },
    PageNotFound: {
      heading: "There is no such page",
      said: "The address may be mistyped, or what it led to is not there any more."
    },
    PageBroken: {
      heading: "Something went wrong on our side",
      said: "It has been recorded. Try again; if it stays, tell the support the reference below."
    },
    PasswordsBusy: {
      heading: "Too many people are signing in right now",
      said: "Nothing was changed. Wait a few seconds, then reload this page to try again."
    },
    RateLimited: {
      heading: "Too many pages in a short time",
      said: "Nothing was changed. Wait a moment, then reload the page."
    },
    SearchTimeout: {
      heading: "This took too long",
      said: "The search was stopped. Try again in a moment, or ask for less at once."
    },
    ServiceUnavailable: {
      heading: "The service is not reachable right now",
      said: "Nothing was changed. Try again in a moment."
    }
  },
  renewal: (limit, at) =>
    html`An account may look at ${limit} pages of ads, products and stores a day. You can go on at ${at}.`,
  toDashboard: "To the dashboard",
  reference: "Reference",
  signIn: "Sign in",
  wanted: "You may have been looking for:",
  overview: "the overview, with your plan and credits",
  places: {
    ads: "ads, by the stores that run them",
    products: "products that stores sell",
    stores: "stores, and those that you track",
    integrations: "API keys and connected apps",
    usage: "calls and credits by day",
    account: "your password, and where you are signed in"
  }
}

const de: ErrorText = {
  errors: {
    FormUnreadable: {
      heading: "Dieses Formular war nicht lesbar",
      said: "Es wurde nichts geändert. Gehen Sie zurück, laden Sie die Seite neu und versuchen Sie es noch einmal."
    },
    FormRejected: {
      heading: "Diese Seite ist nicht mehr aktuell",
      said:
        "Es wurde nichts geändert. Seit die Seite geöffnet wurde, haben Sie sich ab- oder neu angemeldet, vielleicht mit " +
        "einem anderen Konto, oder das Formular kam von einer fremden Seite. Gehen Sie zurück, laden Sie die Seite neu und " +
        "versuchen Sie es noch einmal."
    },
    LooksUsedUp: {
      heading: "Die Seiten für heute sind aufgebraucht",
      said: "Es wurde nichts geändert. API-Schlüssel, verbundene Apps, Nutzung und Ihr Konto sind offen wie immer, und die Tools arbeiten weiter."
    },
    PageNotFound: {
      heading: "Diese Seite gibt es nicht",
      said: "Vielleicht ist die Adresse falsch geschrieben, oder was dort war, gibt es nicht mehr."
    },
    PageBroken: {
      heading: "Bei uns ist etwas schiefgegangen",
      said: "Der Fehler ist aufgezeichnet. Versuchen Sie es noch einmal; bleibt er, nennen Sie dem Support die Referenz unten."
    },
    PasswordsBusy: {
      heading: "Gerade melden sich zu viele Personen an",
      said: "Es wurde nichts geändert. Warten Sie einige Sekunden und laden Sie diese Seite dann neu."
    },
    RateLimited: {
      heading: "Zu viele Seiten in kurzer Zeit",
      said: "Es wurde nichts geändert. Warten Sie einen Moment und laden Sie die Seite dann neu."
    },
    SearchTimeout: {
      heading: "Das hat zu lange gedauert",
      said: "Die Suche wurde abgebrochen. Versuchen Sie es gleich noch einmal, oder fragen Sie nach weniger auf einmal."
    },
    ServiceUnavailable: {
      heading: "Der Dienst ist gerade nicht erreichbar",
      said: "Es wurde nichts geändert. Versuchen Sie es gleich noch einmal."
    }
  },
  renewal: (limit, at) =>
    html`Ein Konto kann am Tag ${limit} Seiten mit Anzeigen, Produkten und Shops ansehen. Weiter geht es ab ${at}.`,
  toDashboard: "Zum Dashboard",
  reference: "Referenz",
  signIn: "Anmelden",
  wanted: "Vielleicht haben Sie das gesucht:",
  overview: "die Übersicht mit Tarif und Credits",
  places: {
    ads: "Anzeigen und die Shops, die sie schalten",
    products: "Produkte, die Shops verkaufen",
    stores: "Shops, auch die, die Sie beobachten",
    integrations: "API-Schlüssel und verbundene Apps",
    usage: "Aufrufe und Credits nach Tagen",
    account: "Ihr Passwort, und wo Sie angemeldet sind"
  }
}

const fr: ErrorText = {
  errors: {
    FormUnreadable: {
      heading: "Ce formulaire est illisible",
      said: "Rien n’a été modifié. Revenez en arrière, rechargez la page et réessayez."
    },
    FormRejected: {
      heading: "Cette page n’est plus à jour",
      said:
        "Rien n’a été modifié. Depuis l’ouverture de la page, vous vous êtes déconnecté ou reconnecté, peut-être avec un " +
        "autre compte, ou le formulaire a été envoyé par un autre site. Revenez en arrière, rechargez la page et réessayez."
    },
    LooksUsedUp: {
      heading: "Les pages d’aujourd’hui sont épuisées",
      said: "Rien n’a été modifié. Les clés d’API, les applications connectées, l’utilisation et votre compte restent accessibles, et les outils continuent de fonctionner."
    },
    PageNotFound: {
      heading: "Cette page n’existe pas",
      said: "L’adresse est peut-être mal écrite, ou ce qu’elle désignait n’existe plus."
    },
    PageBroken: {
      heading: "Une erreur s’est produite de notre côté",
      said: "Elle a été enregistrée. Réessayez ; si elle persiste, indiquez au support la référence ci-dessous."
    },
    PasswordsBusy: {
      heading: "Trop de personnes se connectent en ce moment",
      said: "Rien n’a été modifié. Patientez quelques secondes, puis rechargez cette page."
    },
    RateLimited: {
      heading: "Trop de pages en peu de temps",
      said: "Rien n’a été modifié. Patientez un instant, puis rechargez la page."
    },
    SearchTimeout: {
      heading: "Cela a pris trop de temps",
      said: "La recherche a été interrompue. Réessayez dans un instant, ou demandez moins à la fois."
    },
    ServiceUnavailable: {
      heading: "Le service est injoignable pour le moment",
      said: "Rien n’a été modifié. Réessayez dans un instant."
    }
  },
  renewal: (limit, at) =>
    html`Un compte peut consulter ${limit} pages de publicités, de produits et de boutiques par jour. Vous pourrez
    continuer à partir du ${at}.`,
  toDashboard: "Vers le tableau de bord",
  reference: "Référence",
  signIn: "Se connecter",
  wanted: "Vous cherchiez peut-être :",
  overview: "la vue d’ensemble, avec votre forfait et vos crédits",
  places: {
    ads: "les publicités et les boutiques qui les diffusent",
    products: "les produits que vendent les boutiques",
    stores: "les boutiques, dont celles que vous suivez",
    integrations: "les clés d’API et les applications connectées",
    usage: "les appels et les crédits par jour",
    account: "votre mot de passe et vos sessions ouvertes"
  }
}

const es: ErrorText = {
  errors: {
    FormUnreadable: {
      heading: "No se pudo leer este formulario",
      said: "No se ha cambiado nada. Vuelva atrás, recargue la página e inténtelo de nuevo."
    },
    FormRejected: {
      heading: "Esta página ya no está al día",
      said:
        "No se ha cambiado nada. Desde que se abrió la página, usted cerró la sesión o inició otra, quizá con otra cuenta, " +
        "o el formulario lo envió otro sitio. Vuelva atrás, recargue la página e inténtelo de nuevo."
    },
    LooksUsedUp: {
      heading: "Las páginas de hoy se han agotado",
      said: "No se ha cambiado nada. Las claves de API, las aplicaciones conectadas, el uso y su cuenta siguen abiertos, y las herramientas siguen funcionando."
    },
    PageNotFound: {
      heading: "Esta página no existe",
      said: "Puede que la dirección esté mal escrita o que lo que había allí ya no exista."
    },
    PageBroken: {
      heading: "Algo ha fallado por nuestra parte",
      said: "El error ha quedado registrado. Inténtelo de nuevo; si continúa, indique al soporte la referencia de abajo."
    },
    PasswordsBusy: {
      heading: "Demasiadas personas están iniciando sesión ahora",
      said: "No se ha cambiado nada. Espere unos segundos y recargue esta página."
    },
    RateLimited: {
      heading: "Demasiadas páginas en poco tiempo",
      said: "No se ha cambiado nada. Espere un momento y recargue la página."
    },
    SearchTimeout: {
      heading: "Esto ha tardado demasiado",
      said: "Se ha detenido la búsqueda. Inténtelo de nuevo en un momento o pida menos de una vez."
    },
    ServiceUnavailable: {
      heading: "El servicio no está disponible en este momento",
      said: "No se ha cambiado nada. Inténtelo de nuevo en un momento."
    }
  },
  renewal: (limit, at) =>
    html`Una cuenta puede ver ${limit} páginas de anuncios, productos y tiendas al día. Podrá seguir a partir del ${at}.`,
  toDashboard: "Al panel",
  reference: "Referencia",
  signIn: "Iniciar sesión",
  wanted: "Quizá buscaba:",
  overview: "el resumen, con su plan y sus créditos",
  places: {
    ads: "anuncios y las tiendas que los publican",
    products: "productos que venden las tiendas",
    stores: "tiendas, también las que sigue",
    integrations: "claves de API y aplicaciones conectadas",
    usage: "llamadas y créditos por día",
    account: "su contraseña y dónde tiene la sesión abierta"
  }
}

export const texts: Texts<ErrorText> = { en, de, fr, es }
