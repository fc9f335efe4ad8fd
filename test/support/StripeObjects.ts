/**
 * Objects of Stripe's API, typed by its library: one with a field that is missing or that Stripe does not know does not compile.
 */
import { Stripe } from "stripe"

/** What tests set of a subscription. */
export interface Subscription {
  readonly id: string
  readonly customer: string
  status: string
  price: string
  pausedCollection: string | null
  /** The price of the last phase of its schedule; `null` without a schedule. */
  scheduledPrice: string | null
  /** The price of an update that waits for its payment. */
  pendingPrice: string | null
  endsWithPeriod: boolean
  /** Seconds since 1970. */
  readonly created: number
}

const daySeconds = 86_400

let numbered = 0
export const nextId = (prefix: string) => `${prefix}_${String(++numbered).padStart(6, "0")}`

/** A new subscription, which is active. */
export const newSubscription = (customer: string, options: Partial<Subscription> = {}): Subscription => ({
  id: nextId("sub"),
  status: "active",
  price: "price_growth",
  pausedCollection: null,
  scheduledPrice: null,
  pendingPrice: null,
  endsWithPeriod: false,
  created: 1_772_000_000 + numbered,
  ...options,
  customer
})

export const listOf = <A>(url: string, data: ReadonlyArray<A>): Stripe.ApiList<A> => ({
  object: "list",
  url,
  has_more: false,
  data: Array.from(data)
})

const amountOf = (price: string) => (price === "price_pro" ? 19_900 : 4_900)
const periodEnd = ({ created }: Subscription) => created + 30 * daySeconds

const priceOf = (id: string): Stripe.Price => ({
  id,
  object: "price",
  active: true,
  billing_scheme: "per_unit",
  created: 1_770_000_000,
  currency: "eur",
  custom_unit_amount: null,
  livemode: false,
  lookup_key: null,
  metadata: {},
  nickname: null,
  product: "prod_discovery",
  recurring: { interval: "month", interval_count: 1, meter: null, trial_period_days: null, usage_type: "licensed" },
  tax_behavior: "exclusive",
  tiers_mode: null,
  transform_quantity: null,
  type: "recurring",
  unit_amount: amountOf(id),
  unit_amount_decimal: Stripe.Decimal.from(amountOf(id))
})

/** The older form of the same price, which Stripe still sends beside it. */
const planOf = (id: string): Stripe.Plan => ({
  id,
  object: "plan",
  active: true,
  amount: amountOf(id),
  amount_decimal: Stripe.Decimal.from(amountOf(id)),
  billing_scheme: "per_unit",
  created: 1_770_000_000,
  currency: "eur",
  interval: "month",
  interval_count: 1,
  livemode: false,
  metadata: {},
  meter: null,
  nickname: null,
  product: "prod_discovery",
  tiers_mode: null,
  transform_usage: null,
  trial_period_days: null,
  usage_type: "licensed"
})

const itemOf = (subscription: Subscription, price = subscription.price): Stripe.SubscriptionItem => ({
  id: `si_${subscription.id}`,
  object: "subscription_item",
  billing_thresholds: null,
  created: subscription.created,
  current_period_end: periodEnd(subscription),
  current_period_start: subscription.created,
  current_trial: null,
  discounts: [],
  metadata: {},
  plan: planOf(price),
  price: priceOf(price),
  quantity: 1,
  subscription: subscription.id,
  tax_rates: []
})

export const itemsOf = (subscription: Subscription, price = subscription.price) =>
  listOf(`/v1/subscription_items?subscription=${subscription.id}`, [itemOf(subscription, price)])

const phaseOf = (price: string, start: number): Stripe.SubscriptionSchedule.Phase => ({
  add_invoice_items: [],
  application_fee_percent: null,
  billing_cycle_anchor: null,
  billing_thresholds: null,
  collection_method: null,
  currency: "eur",
  default_payment_method: null,
  default_tax_rates: [],
  description: null,
  discounts: [],
  end_date: start + 30 * daySeconds,
  invoice_settings: null,
  items: [{ billing_thresholds: null, discounts: [], metadata: {}, plan: price, price, quantity: 1, tax_rates: [] }],
  metadata: {},
  on_behalf_of: null,
  proration_behavior: "none",
  start_date: start,
  transfer_data: null,
  trial_end: null
})

export const scheduleIdOf = ({ id }: Subscription) => `sub_sched_${id}`

/** With the price of now until the end of the period, and the scheduled one from then on. */
export const scheduleOf = (
  subscription: Subscription,
  status: "active" | "released" = "active"
): Stripe.SubscriptionSchedule => {
  const { created, customer, price, scheduledPrice } = subscription
  const current = { start_date: created, end_date: periodEnd(subscription) }
  return {
    id: scheduleIdOf(subscription),
    object: "subscription_schedule",
    application: null,
    billing_mode: { flexible: null, type: "classic" },
    canceled_at: null,
    completed_at: null,
    created,
    current_phase: status === "active" ? current : null,
    customer,
    customer_account: null,
    default_settings: {
      application_fee_percent: null,
      billing_cycle_anchor: "automatic",
      billing_thresholds: null,
      collection_method: "charge_automatically",
      default_payment_method: null,
      description: null,
      invoice_settings: {
        account_tax_ids: null,
        custom_fields: null,
        days_until_due: null,
        description: null,
        footer: null,
        issuer: { type: "self" }
      },
      on_behalf_of: null,
      transfer_data: null
    },
    end_behavior: "release",
    livemode: false,
    metadata: {},
    pause_schedules: [],
    phases: [phaseOf(price, current.start_date), phaseOf(scheduledPrice ?? price, current.end_date)],
    released_at: status === "active" ? null : current.end_date,
    released_subscription: status === "active" ? null : subscription.id,
    status,
    subscription: status === "active" ? subscription.id : null,
    test_clock: null
  }
}

const pendingUpdateOf = (subscription: Subscription, price: string): Stripe.Subscription.PendingUpdate => ({
  billing_cycle_anchor: null,
  cancel_at_period_end: null,
  discount: null,
  discounts: null,
  expires_at: subscription.created + daySeconds,
  metadata: null,
  subscription_items: [itemOf(subscription, price)],
  trial_end: null,
  trial_from_plan: null
})

/** As the API answers. The schedule is its id unless `schedule` is among what is to be expanded. */
export const asSubscription = (
  subscription: Subscription,
  expands: ReadonlyArray<string> = []
): Stripe.Subscription => {
  const { created, customer, endsWithPeriod, id, pausedCollection, pendingPrice, scheduledPrice, status } = subscription
  const hasEnded = status === "canceled"
  const isEnding = hasEnded || endsWithPeriod
  return {
    id,
    object: "subscription",
    application: null,
    application_fee_percent: null,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null },
    billing_cycle_anchor: created,
    billing_cycle_anchor_config: null,
    billing_mode: { flexible: null, type: "classic" },
    billing_schedules: [],
    billing_thresholds: null,
    cancel_at: endsWithPeriod ? periodEnd(subscription) : null,
    cancel_at_period_end: endsWithPeriod,
    canceled_at: isEnding ? created + daySeconds : null,
    cancellation_details: {
      comment: null,
      feedback: null,
      feedback_option: null,
      reason: isEnding ? "cancellation_requested" : null
    },
    collection_method: "charge_automatically",
    created,
    currency: "eur",
    customer,
    customer_account: null,
    days_until_due: null,
    default_payment_method: "pm_card",
    default_source: null,
    default_tax_rates: [],
    description: null,
    discounts: [],
    ended_at: hasEnded ? periodEnd(subscription) : null,
    invoice_settings: {
      account_tax_ids: null,
      custom_fields: null,
      description: null,
      footer: null,
      issuer: { type: "self" }
    },
    items: itemsOf(subscription),
    latest_invoice: `in_${id}`,
    livemode: false,
    managed_payments: null,
    metadata: {},
    next_pending_invoice_item_invoice: null,
    on_behalf_of: null,
    pause_collection: pausedCollection === null ? null : { behavior: pausedCollection, resumes_at: null },
    payment_settings: {
      payment_method_options: null,
      payment_method_types: null,
      save_default_payment_method: "off"
    },
    pending_invoice_item_interval: null,
    pending_setup_intent: null,
    pending_update: pendingPrice === null ? null : pendingUpdateOf(subscription, pendingPrice),
    schedule:
      scheduledPrice === null
        ? null
        : expands.includes("schedule")
          ? scheduleOf(subscription)
          : scheduleIdOf(subscription),
    start_date: created,
    status,
    test_clock: null,
    transfer_data: null,
    trial_end: null,
    trial_settings: { end_behavior: { billing_cycle_anchor: null, missing_payment_method: "pause" } },
    trial_start: null
  }
}

/** For one period of a subscription. */
export const invoiceOf = (subscription: Subscription, isPaid: boolean): Stripe.Invoice => {
  const { created, customer, id, price } = subscription
  const amount = amountOf(price)
  return {
    id: nextId("in"),
    object: "invoice",
    account_country: "DE",
    account_name: "Discovery",
    account_tax_ids: null,
    amount_due: amount,
    amount_overpaid: 0,
    amount_paid: isPaid ? amount : 0,
    amount_remaining: isPaid ? 0 : amount,
    amount_shipping: 0,
    application: null,
    attempt_count: 1,
    attempted: true,
    auto_advance: !isPaid,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null, provider: null, status: null },
    automatically_finalizes_at: null,
    billing_reason: "subscription_cycle",
    collection_method: "charge_automatically",
    created,
    currency: "eur",
    custom_fields: null,
    customer,
    customer_account: null,
    customer_address: null,
    customer_email: "ada@example.com",
    customer_name: null,
    customer_phone: null,
    customer_shipping: null,
    customer_tax_exempt: "none",
    customer_tax_ids: [],
    default_payment_method: null,
    default_source: null,
    default_tax_rates: [],
    description: null,
    discounts: [],
    due_date: null,
    effective_at: created,
    ending_balance: 0,
    footer: null,
    from_invoice: null,
    hosted_invoice_url: null,
    invoice_pdf: null,
    issuer: { type: "self" },
    last_finalization_error: null,
    latest_revision: null,
    lines: listOf("/v1/invoices/lines", []),
    livemode: false,
    metadata: {},
    next_payment_attempt: isPaid ? null : created + 3 * daySeconds,
    number: null,
    on_behalf_of: null,
    parent: {
      quote_details: null,
      subscription_details: { metadata: {}, subscription: id },
      type: "subscription_details"
    },
    payment_settings: { default_mandate: null, payment_method_options: null, payment_method_types: null },
    period_end: periodEnd(subscription),
    period_start: created,
    post_payment_credit_notes_amount: 0,
    pre_payment_credit_notes_amount: 0,
    receipt_number: null,
    rendering: null,
    shipping_cost: null,
    shipping_details: null,
    starting_balance: 0,
    statement_descriptor: null,
    status: isPaid ? "paid" : "open",
    status_transitions: {
      finalized_at: created,
      marked_uncollectible_at: null,
      paid_at: isPaid ? created : null,
      voided_at: null
    },
    subtotal: amount,
    subtotal_excluding_tax: amount,
    test_clock: null,
    total: amount,
    total_discount_amounts: [],
    total_excluding_tax: amount,
    total_pretax_credit_amounts: [],
    total_taxes: [],
    webhooks_delivered_at: created
  }
}
