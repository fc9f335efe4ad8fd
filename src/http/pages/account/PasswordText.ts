/** What the page with the new password says. */
import * as Password from "../../../domain/access/Password.ts"
import type { Texts } from "../shared/Locale.ts"

export interface PasswordText {
  readonly heading: string
  readonly headingOfError: string
  readonly effect: string
  readonly current: string
  readonly next: string
  readonly again: string
  readonly hint: string
  readonly submit: string
  readonly noCurrent: string
  readonly noNext: string
  readonly differ: string
  readonly wrong: string
  readonly weaknesses: Readonly<Record<Password.Weakness, string>>
  readonly tooMany: (minutes: number) => string
  readonly changed: string
  readonly others: string
  readonly toAccount: string
}

const { maxCharacters, minCharacters } = Password

const en: PasswordText = {
  heading: "Change your password",
  headingOfError: "Error: Change your password",
  effect: "A new password signs every other browser out of your account. Connected apps and API keys stay.",
  current: "Current password",
  next: "New password",
  again: "New password again",
  hint: `At least ${minCharacters} characters; a few unrelated words do well.`,
  submit: "Change password",
  noCurrent: "Enter your current password.",
  noNext: "Enter a new password.",
  differ: "The two new passwords differ. Enter the new one again.",
  wrong: "The current password is wrong.",
  weaknesses: {
    short: `The password must have at least ${minCharacters} characters; a few unrelated words do well.`,
    long: `The password must have at most ${maxCharacters} characters.`,
    guessable: "The password is among the first that are guessed; choose a few unrelated words instead."
  },
  tooMany: (minutes) =>
    `The current password was wrong too often. Try again in ${minutes === 1 ? "a minute" : `${minutes} minutes`}.`,
  changed: "Your password is changed",
  others: "Every other browser was signed out of your account.",
  toAccount: "To your account"
}

const de: PasswordText = {
  heading: "Passwort ändern",
  headingOfError: "Fehler: Passwort ändern",
  effect: "Ein neues Passwort meldet Ihr Konto in jedem anderen Browser ab. Verbundene Apps und API-Schlüssel bleiben.",
  current: "Bisheriges Passwort",
  next: "Neues Passwort",
  again: "Neues Passwort noch einmal",
  hint: `Mindestens ${minCharacters} Zeichen; ein paar Wörter ohne Zusammenhang sind gut.`,
  submit: "Passwort ändern",
  noCurrent: "Geben Sie Ihr bisheriges Passwort ein.",
  noNext: "Geben Sie ein neues Passwort ein.",
  differ: "Die beiden neuen Passwörter sind verschieden. Geben Sie das neue noch einmal ein.",
  wrong: "Das bisherige Passwort ist falsch.",
  weaknesses: {
    short: `Das Passwort braucht mindestens ${minCharacters} Zeichen; ein paar Wörter ohne Zusammenhang sind gut.`,
    long: `Das Passwort darf höchstens ${maxCharacters} Zeichen haben.`,
    guessable: "Dieses Passwort wird mit als Erstes erraten; nehmen Sie lieber ein paar Wörter ohne Zusammenhang."
  },
  tooMany: (minutes) =>
    `Das bisherige Passwort war zu oft falsch. Versuchen Sie es in ${minutes === 1 ? "einer Minute" : `${minutes} Minuten`} wieder.`,
  changed: "Ihr Passwort ist geändert",
  others: "Ihr Konto wurde in jedem anderen Browser abgemeldet.",
  toAccount: "Zu Ihrem Konto"
}

const fr: PasswordText = {
  heading: "Changer de mot de passe",
  headingOfError: "Erreur : changer de mot de passe",
  effect:
    "Un nouveau mot de passe déconnecte votre compte de tous les autres navigateurs. Les applications connectées et les clés d’API restent.",
  current: "Mot de passe actuel",
  next: "Nouveau mot de passe",
  again: "Nouveau mot de passe, encore une fois",
  hint: `Au moins ${minCharacters} caractères ; quelques mots sans rapport conviennent bien.`,
  submit: "Changer le mot de passe",
  noCurrent: "Saisissez votre mot de passe actuel.",
  noNext: "Saisissez un nouveau mot de passe.",
  differ: "Les deux nouveaux mots de passe diffèrent. Saisissez le nouveau encore une fois.",
  wrong: "Le mot de passe actuel est incorrect.",
  weaknesses: {
    short: `Le mot de passe doit avoir au moins ${minCharacters} caractères ; quelques mots sans rapport conviennent bien.`,
    long: `Le mot de passe doit avoir au plus ${maxCharacters} caractères.`,
    guessable: "Ce mot de passe est parmi les premiers que l’on devine ; choisissez plutôt quelques mots sans rapport."
  },
  tooMany: (minutes) =>
    `Le mot de passe actuel a été incorrect trop souvent. Réessayez dans ${minutes === 1 ? "une minute" : `${minutes} minutes`}.`,
  changed: "Votre mot de passe est changé",
  others: "Votre compte a été déconnecté de tous les autres navigateurs.",
  toAccount: "Vers votre compte"
}

const es: PasswordText = {
  heading: "Cambiar la contraseña",
  headingOfError: "Error: Cambiar la contraseña",
  effect:
    "Una contraseña nueva cierra la sesión de su cuenta en todos los demás navegadores. Las aplicaciones conectadas y las claves de API se conservan.",
  current: "Contraseña actual",
  next: "Contraseña nueva",
  again: "Contraseña nueva otra vez",
  hint: `Al menos ${minCharacters} caracteres; unas cuantas palabras sin relación van bien.`,
  submit: "Cambiar la contraseña",
  noCurrent: "Escriba su contraseña actual.",
  noNext: "Escriba una contraseña nueva.",
  differ: "Las dos contraseñas nuevas son distintas. Escriba la nueva otra vez.",
  wrong: "La contraseña actual no es correcta.",
  weaknesses: {
    short: `La contraseña debe tener al menos ${minCharacters} caracteres; unas cuantas palabras sin relación van bien.`,
    long: `La contraseña debe tener como máximo ${maxCharacters} caracteres.`,
    guessable: "Esta contraseña es de las primeras que se adivinan; elija mejor unas cuantas palabras sin relación."
  },
  tooMany: (minutes) =>
    `La contraseña actual se ha escrito mal demasiadas veces. Inténtelo de nuevo en ${minutes === 1 ? "un minuto" : `${minutes} minutos`}.`,
  changed: "Su contraseña ha cambiado",
  others: "Se ha cerrado la sesión de su cuenta en todos los demás navegadores.",
  toAccount: "A su cuenta"
}

export const texts: Texts<PasswordText> = { en, de, fr, es }
