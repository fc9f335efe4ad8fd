/** What the sign-in says. */
import type { Texts } from "../shared/Locale.ts"

const en = {
  heading: "Sign in",
  headingOfError: "Error: Sign in",
  toConnect: "To connect an app, sign in to your account first.",
  email: "E-mail address",
  password: "Password",
  submit: "Sign in",
  help: "Ask for help with signing in",
  noEmail: "Enter your e-mail address.",
  noPassword: "Enter your password.",
  wrong: "The e-mail address or the password is wrong.",
  outOfDate: "This page was out of date. Please sign in again.",
  tooMany: (minutes: number) =>
    `Too many attempts to sign in. Try again in ${minutes === 1 ? "a minute" : `${minutes} minutes`}.`
}
export type SignInText = typeof en

const de: SignInText = {
  heading: "Anmelden",
  headingOfError: "Fehler: Anmelden",
  toConnect: "Um eine App zu verbinden, melden Sie sich zuerst bei Ihrem Konto an.",
  email: "E-Mail-Adresse",
  password: "Passwort",
  submit: "Anmelden",
  help: "Hilfe beim Anmelden",
  noEmail: "Geben Sie Ihre E-Mail-Adresse ein.",
  noPassword: "Geben Sie Ihr Passwort ein.",
  wrong: "Die E-Mail-Adresse oder das Passwort ist falsch.",
  outOfDate: "Diese Seite war nicht mehr aktuell. Bitte melden Sie sich noch einmal an.",
  tooMany: (minutes) =>
    `Zu viele Anmeldeversuche. Versuchen Sie es in ${minutes === 1 ? "einer Minute" : `${minutes} Minuten`} wieder.`
}

const fr: SignInText = {
  heading: "Se connecter",
  headingOfError: "Erreur : se connecter",
  toConnect: "Pour connecter une application, connectez-vous d’abord à votre compte.",
  email: "Adresse e-mail",
  password: "Mot de passe",
  submit: "Se connecter",
  help: "Obtenir de l’aide pour se connecter",
  noEmail: "Saisissez votre adresse e-mail.",
  noPassword: "Saisissez votre mot de passe.",
  wrong: "L’adresse e-mail ou le mot de passe est incorrect.",
  outOfDate: "Cette page n’était plus à jour. Veuillez vous connecter à nouveau.",
  tooMany: (minutes) =>
    `Trop de tentatives de connexion. Réessayez dans ${minutes === 1 ? "une minute" : `${minutes} minutes`}.`
}

const es: SignInText = {
  heading: "Iniciar sesión",
  headingOfError: "Error: Iniciar sesión",
  toConnect: "Para conectar una aplicación, inicie primero sesión en su cuenta.",
  email: "Correo electrónico",
  password: "Contraseña",
  submit: "Iniciar sesión",
  help: "Pedir ayuda para iniciar sesión",
  noEmail: "Escriba su correo electrónico.",
  noPassword: "Escriba su contraseña.",
  wrong: "El correo electrónico o la contraseña no son correctos.",
  outOfDate: "Esta página ya no estaba al día. Inicie sesión de nuevo.",
  tooMany: (minutes) =>
    `Demasiados intentos de inicio de sesión. Inténtelo de nuevo en ${minutes === 1 ? "un minuto" : `${minutes} minutos`}.`
}

export const texts: Texts<SignInText> = { en, de, fr, es }
