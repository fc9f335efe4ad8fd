/** Generates `docs/metrics.md`. */
import type { Definition } from "../../src/services/metrics/Family.ts"

const listOf = (values: ReadonlyArray<string>): string => values.map((value) => `\`${value}\``).join(", ")

export const metricsPage = (families: ReadonlyArray<Definition>): string => {
  /** The metrics that have a label with the same values, by these. */
  const metrics = new Map<string, Array<string>>()
  const keyOf = (label: string, values: ReadonlyArray<string>) => `\`${label}\` | ${listOf(values)}`
  for (const { labels, name } of families) {
    for (const [label, values] of Object.entries(labels)) {
      const key = keyOf(label, values)
      metrics.set(key, [...(metrics.get(key) ?? []), `\`${name}\``])
    }
  }
  const isShared = (key: string): boolean => (metrics.get(key) ?? []).length > 1
  const rows = families.map(({ labels, meaning, name, type }) => {
    const of = Object.entries(labels).map(
      ([label, values]) => `\`${label}\`${isShared(keyOf(label, values)) ? "" : `: ${listOf(values)}`}`
    )
    return `| \`${name}\` | ${type} | ${of.join("; ")} | ${meaning} |`
  })
  return [
    "# Metrics",
    "",
    "<!-- Written from the code: `npm test -- test/http/Metrics.test.ts -u`. -->",
    "",
    "`GET /metrics` on `METRICS_PORT` has them in the text format of Prometheus; `OTEL_EXPORTER_OTLP_ENDPOINT` gets the same, from each of `HTTP_THREADS` by itself (`service.instance.id`). Every process counts for itself,",
    "from its start. Labels are closed lists, so that no account, address or text of a caller is in them, and series exist before their first event (except",
    "`discovery_oauth_refreshes_total`). `client_family` is what an app says of itself in its registration or the address of its document: good",
    "for statistics, not for trust. How to collect them: [operations](operations.md#metrics-and-alerts); what to do when an alert fires: [runbook](runbook.md).",
    "",
    "| metric | type | labels and their values | meaning |",
    "|---|---|---|---|",
    ...rows,
    "",
    "## Values of labels that several metrics have",
    "",
    "| label | values | metrics |",
    "|---|---|---|",
    ...Array.from(metrics).flatMap(([key, names]) => (isShared(key) ? [`| ${key} | ${names.join(", ")} |`] : [])),
    ""
  ].join("\n")
}
