/**
 * The events of one subscription's life, with their whole objects, typed by Stripe's library: what is missing or misnamed does not
 * compile. They were written by these types, not received from Stripe.
 */
import { Stripe } from "stripe"
import { asSubscription, invoiceOf, itemsOf, nextId, scheduleIdOf, scheduleOf } from "./StripeObjects.ts"
import type { Subscription } from "./StripeObjects.ts"

export interface Moment {
  /** What the subscription is from now on. */
  readonly state: Subscription
  readonly events: ReadonlyArray<Stripe.Event>
}

export const daySeconds = 86_400

const eventsOf = (subscription: Subscription, created: number) => {
  const common = () => ({
    id: nextId("evt"),
    object: "event" as const,
    api_version: Stripe.API_VERSION,
    created,
    livemode: false,
    pending_webhooks: 1,
    request: null
  })
  return {
    /** `before` are the fields that changed, as they were. */
    updated: (before: Partial<Stripe.Subscription>): Stripe.Event => ({
      ...common(),
      type: "customer.subscription.updated",
      data: { object: asSubscription(subscription), previous_attributes: before }
    }),
    subscription: (
      type: `customer.subscription.${
        | "created"
        | "deleted"
        | "paused"
        | "pending_update_applied"
        | "pending_update_expired"
        | "resumed"
        | "trial_will_end"}`
    ): Stripe.Event => ({ ...common(), type, data: { object: asSubscription(subscription) } }),
    schedule: (
      type: `subscription_schedule.${"created" | "updated" | "released"}`,
      status?: "released"
    ): Stripe.Event => ({ ...common(), type, data: { object: scheduleOf(subscription, status) } }),
    invoice: (type: "invoice.paid" | "invoice.payment_failed"): Stripe.Event => ({
      ...common(),
      type,
      data: { object: invoiceOf(subscription, type === "invoice.paid") }
    }),
    checkout: (): Stripe.Event => ({
      ...common(),
      type: "checkout.session.completed",
      data: { object: sessionOf(subscription) }
    })
  }
}

/** One moment a day, from `start` on, in seconds since 1970. */
export const lifeOf = (born: Subscription, start: number): ReadonlyArray<Moment> => {
  const moments: Array<Moment> = []
  const then = (
    change: Partial<Subscription>,
    tell: (events: ReturnType<typeof eventsOf>, before: Stripe.Subscription) => ReadonlyArray<Stripe.Event>
  ) => {
    const before = moments.at(-1)?.state ?? born
    const state = { ...before, ...change }
    const events = tell(eventsOf(state, start + moments.length * daySeconds), asSubscription(before))
    moments.push({ state, events })
  }
  then({ status: "incomplete", price: "price_pro" }, ({ subscription }) => [
    subscription("customer.subscription.created")
  ])
  then({ status: "active" }, ({ checkout, invoice, updated }) => [
    invoice("invoice.paid"),
    updated({ status: "incomplete" }),
    checkout()
  ])
  // A downgrade at the end of the period.
  then({ scheduledPrice: "price_growth" }, ({ schedule, updated }) => [
    schedule("subscription_schedule.created"),
    updated({ schedule: null }),
    schedule("subscription_schedule.updated")
  ])
  then({ price: "price_growth" }, ({ invoice, schedule, updated }, { items }) => [
    updated({ items }),
    schedule("subscription_schedule.updated"),
    invoice("invoice.paid")
  ])
  then({ scheduledPrice: null }, ({ schedule, updated }) => [
    schedule("subscription_schedule.released", "released"),
    updated({ schedule: scheduleIdOf(born) })
  ])
  // A renewal is not paid, and then is.
  then({ status: "past_due" }, ({ invoice, updated }) => [
    invoice("invoice.payment_failed"),
    updated({ status: "active" })
  ])
  then({ status: "unpaid" }, ({ updated }) => [updated({ status: "past_due" })])
  then({ status: "active" }, ({ invoice, updated }) => [invoice("invoice.paid"), updated({ status: "unpaid" })])
  // An upgrade is not paid, and another one is.
  then({ pendingPrice: "price_pro" }, ({ invoice, updated }) => [
    updated({ pending_update: null }),
    invoice("invoice.payment_failed")
  ])
  then({ pendingPrice: null }, ({ subscription }) => [subscription("customer.subscription.pending_update_expired")])
  then({ pendingPrice: "price_pro" }, ({ updated }) => [updated({ pending_update: null })])
  then({ pendingPrice: null, price: "price_pro" }, ({ invoice, subscription, updated }) => [
    subscription("customer.subscription.pending_update_applied"),
    updated({ items: itemsOf(born, "price_growth") }),
    invoice("invoice.paid")
  ])
  then({ pausedCollection: "void" }, ({ updated }, { pause_collection }) => [updated({ pause_collection })])
  then({ pausedCollection: null }, ({ updated }, { pause_collection }) => [updated({ pause_collection })])
  // A trial ends without a payment method.
  then({ status: "trialing" }, ({ subscription, updated }) => [
    updated({ status: "active" }),
    subscription("customer.subscription.trial_will_end")
  ])
  then({ status: "paused" }, ({ subscription, updated }) => [
    subscription("customer.subscription.paused"),
    updated({ status: "trialing" })
  ])
  then({ status: "active" }, ({ invoice, subscription }) => [
    subscription("customer.subscription.resumed"),
    invoice("invoice.paid")
  ])
  then({ endsWithPeriod: true }, ({ updated }, { cancel_at, cancel_at_period_end, canceled_at }) => [
    updated({ cancel_at, cancel_at_period_end, canceled_at })
  ])
  then({ status: "canceled" }, ({ subscription }) => [subscription("customer.subscription.deleted")])
  return moments
}

const sessionOf = ({ created, customer, id }: Subscription): Stripe.Checkout.Session => ({
  id: nextId("cs"),
  object: "checkout.session",
  adaptive_pricing: null,
  after_expiration: null,
  allow_promotion_codes: null,
  allowed_payment_method_types: null,
  amount_subtotal: 19_900,
  amount_total: 19_900,
  automatic_tax: { enabled: false, liability: null, provider: null, status: null },
  billing_address_collection: null,
  cancel_url: "https://discovery.test/dashboard/billing",
  client_reference_id: null,
  client_secret: null,
  collected_information: null,
  consent: null,
  consent_collection: null,
  created,
  currency: "eur",
  currency_conversion: null,
  custom_fields: [],
  custom_text: { after_submit: null, shipping_address: null, submit: null, terms_of_service_acceptance: null },
  customer,
  customer_account: null,
  customer_creation: null,
  customer_details: null,
  customer_email: null,
  discounts: [],
  expires_at: created + daySeconds,
  integration_identifier: null,
  invoice: `in_${id}`,
  invoice_creation: null,
  livemode: false,
  locale: "en",
  managed_payments: null,
  metadata: { discovery_price: "price_pro" },
  mode: "subscription",
  origin_context: null,
  payment_intent: null,
  payment_link: null,
  payment_method_collection: "always",
  payment_method_configuration_details: null,
  payment_method_options: null,
  payment_method_types: ["card"],
  payment_status: "paid",
  permissions: null,
  recovered_from: null,
  saved_payment_method_options: null,
  setup_intent: null,
  shipping_address_collection: null,
  shipping_cost: null,
  shipping_options: [],
  status: "complete",
  submit_type: null,
  subscription: id,
  success_url: "https://discovery.test/dashboard/billing/return?from=checkout",
  total_details: null,
  ui_mode: "hosted_page",
  url: null,
  wallet_options: null
})
