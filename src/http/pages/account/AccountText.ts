/** What the account's page says. */
import type { Texts } from "../shared/Locale.ts"

const en = {
  heading: "Your account",
  email: "E-mail address",
  plan: "Plan",
  status: "Subscription",
  billing: "Billing",
  support: "Get help",
  password: "Password",
  passwordAbout: "A new password signs you out everywhere else.",
  changePassword: "Change your password",
  sessions: "Where you are signed in",
  sessionsAbout: "Whatever you do not recognize, sign it out, and then change your password.",
  thisOne: "This browser",
  device: (browser: string, system: string) => `${browser} on ${system}`,
  aBrowser: "A browser",
  unknownDevice: "Unknown browser",
  started: "Signed in",
  lastUsed: "Last used",
  end: "Sign out",
  endOf: (device: string) => `Sign out: ${device}`,
  endOthers: "Sign out all others",
  alone: "You are signed in nowhere else.",
  done: {
    "session-ended": "That browser is signed out of your account.",
    "others-ended": "All other browsers are signed out of your account."
  }
}
export type AccountText = typeof en

const de: AccountText = {
  heading: "Ihr Konto",
  email: "E-Mail-Adresse",
  plan: "Tarif",
  status: "Abonnement",
  billing: "Abrechnung",
  support: "Hilfe",
  password: "Passwort",
  passwordAbout: "Ein neues Passwort meldet Sie überall sonst ab.",
  changePassword: "Passwort ändern",
  sessions: "Wo Sie angemeldet sind",
  sessionsAbout: "Was Sie nicht wiedererkennen, melden Sie ab; ändern Sie danach Ihr Passwort.",
  thisOne: "Dieser Browser",
  device: (browser, system) => `${browser} unter ${system}`,
  aBrowser: "Ein Browser",
  unknownDevice: "Unbekannter Browser",
  started: "Angemeldet",
  lastUsed: "Zuletzt verwendet",
  end: "Abmelden",
  endOf: (device) => `Abmelden: ${device}`,
  endOthers: "Alle anderen abmelden",
  alone: "Sie sind nirgends sonst angemeldet.",
  done: {
    "session-ended": "Dieser Browser ist von Ihrem Konto abgemeldet.",
    "others-ended": "Alle anderen Browser sind von Ihrem Konto abgemeldet."
  }
}

const fr: AccountText = {
  heading: "Votre compte",
  email: "Adresse e-mail",
  plan: "Forfait",
  status: "Abonnement",
  billing: "Facturation",
  support: "Obtenir de l’aide",
  password: "Mot de passe",
  passwordAbout: "Un nouveau mot de passe vous déconnecte partout ailleurs.",
  changePassword: "Changer de mot de passe",
  sessions: "Où vous êtes connecté",
  sessionsAbout: "Déconnectez ce que vous ne reconnaissez pas, puis changez de mot de passe.",
  thisOne: "Ce navigateur",
  device: (browser, system) => `${browser} sous ${system}`,
  aBrowser: "Un navigateur",
  unknownDevice: "Navigateur inconnu",
  started: "Connexion",
  lastUsed: "Dernière utilisation",
  end: "Déconnecter",
  endOf: (device) => `Déconnecter : ${device}`,
  endOthers: "Déconnecter tous les autres",
  alone: "Vous n’êtes connecté nulle part ailleurs.",
  done: {
    "session-ended": "Ce navigateur est déconnecté de votre compte.",
    "others-ended": "Tous les autres navigateurs sont déconnectés de votre compte."
  }
}

const es: AccountText = {
  heading: "Su cuenta",
  email: "Correo electrónico",
  plan: "Plan",
  status: "Suscripción",
  billing: "Facturación",
  support: "Obtener ayuda",
  password: "Contraseña",
  passwordAbout: "Una contraseña nueva cierra su sesión en todos los demás sitios.",
  changePassword: "Cambiar la contraseña",
  sessions: "Dónde tiene la sesión abierta",
  sessionsAbout: "Cierre las sesiones que no reconozca y cambie después la contraseña.",
  thisOne: "Este navegador",
  device: (browser, system) => `${browser} en ${system}`,
  aBrowser: "Un navegador",
  unknownDevice: "Navegador desconocido",
  started: "Inicio de sesión",
  lastUsed: "Último uso",
  end: "Cerrar sesión",
  endOf: (device) => `Cerrar sesión: ${device}`,
  endOthers: "Cerrar todas las demás",
  alone: "No tiene la sesión abierta en ningún otro sitio.",
  done: {
    "session-ended": "Se ha cerrado la sesión de su cuenta en ese navegador.",
    "others-ended": "Se ha cerrado la sesión de su cuenta en todos los demás navegadores."
  }
}

export const texts: Texts<AccountText> = { en, de, fr, es }
