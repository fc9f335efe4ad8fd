/**
 * All metrics of the program. Labels are closed lists: no account, address, name or text of a caller becomes one.
 *
 * A new label multiplies the series of its family by the number of its values.
 */
import { costs } from "../../domain/access/Credit.ts"
import { outcomes } from "../../domain/access/Activity.ts"
import { clientFamilies, registrations } from "../../domain/oauth/ClientFamily.ts"
import { endReasons } from "../../domain/oauth/Grant.ts"
import { codeOutcomes, refreshOutcomes, signInReasons } from "../../domain/oauth/TokenOutcome.ts"
import type { ToolName } from "../tools/ToolDefinition.ts"
import { counter, gauge, histogram } from "./Family.ts"

const tools: ReadonlyArray<ToolName> = Object.keys(costs).filter((name): name is ToolName => name in costs)

/** Seconds; a call is usually within 10 ms, and ends after 15 s at the latest. */
const durations = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15]

// Calls

export const calls = counter("discovery_calls_total", {
  meaning: "Calls of tools that were answered, by outcome: ok, or the code of the error",
  labels: { tool: tools, outcome: outcomes }
})

export const callDuration = histogram("discovery_call_duration_seconds", {
  meaning: "Duration of a call until its answer; calls that the rate limit refused are not measured",
  labels: { tool: tools },
  boundaries: durations
})

export const searchDuration = histogram("discovery_search_duration_seconds", {
  meaning: "Time of a search of the index, with its wait for a thread and without the records of the page",
  labels: { kind: ["search", "facets", "overview", "adGroups", "storeIds"] },
  boundaries: durations
})

export const searchesRepeated = counter("discovery_searches_repeated_total", {
  meaning: "Searches that ran once more, because a record was newer than the index or gone"
})

export const searchThreadsReplaced = counter("discovery_search_threads_replaced_total", {
  meaning: "Search threads that were replaced. died: the thread ended. stuck: it did not answer, or did not start",
  labels: { reason: ["died", "stuck"] }
})

export const httpThreadsReplaced = counter("discovery_http_threads_replaced_total", {
  meaning:
    "Threads that answer requests and were replaced. died: the thread ended. stuck: it did not answer, or did not start",
  labels: { reason: ["died", "stuck"] }
})

// Credits

export const creditsCharged = counter("discovery_credits_charged_total", {
  meaning: "Credits that were charged; refunds are not subtracted",
  labels: { tool: tools }
})

export const chargesRefunded = counter("discovery_charges_refunded_total", {
  meaning: "Charges of calls without an answer that were refunded"
})

export const charges = counter("discovery_charges_total", {
  meaning:
    "Charges by outcome. repeat: a call that was paid for under the same idempotency key. barred: the charge had been given up before it was made. unavailable: the database did not tell whether it was made",
  labels: { outcome: ["charged", "repeat", "conflict", "insufficient", "barred", "unavailable"] }
})

// Billing

export const billingEvents = counter("discovery_billing_events_total", {
  meaning:
    "Events of Stripe by outcome; ignored is about something else, unavailable could not be processed and is sent again",
  labels: { outcome: ["processed", "repeated", "ignored", "other_customer", "refused", "unavailable"] }
})

export const billingEventDelay = histogram("discovery_billing_event_delay_seconds", {
  meaning: "Time from an event in Stripe until it was processed here",
  boundaries: [1, 5, 15, 60, 300, 900, 3_600, 21_600, 86_400, 259_200]
})

export const billingEventProcessed = gauge("discovery_billing_event_processed_timestamp_seconds", {
  meaning:
    "When an event was last processed, in seconds since 1970; by other servers too, as of the last hour; 0 before the first",
  ofProcess: "largest"
})

export const billingCompared = counter("discovery_billing_compared_total", {
  meaning: "Customers that the daily check has compared with their subscriptions",
  labels: { outcome: ["same", "corrected", "failed"] }
})

// Queues and limits

export const queueLength = gauge("discovery_queue_length", {
  meaning:
    "What waits: searches for a thread, reads of records for a connection, charges for their batch, refunds for the database, calls for the activity log, requests for the count of a rate limit, mails in the database, as each server counts them once a minute",
  labels: { queue: ["searches", "reads", "charges", "refunds", "activity_log", "rate_limits", "mails"] },
  ofProcess: "sum"
})

export const activityDropped = counter("discovery_activity_dropped_total", {
  meaning: "Calls that are missing in the activity log"
})

export const refused = counter("discovery_refused_total", {
  meaning: "Requests that a limit refused",
  labels: {
    limit: [
      "calls",
      "searches",
      "searches_of_account",
      "page_views",
      "page_views_of_day",
      "register",
      "token",
      "revoke",
      "authorize",
      "passkey",
      "sign_in",
      "metadata_fetches",
      "billing",
      "connections"
    ]
  }
})

// HTTP

export const responses = counter("discovery_http_responses_total", {
  meaning: "Answers by group of routes and class of status; unknown is an address without a route",
  labels: {
    route: ["mcp", "oauth", "pages", "documents", "health", "unknown"],
    status: ["1xx", "2xx", "3xx", "4xx", "5xx"]
  }
})

// The search index

export const indexReady = gauge("discovery_index_ready", {
  meaning: "1 while there is a search index, else 0",
  ofProcess: "smallest"
})

export const indexVersion = gauge("discovery_index_version", {
  meaning: "Version of the catalog that searches see",
  ofProcess: "smallest"
})

export const indexSegments = gauge("discovery_index_segments", {
  meaning: "Segments of the index",
  ofProcess: "largest"
})

export const indexPublished = gauge("discovery_index_published_timestamp_seconds", {
  meaning: "When searches began to see this version of the index, in seconds since 1970; 0 before the first",
  ofProcess: "smallest"
})

export const indexChecked = gauge("discovery_index_checked_timestamp_seconds", {
  meaning: "When the index was last compared with the database, in seconds since 1970; 0 before the first time",
  ofProcess: "smallest"
})

export const indexLagVersions = gauge("discovery_index_lag_versions", {
  meaning: "Versions that the database has and the index does not",
  ofProcess: "largest"
})

export const indexLagSeconds = gauge("discovery_index_lag_seconds", {
  meaning: "How long ago the first version was committed that the index does not have",
  ofProcess: "largest"
})

// The projector

export const projectorRows = counter("discovery_projector_rows_total", {
  meaning: "Rows of stores, products and ads that the projector has written to ClickHouse"
})

export const projectorLagVersions = gauge("discovery_projector_lag_versions", {
  meaning: "Versions that the database has and ClickHouse does not, as the server that projects sees them; 0 on others",
  ofProcess: "largest"
})

export const projectorLagSeconds = gauge("discovery_projector_lag_seconds", {
  meaning:
    "How long ago the first version was committed that ClickHouse does not have; 0 on servers that do not project",
  ofProcess: "largest"
})

export const projectorPublished = gauge("discovery_projector_published_timestamp_seconds", {
  meaning: "When this server last published a version in ClickHouse, in seconds since 1970; 0 before the first",
  ofProcess: "largest"
})

// The database

export const databaseUp = gauge("discovery_database_up", {
  meaning: "1 if the database has answered the last probe within 2 seconds, else 0; a probe is made every 5 seconds",
  ofProcess: "smallest"
})

export const databaseProbe = histogram("discovery_database_probe_seconds", {
  meaning: "Time until the database has answered a probe, with the wait for a connection of the pool",
  boundaries: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2]
})

export const databaseOperations = gauge("discovery_database_operations", {
  meaning: "Operations under way, each with one connection of the pool or waiting for one",
  ofProcess: "sum"
})

export const databaseConnectionsMax = gauge("discovery_database_connections_max", {
  meaning: "Connections of the pools at most: more operations than these wait",
  ofProcess: "sum"
})

export const databaseFailures = counter("discovery_database_failures_total", {
  meaning:
    "Operations that failed: after their retries (unavailable), at their deadline, or at the limit of one statement",
  labels: { reason: ["unavailable", "deadline", "statement_timeout"] }
})

export const databaseAcquire = histogram("discovery_database_acquire_seconds", {
  meaning:
    "Time until a probe or a health check had a connection of the pool, or gave it up; the rest of a probe is the answer of the database",
  boundaries: [0.0001, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2]
})

export const clockAhead = gauge("discovery_clock_ahead_seconds", {
  meaning: "How far the clock of the server is ahead of the clock of the database; below 0 it is behind",
  ofProcess: "largest"
})

// Imports

export const importRunning = gauge("discovery_import_running", {
  meaning: "1 while an import runs, else 0",
  ofProcess: "largest"
})

export const importStarted = gauge("discovery_import_started_timestamp_seconds", {
  meaning: "When the last import began, in seconds since 1970; 0 without one",
  ofProcess: "largest"
})

export const importFinished = gauge("discovery_import_finished_timestamp_seconds", {
  meaning: "When the last import that came to its end did so, in seconds since 1970; 0 without one",
  ofProcess: "largest"
})

export const importDuration = gauge("discovery_import_duration_seconds", {
  meaning: "How long the last import took that came to its end",
  ofProcess: "largest"
})

export const importRecords = gauge("discovery_import_records", {
  meaning: "Records of the last import that came to its end",
  labels: { outcome: ["accepted", "rejected", "skipped"] },
  ofProcess: "largest"
})

// Mails

export const mails = counter("discovery_mails_total", {
  meaning:
    "Mails by what became of them: refused by the mail server, failed for as long as they may wait, too_many waited; postponed counts attempts",
  labels: { outcome: ["sent", "refused", "failed", "too_many", "postponed"] }
})

// Alerts

export const alertLooks = counter("discovery_alert_looks_total", {
  meaning:
    "Looks at the saved searches of an account for its daily mail, by outcome: raced were made by another server; failed are made again",
  labels: { outcome: ["mailed", "nothing_new", "no_access", "raced", "failed"] }
})

export const webhookDeliveries = counter("discovery_webhook_deliveries_total", {
  meaning:
    "Attempts to deliver to webhooks, by outcome: refused by their answer; raced were settled by another; broken could not be made; disabled counts webhooks",
  labels: { outcome: ["sent", "refused", "failed", "raced", "broken", "disabled"] }
})

// OAuth

export const connections = counter("discovery_oauth_connections_total", {
  meaning: "Connections that apps have made with a code, by what the app calls itself and by kind of registration",
  labels: { client_family: clientFamilies, registration: registrations }
})

export const codesRefused = counter("discovery_oauth_codes_refused_total", {
  meaning: "Codes that were not exchanged, by reason",
  labels: { reason: codeOutcomes }
})

export const refreshes = counter("discovery_oauth_refreshes_total", {
  meaning: "Requests to refresh, by outcome",
  labels: { client_family: clientFamilies, registration: registrations, outcome: refreshOutcomes },
  lazy: true
})

export const signInsForced = counter("discovery_oauth_sign_ins_forced_total", {
  meaning: "Refused refreshes after which the app asks its user to sign in again, by reason",
  labels: { client_family: clientFamilies, reason: signInReasons }
})

export const connectionsEnded = counter("discovery_oauth_connections_ended_total", {
  meaning: "Connections that were ended, by whom or why",
  labels: { reason: endReasons }
})

// The process

export const eventLoopDelay = histogram("discovery_event_loop_delay_seconds", {
  meaning: "The longest delay of the event loop in each second",
  boundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
})

export const memoryLimit = gauge("discovery_memory_limit_bytes", {
  meaning: "Memory that the process may use: that of its container, else of the machine",
  ofProcess: "largest"
})

export const heapUsed = gauge("nodejs_heap_size_used_bytes", {
  meaning: "Objects of the main thread",
  ofProcess: "largest"
})

export const residentMemory = gauge("process_resident_memory_bytes", {
  meaning: "Resident memory of the process",
  ofProcess: "largest"
})

export const cpu = counter("process_cpu_seconds_total", { meaning: "CPU time of all threads, user and system" })

export const startTime = gauge("process_start_time_seconds", {
  meaning: "When the process has started, in seconds since 1970",
  ofProcess: "largest"
})

export const openDescriptors = gauge("process_open_fds", {
  meaning: "Open file descriptors, on Linux",
  ofProcess: "largest"
})

export const maxDescriptors = gauge("process_max_fds", {
  meaning: "File descriptors at most, on Linux; 0 for no limit",
  ofProcess: "largest"
})
