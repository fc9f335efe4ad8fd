/** What subscriptions are called, and what is said of one without access. The names of the plans are names. */
import type { SubscriptionStatus } from "../../../domain/access/Account.ts"
import type { Texts } from "../shared/Locale.ts"

export interface SubscriptionText {
  readonly statuses: Readonly<Record<SubscriptionStatus, string>>
  /** Why neither tools nor searches answer, and what helps. */
  readonly upgrade: string
  readonly remedies: Readonly<Record<Exclude<SubscriptionStatus, "active">, string>>
  readonly toBilling: string
}

const en: SubscriptionText = {
  statuses: { active: "active", paused: "paused", unpaid: "unpaid", canceled: "canceled" },
  upgrade: "AI agents and searches need the plan Growth or Pro.",
  remedies: {
    paused: "The subscription is paused. AI agents and searches work again once it is resumed.",
    unpaid: "An invoice is open. AI agents and searches work again once it is paid.",
    canceled: "The subscription has ended. AI agents and searches work again once it is started anew."
  },
  toBilling: "Go to billing"
}

const de: SubscriptionText = {
  statuses: { active: "aktiv", paused: "pausiert", unpaid: "unbezahlt", canceled: "gekündigt" },
  upgrade: "KI-Agenten und die Suche brauchen den Tarif Growth oder Pro.",
  remedies: {
    paused: "Das Abonnement ist pausiert. KI-Agenten und die Suche funktionieren wieder, sobald es fortgesetzt wird.",
    unpaid: "Eine Rechnung ist offen. KI-Agenten und die Suche funktionieren wieder, sobald sie bezahlt ist.",
    canceled: "Das Abonnement ist beendet. KI-Agenten und die Suche funktionieren wieder, sobald es neu beginnt."
  },
  toBilling: "Zur Abrechnung"
}

const fr: SubscriptionText = {
  statuses: { active: "actif", paused: "suspendu", unpaid: "impayé", canceled: "résilié" },
  upgrade: "Les agents d’IA et les recherches nécessitent le forfait Growth ou Pro.",
  remedies: {
    paused: "L’abonnement est suspendu. Les agents d’IA et les recherches fonctionneront de nouveau dès sa reprise.",
    unpaid: "Une facture est en attente. Les agents d’IA et les recherches fonctionneront de nouveau dès son paiement.",
    canceled:
      "L’abonnement a pris fin. Les agents d’IA et les recherches fonctionneront de nouveau dès sa réactivation."
  },
  toBilling: "Vers la facturation"
}

const es: SubscriptionText = {
  statuses: { active: "activa", paused: "en pausa", unpaid: "impagada", canceled: "cancelada" },
  upgrade: "Los agentes de IA y las búsquedas necesitan el plan Growth o Pro.",
  remedies: {
    paused: "La suscripción está en pausa. Los agentes de IA y las búsquedas volverán a funcionar cuando se reanude.",
    unpaid: "Hay una factura pendiente. Los agentes de IA y las búsquedas volverán a funcionar cuando se pague.",
    canceled:
      "La suscripción ha terminado. Los agentes de IA y las búsquedas volverán a funcionar cuando se inicie de nuevo."
  },
  toBilling: "Ir a la facturación"
}

export const texts: Texts<SubscriptionText> = { en, de, fr, es }
