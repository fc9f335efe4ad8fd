/** What ClickHouse is told with every request, whatever the profile of the user says. */
import { Duration } from "effect"

export type Settings = Readonly<Record<string, string | number>>

/**
 * Without these, a profile or a setting of the server can turn an answer into a part of it: rows up to a limit, groups up to a
 * number, the shards that were there. A user that may not change settings (`readonly = 1`) is refused.
 */
const whole = {
  timeout_overflow_mode: "throw",
  read_overflow_mode: "throw",
  read_overflow_mode_leaf: "throw",
  result_overflow_mode: "throw",
  group_by_overflow_mode: "throw",
  sort_overflow_mode: "throw",
  set_overflow_mode: "throw",
  distinct_overflow_mode: "throw",
  transfer_overflow_mode: "throw",
  join_overflow_mode: "throw",
  skip_unavailable_shards: 0
} as const

/** An error that comes late has a status of its own, as long as the answer fits into the memory of the server. */
const late = { wait_end_of_query: 1, http_write_exception_in_output_format: 0 } as const

/**
 * Whole numbers of 64 bits are texts, because a double does not hold all of them, and the default has changed between versions of
 * ClickHouse. Decimals likewise. What is not a number is a text as well, not null. Numbers that are read are the nearest to their text.
 */
const exact = {
  precise_float_parsing: 1,
  output_format_json_quote_64bit_integers: 1,
  output_format_json_quote_decimals: 1,
  output_format_json_quote_denormals: 1
} as const

/** Ends a read when its connection does. It is the second way: `KILL QUERY` may reach another server behind a balancer. */
const abandoned = { cancel_http_readonly_queries_on_client_close: 1 } as const

export const every: Settings = { ...whole, ...late, ...exact, ...abandoned }

/** The time that a query may take in ClickHouse, which counts 0 as unlimited. */
export const timeLimit = (time: Duration.Duration): Settings => ({
  max_execution_time: Math.max(0.001, Duration.toSeconds(time))
})
