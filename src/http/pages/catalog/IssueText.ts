/**
 * What is wrong with an argument, in the visitor's language. Issues are made for agents, in English (ArgumentIssues,
 * Vocabulary): each kind of them is told here again; one that is not known stays as it is, and a test finds it.
 */
import type { Texts } from "../shared/Locale.ts"

type Say = (...parts: ReadonlyArray<string>) => string

interface IssueText {
  readonly number: Say
  readonly whole: Say
  readonly between: Say
  readonly atLeast: Say
  readonly once: Say
  readonly minMax: Say
  readonly fromTo: Say
  readonly date: Say
  readonly noDate: Say
  readonly unknownValue: Say
  readonly unknownArgument: Say
  readonly unknownNiche: Say
  readonly unknownTheme: Say
  readonly country: Say
  readonly currency: Say
  readonly extension: Say
  readonly letters: Say
  readonly atMostCharacters: Say
  readonly control: Say
  readonly atMostEntries: Say
  readonly yesNo: Say
  readonly range: Say
  readonly stillRunning: Say
  readonly didYouMean: Say
}

/** How each issue begins, and what of it goes into the text. */
const patterns: Readonly<Record<Exclude<keyof IssueText, "didYouMean">, RegExp>> = {
  number: /^must be a (?:finite )?number$/u,
  whole: /^must be an integer$/u,
  between: /^must be (?:a value )?between (\d+) and (\d+)$/u,
  atLeast: /^must be a value greater than or equal to (\d+)$/u,
  once: /^must be a string$/u,
  minMax: /^must not be greater than max /u,
  fromTo: /^must not be after to /u,
  date: /^must be a date in the form YYYY-MM-DD$/u,
  noDate: /^(\d{4}-\d{2}-\d{2}) does not exist$/u,
  unknownValue: /^(?:`([^`]*)` is not one of the allowed values|must be one of )/u,
  unknownArgument: /^is not a known argument/u,
  unknownNiche: /^`(.*?)` is not a known niche/u,
  unknownTheme: /^`(.*?)` is not a known theme/u,
  country: /^`(.*?)` is not an ISO 3166-1 alpha-2 code/u,
  currency: /^`(.*?)` is not an ISO 4217 code/u,
  extension: /^must be a domain extension/u,
  letters: /^must contain a letter, a digit or a symbol$/u,
  atMostCharacters: /^must be a string with (?:between 1 and|at most) (\d+) characters$/u,
  control: /^must not contain control characters$/u,
  atMostEntries: /^must be a value with a length of at most (\d+)$/u,
  yesNo: /^must be true or false$/u,
  range: /^must be an object$/u,
  stillRunning: /^matches only ads still running/u
}

const de: IssueText = {
  number: () => "muss eine Zahl sein",
  whole: () => "muss eine ganze Zahl sein",
  between: (min, max) => `muss zwischen ${min} und ${max} liegen`,
  atLeast: (min) => `muss mindestens ${min} sein`,
  once: () => "darf nur einmal vorkommen",
  minMax: () => "darf nicht größer sein als der Wert bei „bis“",
  fromTo: () => "darf nicht nach dem Tag bei „bis“ liegen",
  date: () => "muss ein Datum der Form JJJJ-MM-TT sein",
  noDate: (day) => `${day} gibt es nicht`,
  unknownValue: (value) => `„${value}“ gehört nicht zu den möglichen Werten`,
  unknownArgument: () => "ist kein Filter dieser Seite",
  unknownNiche: (name) => `„${name}“ ist keine bekannte Nische`,
  unknownTheme: (name) => `„${name}“ ist kein bekanntes Theme`,
  country: (value) => `„${value}“ ist kein Ländercode nach ISO 3166-1`,
  currency: (value) => `„${value}“ ist kein Währungscode nach ISO 4217`,
  extension: () => "muss eine Domain-Endung mit Punkt am Anfang sein, etwa .com oder .co.uk",
  letters: () => "muss einen Buchstaben, eine Ziffer oder ein Symbol enthalten",
  atMostCharacters: (max) => `darf höchstens ${max} Zeichen haben`,
  control: () => "darf keine Steuerzeichen enthalten",
  atMostEntries: (max) => `darf höchstens ${max} Werte haben`,
  yesNo: () => "muss true oder false sein",
  range: () => "muss einen Wert bei „von“ oder „bis“ haben",
  stillRunning: () => "passt nur auf laufende Anzeigen und verträgt sich nicht mit dem Status „Beendet“",
  didYouMean: (value) => `Gemeint: „${value}“?`
}

const fr: IssueText = {
  number: () => "doit être un nombre",
  whole: () => "doit être un nombre entier",
  between: (min, max) => `doit être entre ${min} et ${max}`,
  atLeast: (min) => `doit être au moins ${min}`,
  once: () => "ne peut figurer qu’une fois",
  minMax: () => "ne doit pas dépasser la valeur de « à »",
  fromTo: () => "ne doit pas être après le jour de « à »",
  date: () => "doit être une date de la forme AAAA-MM-JJ",
  noDate: (day) => `le ${day} n’existe pas`,
  unknownValue: (value) => `« ${value} » ne fait pas partie des valeurs possibles`,
  unknownArgument: () => "n’est pas un filtre de cette page",
  unknownNiche: (name) => `« ${name} » n’est pas une niche connue`,
  unknownTheme: (name) => `« ${name} » n’est pas un thème connu`,
  country: (value) => `« ${value} » n’est pas un code de pays ISO 3166-1`,
  currency: (value) => `« ${value} » n’est pas un code de devise ISO 4217`,
  extension: () => "doit être une extension de domaine avec son point, comme .com ou .co.uk",
  letters: () => "doit contenir une lettre, un chiffre ou un symbole",
  atMostCharacters: (max) => `doit avoir au plus ${max} caractères`,
  control: () => "ne doit pas contenir de caractères de contrôle",
  atMostEntries: (max) => `doit avoir au plus ${max} valeurs`,
  yesNo: () => "doit être true ou false",
  range: () => "doit avoir une valeur à « de » ou « à »",
  stillRunning: () => "ne concerne que les publicités en cours, pas le statut « Arrêtées »",
  didYouMean: (value) => `Vouliez-vous dire « ${value} » ?`
}

const es: IssueText = {
  number: () => "debe ser un número",
  whole: () => "debe ser un número entero",
  between: (min, max) => `debe estar entre ${min} y ${max}`,
  atLeast: (min) => `debe ser al menos ${min}`,
  once: () => "solo puede aparecer una vez",
  minMax: () => "no debe superar el valor de «hasta»",
  fromTo: () => "no debe ser posterior al día de «hasta»",
  date: () => "debe ser una fecha con la forma AAAA-MM-DD",
  noDate: (day) => `${day} no existe`,
  unknownValue: (value) => `«${value}» no está entre los valores posibles`,
  unknownArgument: () => "no es un filtro de esta página",
  unknownNiche: (name) => `«${name}» no es un nicho conocido`,
  unknownTheme: (name) => `«${name}» no es un tema conocido`,
  country: (value) => `«${value}» no es un código de país ISO 3166-1`,
  currency: (value) => `«${value}» no es un código de moneda ISO 4217`,
  extension: () => "debe ser una extensión de dominio con su punto, como .com o .co.uk",
  letters: () => "debe contener una letra, una cifra o un símbolo",
  atMostCharacters: (max) => `debe tener como máximo ${max} caracteres`,
  control: () => "no debe contener caracteres de control",
  atMostEntries: (max) => `debe tener como máximo ${max} valores`,
  yesNo: () => "debe ser true o false",
  range: () => "debe tener un valor en «desde» o «hasta»",
  stillRunning: () => "solo vale para anuncios en curso, no con el estado «Finalizados»",
  didYouMean: (value) => `¿Quiso decir «${value}»?`
}

/** English is as the issues have it. */
const others: Readonly<Record<keyof Omit<Texts<unknown>, "en">, IssueText>> = { de, fr, es }

const kinds = Object.entries(patterns)

/** Of a message as ArgumentIssues and Vocabulary write it. */
export const issueText = (language: keyof Texts<unknown>, message: string): string => {
  if (language === "en") return message
  const text = others[language]
  for (const [kind, pattern] of kinds) {
    const found = pattern.exec(message)
    if (found === null) continue
    const [, meant] = /did you mean `([^`]*)`\?$/u.exec(message) ?? []
    const said = text[kind as keyof typeof patterns](...found.slice(1))
    return meant === undefined ? said : `${said}. ${text.didYouMean(meant)}`
  }
  return message
}
