/** What an operator is asked before a change. */
import type { Plan, SubscriptionStatus } from "../../../domain/access/Account.ts"
import type { Texts } from "../shared/Locale.ts"

export interface OperatorChangeText {
  readonly plan: string
  readonly status: string
  readonly toPlan: Readonly<Record<Plan, string>>
  readonly toStatus: Readonly<Record<SubscriptionStatus, string>>
  readonly from: string
  readonly to: string
  readonly doPlan: string
  readonly doStatus: string
  readonly cancel: string
  readonly meanwhile: { readonly heading: string; readonly said: string; readonly look: string }
}

const en: OperatorChangeText = {
  plan: "Change the plan?",
  status: "Change the status?",
  toPlan: {
    starter:
      "Tool calls and searches stop at once. Keys and connected apps are kept. The allowance of this period falls to what was granted besides, but never below what is used.",
    growth:
      "Takes effect at once. The allowance of this period becomes that of Growth, but never less than what is used.",
    pro: "Takes effect at once. The allowance of this period becomes that of Pro, with what was granted besides."
  },
  toStatus: {
    active: "Tool calls and searches work again at once, on Growth and Pro.",
    paused: "Tool calls and searches stop at once. Keys and connected apps are kept.",
    unpaid: "Tool calls and searches stop at once. Keys and connected apps are kept.",
    canceled: "Tool calls and searches stop at once. Keys and connected apps are kept."
  },
  from: "Now",
  to: "Then",
  doPlan: "Change the plan",
  doStatus: "Change the status",
  cancel: "Cancel",
  meanwhile: {
    heading: "The account was changed meanwhile",
    said: "Someone else was quicker, so nothing was changed now. Look at how it stands, and decide again.",
    look: "Look at the account"
  }
}

const de: OperatorChangeText = {
  plan: "Den Tarif ändern?",
  status: "Den Status ändern?",
  toPlan: {
    starter:
      "Tool-Aufrufe und Suchen enden sofort. Schlüssel und verbundene Apps bleiben. Das Kontingent dieses Zeitraums sinkt auf das, was zusätzlich gewährt wurde, aber nie unter das, was schon verbraucht ist.",
    growth:
      "Gilt sofort. Das Kontingent dieses Zeitraums wird das von Growth, aber nie weniger, als schon verbraucht ist.",
    pro: "Gilt sofort. Das Kontingent dieses Zeitraums wird das von Pro, dazu kommt, was zusätzlich gewährt wurde."
  },
  toStatus: {
    active: "Tool-Aufrufe und Suchen gehen sofort wieder, mit Growth und Pro.",
    paused: "Tool-Aufrufe und Suchen enden sofort. Schlüssel und verbundene Apps bleiben.",
    unpaid: "Tool-Aufrufe und Suchen enden sofort. Schlüssel und verbundene Apps bleiben.",
    canceled: "Tool-Aufrufe und Suchen enden sofort. Schlüssel und verbundene Apps bleiben."
  },
  from: "Jetzt",
  to: "Dann",
  doPlan: "Tarif ändern",
  doStatus: "Status ändern",
  cancel: "Abbrechen",
  meanwhile: {
    heading: "Das Konto wurde inzwischen geändert",
    said: "Jemand anderes war schneller; jetzt wurde nichts geändert. Sehen Sie nach, wie es steht, und entscheiden Sie neu.",
    look: "Das Konto ansehen"
  }
}

const fr: OperatorChangeText = {
  plan: "Changer le forfait ?",
  status: "Changer le statut ?",
  toPlan: {
    starter:
      "Les appels d’outils et les recherches s’arrêtent aussitôt. Les clés et les applications connectées restent. L’allocation de cette période descend à ce qui a été accordé en plus, mais jamais sous ce qui est utilisé.",
    growth:
      "Prend effet aussitôt. L’allocation de cette période devient celle de Growth, mais jamais moins que ce qui est utilisé.",
    pro: "Prend effet aussitôt. L’allocation de cette période devient celle de Pro, avec ce qui a été accordé en plus."
  },
  toStatus: {
    active: "Les appels d’outils et les recherches fonctionnent aussitôt à nouveau, avec Growth et Pro.",
    paused:
      "Les appels d’outils et les recherches s’arrêtent aussitôt. Les clés et les applications connectées restent.",
    unpaid:
      "Les appels d’outils et les recherches s’arrêtent aussitôt. Les clés et les applications connectées restent.",
    canceled:
      "Les appels d’outils et les recherches s’arrêtent aussitôt. Les clés et les applications connectées restent."
  },
  from: "Maintenant",
  to: "Ensuite",
  doPlan: "Changer le forfait",
  doStatus: "Changer le statut",
  cancel: "Annuler",
  meanwhile: {
    heading: "Le compte a été modifié entre-temps",
    said: "Quelqu’un d’autre a été plus rapide ; rien n’a été modifié maintenant. Voyez où il en est, puis décidez à nouveau.",
    look: "Voir le compte"
  }
}

const es: OperatorChangeText = {
  plan: "¿Cambiar el plan?",
  status: "¿Cambiar el estado?",
  toPlan: {
    starter:
      "Las llamadas a herramientas y las búsquedas se detienen enseguida. Las claves y las aplicaciones conectadas se conservan. La asignación de este período baja a lo concedido aparte, pero nunca por debajo de lo usado.",
    growth:
      "Tiene efecto enseguida. La asignación de este período pasa a ser la de Growth, pero nunca menos de lo usado.",
    pro: "Tiene efecto enseguida. La asignación de este período pasa a ser la de Pro, con lo concedido aparte."
  },
  toStatus: {
    active: "Las llamadas a herramientas y las búsquedas vuelven a funcionar enseguida, con Growth y Pro.",
    paused:
      "Las llamadas a herramientas y las búsquedas se detienen enseguida. Las claves y las aplicaciones conectadas se conservan.",
    unpaid:
      "Las llamadas a herramientas y las búsquedas se detienen enseguida. Las claves y las aplicaciones conectadas se conservan.",
    canceled:
      "Las llamadas a herramientas y las búsquedas se detienen enseguida. Las claves y las aplicaciones conectadas se conservan."
  },
  from: "Ahora",
  to: "Después",
  doPlan: "Cambiar el plan",
  doStatus: "Cambiar el estado",
  cancel: "Cancelar",
  meanwhile: {
    heading: "La cuenta ha cambiado entretanto",
    said: "Otra persona fue más rápida; ahora no se ha cambiado nada. Mire cómo está y decida de nuevo.",
    look: "Ver la cuenta"
  }
}

export const texts: Texts<OperatorChangeText> = { en, de, fr, es }
