/** Billing by Stripe: the customer of each account, and the events that were processed. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // reference: names the account to Stripe. customer_id: NULL until the first purchase. subscription_id, status: the
  // subscription that decided last, and what. is_running: whether any subscription may still cost money. asked, written:
  // numbers of questions to Stripe about the customer; an answer is written unless that of a later question was. checked_at:
  // when an answer was written last, or the daily check began.
  yield* sql`
    CREATE TABLE billing_customer (
      account_id integer PRIMARY KEY REFERENCES account,
      reference uuid NOT NULL DEFAULT gen_random_uuid(),
      customer_id text UNIQUE CHECK (char_length(customer_id) BETWEEN 1 AND 255),
      subscription_id text CHECK (char_length(subscription_id) BETWEEN 1 AND 255),
      status text CHECK (status IN ('active', 'paused', 'unpaid', 'canceled')),
      is_running boolean NOT NULL DEFAULT false,
      asked bigint NOT NULL DEFAULT 0,
      written bigint NOT NULL DEFAULT 0,
      checked_at timestamptz NOT NULL
    )`
  yield* sql`CREATE INDEX billing_customer_checked ON billing_customer (checked_at) WHERE customer_id IS NOT NULL`

  yield* sql`
    CREATE TABLE billing_event (
      id text PRIMARY KEY CHECK (char_length(id) BETWEEN 1 AND 255),
      received_at timestamptz NOT NULL
    )`
  yield* sql`CREATE INDEX billing_event_received ON billing_event (received_at)`
})
