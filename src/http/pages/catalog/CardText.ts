/** The words on the cards of ads and products. */
import type { AdStatus, MediaType } from "../../../domain/catalog/Enumerations.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import type { Texts } from "../shared/Locale.ts"

const en = {
  statuses: { active: "Running", inactive: "Stopped" } as Readonly<Record<AdStatus, string>>,
  mediaTypes: {
    video: "Video",
    image: "Image",
    carousel: "Carousel",
    dco: "Dynamic creative",
    dpa: "Catalog ad"
  } as Readonly<Record<MediaType, string>>,
  partnership: "Partnership",
  /** `days` of a running ad up to today; the number as it is written, too. */
  started: (date: Html, days: number, shown: string): Html =>
    html`Started ${date}, ${days === 1 ? "1 day" : `${shown} days`}`,
  adLibrary: "Ad library",
  landingPage: "Landing page",
  added: (date: Html): Html => html`Added ${date}`
}
export type CardText = typeof en

const de: CardText = {
  statuses: { active: "Läuft", inactive: "Beendet" },
  mediaTypes: {
    video: "Video",
    image: "Bild",
    carousel: "Karussell",
    dco: "Dynamische Anzeige",
    dpa: "Kataloganzeige"
  },
  partnership: "Partnerschaft",
  started: (date, days, shown) => html`Gestartet am ${date}, ${days === 1 ? "1 Tag" : `${shown} Tage`}`,
  adLibrary: "Anzeigenbibliothek",
  landingPage: "Zielseite",
  added: (date) => html`Hinzugefügt am ${date}`
}

const fr: CardText = {
  statuses: { active: "En cours", inactive: "Arrêtée" },
  mediaTypes: {
    video: "Vidéo",
    image: "Image",
    carousel: "Carrousel",
    dco: "Création dynamique",
    dpa: "Publicité catalogue"
  },
  partnership: "Partenariat",
  started: (date, days, shown) => html`Lancée le ${date}, ${days < 2 ? `${shown} jour` : `${shown} jours`}`,
  adLibrary: "Bibliothèque publicitaire",
  landingPage: "Page de destination",
  added: (date) => html`Ajouté le ${date}`
}

const es: CardText = {
  statuses: { active: "En curso", inactive: "Finalizado" },
  mediaTypes: {
    video: "Vídeo",
    image: "Imagen",
    carousel: "Carrusel",
    dco: "Creatividad dinámica",
    dpa: "Anuncio de catálogo"
  },
  partnership: "Colaboración",
  started: (date, days, shown) => html`Empezó el ${date}, ${days === 1 ? "1 día" : `${shown} días`}`,
  adLibrary: "Biblioteca de anuncios",
  landingPage: "Página de destino",
  added: (date) => html`Añadido el ${date}`
}

export const texts: Texts<CardText> = { en, de, fr, es }
