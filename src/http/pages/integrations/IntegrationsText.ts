/** What the page of keys and apps says. The word for ending a key or an app at once is the same on all pages. */
import { maxActive, maxAnHour, maxNameCharacters } from "../../../services/access/ApiKeys.ts"
import type { Texts } from "../shared/Locale.ts"

const en = {
  heading: "Integrations",
  headingOfError: "Error: Integrations",
  done: {
    key_revoked: "The key is revoked. Calls with it are refused from now on.",
    app_revoked: "The app is disconnected. Calls with its access are refused from now on."
  },
  revoke: "Revoke",
  created: "Created",
  connected: "Connected",
  lastUsed: "Last used",
  never: "never",

  keys: "API keys",
  keysPurpose:
    "For scripts, CI and clients that can send a header. All keys and apps of the account draw on the same credits.",
  inUse: (count: number) => `${count} of ${maxActive} in use`,
  replace: "Replace",
  ends: "Ends",
  noKeys: "There is no key yet. Clients that can open a browser need none: they connect as an app.",
  name: "Name",
  nameHint: `What the key is for, up to ${maxNameCharacters} characters`,
  create: "Create key",
  badName: `Enter a name of 1 to ${maxNameCharacters} characters, all of them visible.`,
  allInUse: `All ${maxActive} keys are in use, the most there can be. Revoke one to make room, or replace one.`,
  tooFast: (minutes: number) =>
    `${maxAnHour} keys were created within an hour, the most there can be. Try again in ${minutes === 1 ? "a minute" : `${minutes} minutes`}.`,
  upgrade:
    "To create keys, an account needs an active Growth or Pro subscription. Keys and connected apps are kept, and work again as soon as it has one.",

  apps: "Connected apps",
  appsPurpose: "What you have let in by signing in. An app that is not used for 30 days has to ask again.",
  publisher: "Verified publisher:",
  ownName: "The app chose its own name; nobody vouches for it.",
  noApps: "No app is connected yet.",
  connect: "Connect an app",
  connectHow: "Give the app this address. It opens a page here that asks you to allow it.",
  ways: {
    claude: "Settings, Connectors, Add custom connector: paste the address, then Connect.",
    claudeCode: "Run this, then /mcp to sign in:",
    chatGpt: "Settings, Apps & Connectors, developer mode, Create: paste the address and choose OAuth.",
    file: (file: string) => `Put this into ${file}, then connect:`
  }
}
export type IntegrationsText = typeof en

const de: IntegrationsText = {
  heading: "Integrationen",
  headingOfError: "Fehler: Integrationen",
  done: {
    key_revoked: "Der Schlüssel ist widerrufen. Aufrufe mit ihm werden ab sofort abgelehnt.",
    app_revoked: "Die App ist getrennt. Aufrufe mit ihrem Zugang werden ab sofort abgelehnt."
  },
  revoke: "Widerrufen",
  created: "Erstellt",
  connected: "Verbunden",
  lastUsed: "Zuletzt verwendet",
  never: "nie",

  keys: "API-Schlüssel",
  keysPurpose:
    "Für Skripte, CI und Programme, die einen Header senden können. Alle Schlüssel und Apps des Kontos verbrauchen dieselben Credits.",
  inUse: (count) => `${count} von ${maxActive} belegt`,
  replace: "Ersetzen",
  ends: "Endet",
  noKeys:
    "Es gibt noch keinen Schlüssel. Programme, die einen Browser öffnen können, brauchen keinen: Sie verbinden sich als App.",
  name: "Name",
  nameHint: `Wofür der Schlüssel ist, bis zu ${maxNameCharacters} Zeichen`,
  create: "Schlüssel erstellen",
  badName: `Geben Sie einen Namen mit 1 bis ${maxNameCharacters} sichtbaren Zeichen ein.`,
  allInUse: `Alle ${maxActive} Schlüssel sind belegt, mehr gibt es nicht. Widerrufen Sie einen, um Platz zu schaffen, oder ersetzen Sie einen.`,
  tooFast: (minutes) =>
    `In einer Stunde wurden ${maxAnHour} Schlüssel erstellt, mehr gehen nicht. Versuchen Sie es in ${minutes === 1 ? "einer Minute" : `${minutes} Minuten`} wieder.`,
  upgrade:
    "Um Schlüssel zu erstellen, braucht ein Konto ein aktives Abonnement von Growth oder Pro. Schlüssel und verbundene Apps bleiben erhalten und funktionieren wieder, sobald es eines hat.",

  apps: "Verbundene Apps",
  appsPurpose: "Was Sie durch Anmelden zugelassen haben. Eine App, die 30 Tage nicht verwendet wird, muss neu fragen.",
  publisher: "Geprüfter Herausgeber:",
  ownName: "Die App hat ihren Namen selbst gewählt; niemand bürgt dafür.",
  noApps: "Es ist noch keine App verbunden.",
  connect: "Eine App verbinden",
  connectHow: "Geben Sie der App diese Adresse. Sie öffnet hier eine Seite, die Sie um Erlaubnis bittet.",
  ways: {
    claude: "Settings, Connectors, Add custom connector: fügen Sie die Adresse ein, dann Connect.",
    claudeCode: "Führen Sie dies aus, dann /mcp zum Anmelden:",
    chatGpt: "Settings, Apps & Connectors, Entwicklermodus, Create: fügen Sie die Adresse ein und wählen Sie OAuth.",
    file: (file) => `Schreiben Sie dies in ${file}, und verbinden Sie dann:`
  }
}

const fr: IntegrationsText = {
  heading: "Intégrations",
  headingOfError: "Erreur : Intégrations",
  done: {
    key_revoked: "La clé est révoquée. Les appels avec elle sont désormais refusés.",
    app_revoked: "L’application est déconnectée. Les appels avec son accès sont désormais refusés."
  },
  revoke: "Révoquer",
  created: "Créée",
  connected: "Connectée",
  lastUsed: "Dernière utilisation",
  never: "jamais",

  keys: "Clés d’API",
  keysPurpose:
    "Pour les scripts, la CI et les clients capables d’envoyer un en-tête. Toutes les clés et applications du compte puisent dans les mêmes crédits.",
  inUse: (count) => `${count} sur ${maxActive} utilisées`,
  replace: "Remplacer",
  ends: "Fin",
  noKeys:
    "Il n’y a pas encore de clé. Les clients capables d’ouvrir un navigateur n’en ont pas besoin : ils se connectent comme application.",
  name: "Nom",
  nameHint: `À quoi sert la clé, ${maxNameCharacters} caractères au plus`,
  create: "Créer une clé",
  badName: `Saisissez un nom de 1 à ${maxNameCharacters} caractères, tous visibles.`,
  allInUse: `Les ${maxActive} clés possibles sont utilisées. Révoquez-en une pour faire de la place, ou remplacez-en une.`,
  tooFast: (minutes) =>
    `${maxAnHour} clés ont été créées en une heure, le maximum. Réessayez dans ${minutes === 1 ? "une minute" : `${minutes} minutes`}.`,
  upgrade:
    "Pour créer des clés, un compte doit avoir un abonnement Growth ou Pro actif. Les clés et les applications connectées sont conservées et fonctionneront de nouveau dès qu’il en aura un.",

  apps: "Applications connectées",
  appsPurpose:
    "Ce que vous avez autorisé en vous connectant. Une application inutilisée pendant 30 jours doit redemander l’accès.",
  publisher: "Éditeur vérifié :",
  ownName: "L’application a choisi son nom elle-même ; personne ne s’en porte garant.",
  noApps: "Aucune application n’est encore connectée.",
  connect: "Connecter une application",
  connectHow: "Donnez cette adresse à l’application. Elle ouvre ici une page qui vous demande votre accord.",
  ways: {
    claude: "Settings, Connectors, Add custom connector : collez l’adresse, puis Connect.",
    claudeCode: "Exécutez ceci, puis /mcp pour vous connecter :",
    chatGpt: "Settings, Apps & Connectors, mode développeur, Create : collez l’adresse et choisissez OAuth.",
    file: (file) => `Mettez ceci dans ${file}, puis connectez-vous :`
  }
}

const es: IntegrationsText = {
  heading: "Integraciones",
  headingOfError: "Error: Integraciones",
  done: {
    key_revoked: "La clave está revocada. Las llamadas con ella se rechazan desde ahora.",
    app_revoked: "La aplicación está desconectada. Las llamadas con su acceso se rechazan desde ahora."
  },
  revoke: "Revocar",
  created: "Creada",
  connected: "Conectada",
  lastUsed: "Último uso",
  never: "nunca",

  keys: "Claves de API",
  keysPurpose:
    "Para scripts, CI y clientes que pueden enviar una cabecera. Todas las claves y aplicaciones de la cuenta gastan los mismos créditos.",
  inUse: (count) => `${count} de ${maxActive} en uso`,
  replace: "Reemplazar",
  ends: "Termina",
  noKeys:
    "Todavía no hay ninguna clave. Los clientes que pueden abrir un navegador no la necesitan: se conectan como aplicación.",
  name: "Nombre",
  nameHint: `Para qué es la clave, hasta ${maxNameCharacters} caracteres`,
  create: "Crear clave",
  badName: `Escriba un nombre de 1 a ${maxNameCharacters} caracteres, todos visibles.`,
  allInUse: `Las ${maxActive} claves posibles están en uso. Revoque una para hacer sitio, o reemplace una.`,
  tooFast: (minutes) =>
    `Se han creado ${maxAnHour} claves en una hora, el máximo. Inténtelo de nuevo en ${minutes === 1 ? "un minuto" : `${minutes} minutos`}.`,
  upgrade:
    "Para crear claves, una cuenta necesita una suscripción Growth o Pro activa. Las claves y las aplicaciones conectadas se conservan y volverán a funcionar en cuanto la tenga.",

  apps: "Aplicaciones conectadas",
  appsPurpose:
    "Lo que usted ha autorizado al iniciar sesión. Una aplicación que no se usa durante 30 días tiene que pedirlo otra vez.",
  publisher: "Editor verificado:",
  ownName: "La aplicación eligió su propio nombre; nadie responde por él.",
  noApps: "Todavía no hay ninguna aplicación conectada.",
  connect: "Conectar una aplicación",
  connectHow: "Dé esta dirección a la aplicación. Abrirá aquí una página que le pide permiso.",
  ways: {
    claude: "Settings, Connectors, Add custom connector: pegue la dirección y pulse Connect.",
    claudeCode: "Ejecute esto y después /mcp para iniciar sesión:",
    chatGpt: "Settings, Apps & Connectors, modo de desarrollador, Create: pegue la dirección y elija OAuth.",
    file: (file) => `Ponga esto en ${file} y conéctese:`
  }
}

export const texts: Texts<IntegrationsText> = { en, de, fr, es }
