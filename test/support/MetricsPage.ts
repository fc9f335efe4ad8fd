/** Generates `docs/metrics.md`. */
import type { Definition } from "../../src/services/metrics/Family.ts"

export const metricsPage = (families: ReadonlyArray<Definition>): string => {
  const lists = new Map<string, ReadonlyArray<string>>()
  for (const { labels, name } of families) {
    for (const [label, values] of Object.entries(labels)) lists.set(`${name} ${label}`, values)
  }
  const rows = families.map(({ labels, meaning, name, type }) => {
    const of = Object.keys(labels).map((label) => `\`${label}\``)
    return `| \`${name}\` | ${type} | ${of.join(", ")} | ${meaning} |`
  })
  const values = Array.from(lists, ([key, list]) => {
    const [name = "", label = ""] = key.split(" ")
    return `| \`${name}\` | \`${label}\` | ${list.map((value) => `\`${value}\``).join(", ")} |`
  })
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
