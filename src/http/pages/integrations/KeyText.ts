/** What the pages about one key or one app say: the new one, its replacement, its end. */
import type { KeyEnd } from "../../../domain/access/KeyEnd.ts"
import type { Html } from "../shared/Html.ts"
import { html } from "../shared/Html.ts"
import type { Texts } from "../shared/Locale.ts"

export interface KeyText {
  readonly name: string
  readonly key: string
  readonly app: string
  readonly back: string
  readonly keep: string

  readonly newKey: string
  /** `name` in quotes. */
  readonly created: (name: Html) => Html
  readonly once: string
  readonly onceWhy: string
  readonly setUp: string
  readonly setUpHow: string
  readonly run: string
  readonly into: (file: string) => string
  readonly oldEnded: (name: Html) => Html
  readonly oldWorksUntil: (name: Html, end: Html) => Html
  readonly madeAlready: string
  readonly madeAlreadyHow: (name: Html) => Html

  readonly replaceKey: string
  readonly replaceKeyError: string
  readonly replaceHow: string
  readonly newName: string
  readonly oldEnds: string
  readonly ends: Readonly<Record<KeyEnd, string>>
  readonly endHints: Readonly<Record<KeyEnd, string>>
  /** All keys are in use, so that the old one has to make room. */
  readonly onlyNow: string
  readonly replace: string
  readonly replacedAlready: (end: Html) => Html

  readonly revokeKey: string
  readonly revokeKeyEffect: string
  readonly revokeApp: string
  readonly revokeAppEffect: string
  readonly gone: string
  readonly goneWhy: string
}

const en: KeyText = {
  name: "Name",
  key: "Key",
  app: "App",
  back: "To the integrations",
  keep: "Keep it",

  newKey: "Your new key",
  created: (name) => html`The key ${name} is created.`,
  once: "Copy the key now: it is shown this once.",
  onceWhy: "Nobody can show it again. Keep it where only you and the client can read it; never put it in a URL.",
  setUp: "Set up a client",
  setUpHow: "Each has the key in it already, but that of VS Code, which asks for it: its file is usually committed.",
  run: "Run this in a terminal:",
  into: (file) => `Put this into ${file}:`,
  oldEnded: (name) => html`The old key ${name} has ended. Calls with it are refused from now on.`,
  oldWorksUntil: (name, end) =>
    html`The old key ${name} works until ${end}. Put the new one into your clients before; then calls with the old one
    are refused.`,
  madeAlready: "This key was created already",
  madeAlreadyHow: (name) =>
    html`The form was sent before: it created the key ${name}, which was shown that once. If you have not kept it,
    revoke it and create another.`,

  replaceKey: "Replace this key",
  replaceKeyError: "Error: Replace this key",
  replaceHow: "You get a new key now, and choose how long the old one works beside it.",
  newName: "Name of the new key",
  oldEnds: "The old key ends",
  ends: { now: "now", in_1_hour: "in 1 hour", in_24_hours: "in 24 hours" },
  endHints: {
    now: "Calls with it are refused at once: for a key that others may know.",
    in_1_hour: "Time to change the key in a client or two.",
    in_24_hours: "Time to change it everywhere. Both count until then."
  },
  onlyNow: "All keys are in use: only a key that ends now makes room for its successor.",
  replace: "Replace key",
  replacedAlready: (end) =>
    html`This key is being replaced already, and ends ${end}. If you have not kept its successor, revoke that one and
    create another.`,

  revokeKey: "Revoke this key?",
  revokeKeyEffect:
    "It ends at once, everywhere: clients that still use it get HTTP 401 with their next call. This cannot be undone.",
  revokeApp: "Revoke this app?",
  revokeAppEffect:
    "Its access ends at once, everywhere: it gets HTTP 401 with its next call, and has to ask you again. This cannot be undone.",
  gone: "This is not there any more",
  goneWhy: "What the address leads to was revoked or has ended, or was never there."
}

const de: KeyText = {
  name: "Name",
  key: "Schlüssel",
  app: "App",
  back: "Zu den Integrationen",
  keep: "Behalten",

  newKey: "Ihr neuer Schlüssel",
  created: (name) => html`Der Schlüssel ${name} ist erstellt.`,
  once: "Kopieren Sie den Schlüssel jetzt: Er wird nur dieses eine Mal gezeigt.",
  onceWhy:
    "Niemand kann ihn noch einmal zeigen. Bewahren Sie ihn dort auf, wo nur Sie und das Programm ihn lesen; in eine Adresse gehört er nie.",
  setUp: "Ein Programm einrichten",
  setUpHow:
    "Der Schlüssel steht jeweils schon darin, außer bei VS Code, das danach fragt: Seine Datei wird meist eingecheckt.",
  run: "Führen Sie dies in einem Terminal aus:",
  into: (file) => `Schreiben Sie dies in ${file}:`,
  oldEnded: (name) => html`Der alte Schlüssel ${name} ist beendet. Aufrufe mit ihm werden ab sofort abgelehnt.`,
  oldWorksUntil: (name, end) =>
    html`Der alte Schlüssel ${name} gilt bis zum ${end}. Tragen Sie vorher den neuen in Ihre Programme ein; danach
    werden Aufrufe mit dem alten abgelehnt.`,
  madeAlready: "Dieser Schlüssel wurde schon erstellt",
  madeAlreadyHow: (name) =>
    html`Das Formular wurde schon einmal gesendet: Damit entstand der Schlüssel ${name}, der dieses eine Mal gezeigt
    wurde. Falls Sie ihn nicht aufbewahrt haben, widerrufen Sie ihn und erstellen Sie einen anderen.`,

  replaceKey: "Diesen Schlüssel ersetzen",
  replaceKeyError: "Fehler: Diesen Schlüssel ersetzen",
  replaceHow: "Sie erhalten jetzt einen neuen Schlüssel und wählen, wie lange der alte daneben gilt.",
  newName: "Name des neuen Schlüssels",
  oldEnds: "Der alte Schlüssel endet",
  ends: { now: "jetzt", in_1_hour: "in 1 Stunde", in_24_hours: "in 24 Stunden" },
  endHints: {
    now: "Aufrufe mit ihm werden sofort abgelehnt: für einen Schlüssel, den andere kennen könnten.",
    in_1_hour: "Zeit, den Schlüssel in ein, zwei Programmen zu wechseln.",
    in_24_hours: "Zeit, ihn überall zu wechseln. Bis dahin zählen beide."
  },
  onlyNow: "Alle Schlüssel sind belegt: Nur einer, der jetzt endet, macht seinem Nachfolger Platz.",
  replace: "Schlüssel ersetzen",
  replacedAlready: (end) =>
    html`Dieser Schlüssel wird schon ersetzt und endet am ${end}. Falls Sie seinen Nachfolger nicht aufbewahrt haben,
    widerrufen Sie jenen und erstellen Sie einen anderen.`,

  revokeKey: "Diesen Schlüssel widerrufen?",
  revokeKeyEffect:
    "Er endet sofort und überall: Programme, die ihn noch verwenden, erhalten beim nächsten Aufruf HTTP 401. Das lässt sich nicht rückgängig machen.",
  revokeApp: "Diese App widerrufen?",
  revokeAppEffect:
    "Ihr Zugang endet sofort und überall: Beim nächsten Aufruf erhält sie HTTP 401 und muss Sie neu fragen. Das lässt sich nicht rückgängig machen.",
  gone: "Das gibt es nicht mehr",
  goneWhy: "Wohin die Adresse führt, das wurde widerrufen, ist beendet oder war nie da."
}

const fr: KeyText = {
  name: "Nom",
  key: "Clé",
  app: "Application",
  back: "Vers les intégrations",
  keep: "Garder",

  newKey: "Votre nouvelle clé",
  created: (name) => html`La clé ${name} est créée.`,
  once: "Copiez la clé maintenant : elle n’est affichée que cette fois.",
  onceWhy:
    "Personne ne peut l’afficher de nouveau. Gardez-la là où seuls vous et le client pouvez la lire ; elle n’a jamais sa place dans une adresse.",
  setUp: "Configurer un client",
  setUpHow: "La clé y figure déjà, sauf pour VS Code, qui la demande : son fichier est en général versionné.",
  run: "Exécutez ceci dans un terminal :",
  into: (file) => `Mettez ceci dans ${file} :`,
  oldEnded: (name) => html`L’ancienne clé ${name} a pris fin. Les appels avec elle sont désormais refusés.`,
  oldWorksUntil: (name, end) =>
    html`L’ancienne clé ${name} fonctionne jusqu’au ${end}. Mettez d’ici là la nouvelle dans vos clients ; ensuite, les
    appels avec l’ancienne sont refusés.`,
  madeAlready: "Cette clé a déjà été créée",
  madeAlreadyHow: (name) =>
    html`Le formulaire a déjà été envoyé : il a créé la clé ${name}, affichée cette seule fois. Si vous ne l’avez pas
    gardée, révoquez-la et créez-en une autre.`,

  replaceKey: "Remplacer cette clé",
  replaceKeyError: "Erreur : remplacer cette clé",
  replaceHow: "Vous recevez une nouvelle clé maintenant et choisissez combien de temps l’ancienne fonctionne à côté.",
  newName: "Nom de la nouvelle clé",
  oldEnds: "L’ancienne clé prend fin",
  ends: { now: "maintenant", in_1_hour: "dans 1 heure", in_24_hours: "dans 24 heures" },
  endHints: {
    now: "Les appels avec elle sont refusés aussitôt : pour une clé que d’autres pourraient connaître.",
    in_1_hour: "Le temps de changer la clé dans un client ou deux.",
    in_24_hours: "Le temps de la changer partout. Jusque-là, les deux comptent."
  },
  onlyNow: "Toutes les clés sont utilisées : seule une clé qui prend fin maintenant fait place à la suivante.",
  replace: "Remplacer la clé",
  replacedAlready: (end) =>
    html`Cette clé est déjà en cours de remplacement et prend fin le ${end}. Si vous n’avez pas gardé la suivante,
    révoquez celle-là et créez-en une autre.`,

  revokeKey: "Révoquer cette clé ?",
  revokeKeyEffect:
    "Elle prend fin aussitôt, partout : les clients qui l’utilisent encore reçoivent HTTP 401 à l’appel suivant. C’est définitif.",
  revokeApp: "Révoquer cette application ?",
  revokeAppEffect:
    "Son accès prend fin aussitôt, partout : elle reçoit HTTP 401 à l’appel suivant et doit vous redemander l’accès. C’est définitif.",
  gone: "Ceci n’existe plus",
  goneWhy: "Ce à quoi mène l’adresse a été révoqué, a pris fin ou n’a jamais existé."
}

const es: KeyText = {
  name: "Nombre",
  key: "Clave",
  app: "Aplicación",
  back: "A las integraciones",
  keep: "Conservar",

  newKey: "Su nueva clave",
  created: (name) => html`La clave ${name} está creada.`,
  once: "Copie la clave ahora: solo se muestra esta vez.",
  onceWhy:
    "Nadie puede mostrarla de nuevo. Guárdela donde solo usted y el cliente puedan leerla; nunca debe estar en una dirección.",
  setUp: "Configurar un cliente",
  setUpHow: "La clave ya está incluida, salvo en VS Code, que la pide: su archivo suele estar en el repositorio.",
  run: "Ejecute esto en un terminal:",
  into: (file) => `Ponga esto en ${file}:`,
  oldEnded: (name) => html`La clave antigua ${name} ha terminado. Las llamadas con ella se rechazan desde ahora.`,
  oldWorksUntil: (name, end) =>
    html`La clave antigua ${name} funciona hasta el ${end}. Ponga antes la nueva en sus clientes; después, las llamadas
    con la antigua se rechazan.`,
  madeAlready: "Esta clave ya se creó",
  madeAlreadyHow: (name) =>
    html`El formulario ya se había enviado: creó la clave ${name}, que se mostró esa única vez. Si no la ha guardado,
    revóquela y cree otra.`,

  replaceKey: "Reemplazar esta clave",
  replaceKeyError: "Error: Reemplazar esta clave",
  replaceHow: "Recibe ahora una clave nueva y elige cuánto tiempo funciona la antigua a su lado.",
  newName: "Nombre de la clave nueva",
  oldEnds: "La clave antigua termina",
  ends: { now: "ahora", in_1_hour: "en 1 hora", in_24_hours: "en 24 horas" },
  endHints: {
    now: "Las llamadas con ella se rechazan al instante: para una clave que otros puedan conocer.",
    in_1_hour: "Tiempo para cambiar la clave en uno o dos clientes.",
    in_24_hours: "Tiempo para cambiarla en todas partes. Hasta entonces cuentan las dos."
  },
  onlyNow: "Todas las claves están en uso: solo una que termina ahora deja sitio a su sucesora.",
  replace: "Reemplazar la clave",
  replacedAlready: (end) =>
    html`Esta clave ya se está reemplazando y termina el ${end}. Si no ha guardado su sucesora, revóquela y cree otra.`,

  revokeKey: "¿Revocar esta clave?",
  revokeKeyEffect:
    "Termina al instante, en todas partes: los clientes que aún la usen reciben HTTP 401 en la siguiente llamada. No se puede deshacer.",
  revokeApp: "¿Revocar esta aplicación?",
  revokeAppEffect:
    "Su acceso termina al instante, en todas partes: recibe HTTP 401 en la siguiente llamada y tiene que pedirle permiso otra vez. No se puede deshacer.",
  gone: "Esto ya no existe",
  goneWhy: "Lo que había en esta dirección fue revocado, ha terminado o nunca existió."
}

export const texts: Texts<KeyText> = { en, de, fr, es }
