/** Generates `docs/metrics.md`. */
import type { Definition } from "../../src/services/metrics/Family.ts"

export const metricsPage = (families: ReadonlyArray<Definition>): string => {
  /** The metrics that have a label with the same values, by both. */
  const metrics = new Map<string, Array<string>>()
  for (const { labels, name } of families) {
    for (const [label, values] of Object.entries(labels)) {
      const key = `\`${label}\` | ${values.map((value) => `\`${value}\``).join(", ")}`
      metrics.set(key, [...(metrics.get(key) ?? []), `\`${name}\``])
    }
  }
  const rows = families.map(({ labels, meaning, name, type }) => {
    const of = Object.keys(labels).map((label) => `\`${label}\``)
    return `| \`${name}\` | ${type} | ${of.join(", ")} | ${meaning} |`
  })
  const values = Array.from(metrics, ([key, names]) => `| ${names.join(", ")} | ${key} |`)
  return [
    "# Metrics",
    "",
    "<!-- Written from the code: `npm test -- test/http/Metrics.test.ts -u`. -->",
    "",
    "`GET /metrics` on `METRICS_PORT` has them in the text format of Prometheus; `OTEL_EXPORTER_OTLP_ENDPOINT` gets the same. Every process counts for itself,",
    "from its start. Labels are closed lists, so that no account, address or text of a caller is in them, and series exist before their first event (except",
    "`discovery_oauth_refreshes_total`). `client_family` is what an app says of itself in its registration or the address of its document: good",
    "for statistics, not for trust. How to collect them: [operations](operations.md#metrics-and-alerts); what to do when an alert fires: [runbook](runbook.md).",
    "",
    "| metric | type | labels | meaning |",
    "|---|---|---|---|",
    ...rows,
    "",
    "## Values of labels",
    "",
    "| metric | label | values |",
    "|---|---|---|",
    ...values,
    ""
  ].join("\n")
}
