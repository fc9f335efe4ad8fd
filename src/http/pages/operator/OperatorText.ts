/** What the operators' pages say. */
import type { Role } from "../../../domain/access/Account.ts"
import type { AccountChange } from "../../../services/access/AccountChanges.ts"
import type { Texts } from "../shared/Locale.ts"

export interface OperatorText {
  readonly heading: string
  readonly email: string
  readonly emailHint: string
  readonly plan: string
  readonly status: string
  readonly role: string
  readonly roles: Readonly<Record<Role, string>>
  readonly any: string
  readonly show: string
  readonly clear: string
  readonly table: string
  readonly credits: string
  readonly until: string
  readonly keys: string
  readonly apps: string
  readonly lastUse: string
  readonly never: string
  readonly created: string
  readonly none: string
  readonly noneHint: string
  readonly toFirst: string
  readonly toNext: string
  readonly back: string
  readonly noSubscription: string
  readonly change: string
  readonly changeAbout: string
  readonly newPlan: string
  readonly newStatus: string
  readonly goOn: string
  readonly periods: string
  readonly period: string
  readonly used: string
  readonly allowance: string
  readonly noPeriods: string
  readonly keyName: string
  readonly appName: string
  readonly noKeys: string
  readonly noApps: string
  readonly history: string
  readonly noHistory: string
  readonly by: string
  readonly commandLine: string
  readonly what: Readonly<Record<AccountChange["what"], string>>
  readonly when: string
  readonly changed: string
  readonly fromTo: (before: string, after: string) => string
  readonly done: { readonly plan: string; readonly status: string }
}

const en: OperatorText = {
  heading: "Accounts",
  email: "E-mail address",
  emailHint: "Any part of it",
  plan: "Plan",
  status: "Subscription",
  role: "Role",
  roles: { customer: "customer", operator: "operator" },
  any: "Any",
  show: "Show",
  clear: "Clear filters",
  table: "Accounts, the youngest first",
  credits: "Credits used",
  until: "Until",
  keys: "Keys",
  apps: "Apps",
  lastUse: "Last used",
  never: "never",
  created: "Created",
  none: "No account is like that",
  noneHint: "Look for a shorter part of the address, or take a filter away.",
  toFirst: "To the first page",
  toNext: "Next page",
  back: "All accounts",
  noSubscription: "none yet",
  change: "Change the subscription",
  changeAbout: "You are asked once more before anything changes.",
  newPlan: "New plan",
  newStatus: "New status",
  goOn: "Continue",
  periods: "Credits by period",
  period: "Period",
  used: "Used",
  allowance: "Allowance",
  noPeriods: "There has been no period yet.",
  keyName: "Key",
  appName: "App",
  noKeys: "No active key.",
  noApps: "No connected app.",
  history: "Changes",
  noHistory: "Nothing has been changed since the account was made.",
  by: "By",
  commandLine: "command line",
  what: {
    plan: "Plan",
    status: "Subscription",
    role: "Role",
    credits: "Credits of the period",
    password: "Password reset"
  },
  when: "When",
  changed: "Change",
  fromTo: (before, after) => `from ${before} to ${after}`,
  done: { plan: "The plan is changed.", status: "The status is changed." }
}

const de: OperatorText = {
  heading: "Konten",
  email: "E-Mail-Adresse",
  emailHint: "Ein beliebiger Teil davon",
  plan: "Tarif",
  status: "Abonnement",
  role: "Rolle",
  roles: { customer: "Kunde", operator: "Betreiber" },
  any: "Alle",
  show: "Anzeigen",
  clear: "Filter zurücksetzen",
  table: "Konten, die jüngsten zuerst",
  credits: "Credits verbraucht",
  until: "Bis",
  keys: "Schlüssel",
  apps: "Apps",
  lastUse: "Zuletzt verwendet",
  never: "nie",
  created: "Erstellt",
  none: "So ein Konto gibt es nicht",
  noneHint: "Suchen Sie nach einem kürzeren Teil der Adresse, oder nehmen Sie einen Filter weg.",
  toFirst: "Zur ersten Seite",
  toNext: "Nächste Seite",
  back: "Alle Konten",
  noSubscription: "noch keines",
  change: "Abonnement ändern",
  changeAbout: "Bevor sich etwas ändert, werden Sie noch einmal gefragt.",
  newPlan: "Neuer Tarif",
  newStatus: "Neuer Status",
  goOn: "Weiter",
  periods: "Credits nach Zeiträumen",
  period: "Zeitraum",
  used: "Verbraucht",
  allowance: "Kontingent",
  noPeriods: "Es gab noch keinen Zeitraum.",
  keyName: "Schlüssel",
  appName: "App",
  noKeys: "Kein aktiver Schlüssel.",
  noApps: "Keine verbundene App.",
  history: "Änderungen",
  noHistory: "Seit das Konto erstellt wurde, ist nichts geändert worden.",
  by: "Von",
  commandLine: "Kommandozeile",
  what: {
    plan: "Tarif",
    status: "Abonnement",
    role: "Rolle",
    credits: "Credits des Zeitraums",
    password: "Passwort zurückgesetzt"
  },
  when: "Wann",
  changed: "Änderung",
  fromTo: (before, after) => `von ${before} auf ${after}`,
  done: { plan: "Der Tarif ist geändert.", status: "Der Status ist geändert." }
}

const fr: OperatorText = {
  heading: "Comptes",
  email: "Adresse e-mail",
  emailHint: "N’importe quelle partie",
  plan: "Forfait",
  status: "Abonnement",
  role: "Rôle",
  roles: { customer: "client", operator: "opérateur" },
  any: "Tous",
  show: "Afficher",
  clear: "Effacer les filtres",
  table: "Comptes, les plus récents d’abord",
  credits: "Crédits utilisés",
  until: "Jusqu’au",
  keys: "Clés",
  apps: "Applications",
  lastUse: "Dernière utilisation",
  never: "jamais",
  created: "Création",
  none: "Aucun compte ne correspond",
  noneHint: "Cherchez une partie plus courte de l’adresse, ou retirez un filtre.",
  toFirst: "Vers la première page",
  toNext: "Page suivante",
  back: "Tous les comptes",
  noSubscription: "pas encore",
  change: "Modifier l’abonnement",
  changeAbout: "Une confirmation vous sera demandée avant tout changement.",
  newPlan: "Nouveau forfait",
  newStatus: "Nouveau statut",
  goOn: "Continuer",
  periods: "Crédits par période",
  period: "Période",
  used: "Utilisés",
  allowance: "Allocation",
  noPeriods: "Il n’y a pas encore eu de période.",
  keyName: "Clé",
  appName: "Application",
  noKeys: "Aucune clé active.",
  noApps: "Aucune application connectée.",
  history: "Modifications",
  noHistory: "Rien n’a été modifié depuis la création du compte.",
  by: "Par",
  commandLine: "ligne de commande",
  what: {
    plan: "Forfait",
    status: "Abonnement",
    role: "Rôle",
    credits: "Crédits de la période",
    password: "Mot de passe réinitialisé"
  },
  when: "Quand",
  changed: "Modification",
  fromTo: (before, after) => `de ${before} à ${after}`,
  done: { plan: "Le forfait est changé.", status: "Le statut est changé." }
}

const es: OperatorText = {
  heading: "Cuentas",
  email: "Correo electrónico",
  emailHint: "Cualquier parte",
  plan: "Plan",
  status: "Suscripción",
  role: "Rol",
  roles: { customer: "cliente", operator: "operador" },
  any: "Todos",
  show: "Mostrar",
  clear: "Quitar filtros",
  table: "Cuentas, las más recientes primero",
  credits: "Créditos usados",
  until: "Hasta",
  keys: "Claves",
  apps: "Aplicaciones",
  lastUse: "Último uso",
  never: "nunca",
  created: "Creada",
  none: "No hay ninguna cuenta así",
  noneHint: "Busque una parte más corta de la dirección o quite un filtro.",
  toFirst: "A la primera página",
  toNext: "Página siguiente",
  back: "Todas las cuentas",
  noSubscription: "todavía ninguna",
  change: "Cambiar la suscripción",
  changeAbout: "Se le pedirá confirmación antes de cambiar nada.",
  newPlan: "Plan nuevo",
  newStatus: "Estado nuevo",
  goOn: "Continuar",
  periods: "Créditos por período",
  period: "Período",
  used: "Usados",
  allowance: "Asignación",
  noPeriods: "Todavía no ha habido ningún período.",
  keyName: "Clave",
  appName: "Aplicación",
  noKeys: "Ninguna clave activa.",
  noApps: "Ninguna aplicación conectada.",
  history: "Cambios",
  noHistory: "No se ha cambiado nada desde que se creó la cuenta.",
  by: "Por",
  commandLine: "línea de comandos",
  what: {
    plan: "Plan",
    status: "Suscripción",
    role: "Rol",
    credits: "Créditos del período",
    password: "Contraseña restablecida"
  },
  when: "Cuándo",
  changed: "Cambio",
  fromTo: (before, after) => `de ${before} a ${after}`,
  done: { plan: "El plan ha cambiado.", status: "El estado ha cambiado." }
}

export const texts: Texts<OperatorText> = { en, de, fr, es }
