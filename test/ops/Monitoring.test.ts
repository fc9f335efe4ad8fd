/** The files for Prometheus and Grafana agree with what a real server exposes, and the runbook with the alerts. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { parse } from "yaml"
import * as LiveServer from "../support/LiveServer.ts"
import * as PromQl from "../support/PromQl.ts"
import { Scrape } from "../support/Scrape.ts"
import type { Sample } from "../support/Scrape.ts"

const read = (file: string) => fs.readFileSync(new URL(`../../${file}`, import.meta.url), "utf8")

const Alert = Schema.Struct({
  alert: Schema.String,
  expr: Schema.String,
  for: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^\d+[smh]$/u))),
  labels: Schema.Struct({ severity: Schema.Literals(["page", "ticket"]) }),
  annotations: Schema.Struct({ summary: Schema.String, runbook: Schema.String })
})
const Alerts = Schema.Struct({
  groups: Schema.Array(Schema.Struct({ name: Schema.String, rules: Schema.Array(Alert) }))
})
const alerts = Schema.decodeUnknownSync(Alerts)(parse(read("ops/prometheus/alerts.yml"))).groups.flatMap(
  ({ rules }) => rules
)

const Panel = Schema.Struct({
  id: Schema.Int,
  title: Schema.String,
  gridPos: Schema.Struct({ x: Schema.Int, y: Schema.Int, w: Schema.Int, h: Schema.Int }),
  targets: Schema.optionalKey(Schema.Array(Schema.Struct({ expr: Schema.String, legendFormat: Schema.String })))
})
const Dashboard = Schema.Struct({
  templating: Schema.Struct({
    list: Schema.Array(Schema.Struct({ name: Schema.String, query: Schema.Unknown }))
  }),
  panels: Schema.Array(Panel)
})
const dashboard = Schema.decodeUnknownSync(Dashboard)(JSON.parse(read("ops/grafana/discovery.json")))

/** Of the Debian package `prometheus`. Without it the other tests of this file still hold. */
const hasPromtool = spawnSync("promtool", ["--version"]).status === 0

const promtool = (args: ReadonlyArray<string>, input = "") => {
  const cwd = new URL("../../ops/prometheus/", import.meta.url)
  const { status, stderr, stdout } = spawnSync("promtool", args, { cwd, input, encoding: "utf8" })
  assert.strictEqual(status, 0, stdout + stderr)
}

/** What Prometheus adds by itself. */
const own = { names: ["up"], labels: ["job", "instance"] }

const valuesOf = ({ operator, value }: PromQl.Matcher): ReadonlyArray<string> =>
  value.startsWith("$") ? [] : operator.endsWith("~") ? value.split("|") : [value]

/** What is wrong with an expression, for a server with these samples. */
const problemsOf = (expression: string, samples: ReadonlyArray<Sample>): ReadonlyArray<string> => {
  const { grouped, selectors } = PromQl.read(expression)
  const problems: Array<string> = selectors.length === 0 ? ["names no metric"] : []
  const known = new Set(own.labels)
  for (const { matchers, name } of selectors) {
    const of = samples.filter((sample) => sample.name === name)
    if (of.length === 0 && !own.names.includes(name)) problems.push(`there is no metric ${name}`)
    for (const { labels } of of) for (const label of Object.keys(labels)) known.add(label)
    for (const matcher of matchers) {
      const { label } = matcher
      if (own.labels.includes(label)) continue
      const values = new Set(of.map(({ labels }) => labels[label]))
      for (const value of valuesOf(matcher)) {
        if (!values.has(value)) problems.push(`${name} has no ${label} "${value}"`)
      }
    }
  }
  return [...problems, ...grouped.filter((label) => !known.has(label)).map((label) => `no metric has a label ${label}`)]
}

/** One refused refresh, so that the one family without series at the start has one. */
const refreshed = Effect.gen(function* () {
  const url = yield* LiveServer.url
  yield* Effect.promise(() =>
    fetch(`${url}/token`, {
      method: "POST",
      body: new URLSearchParams({ grant_type: "refresh_token", client_id: "nobody", refresh_token: "none" })
    })
  )
})

const services = Layer.effectDiscard(refreshed).pipe(
  Layer.provideMerge(Scrape.layer),
  Layer.provideMerge(LiveServer.layer)
)

layer(services, { excludeTestServices: true })("against a real scrape", (it) => {
  it.effect("every alert names metrics, labels and values that a server exposes", () =>
    Effect.gen(function* () {
      const samples = yield* (yield* Scrape).samples
      for (const { alert, annotations, expr } of alerts) {
        assert.deepStrictEqual(problemsOf(expr, samples), [], alert)
        for (const [, label = ""] of annotations.summary.matchAll(/\$labels\.(\w+)/gu)) {
          const { grouped, selectors } = PromQl.read(expr)
          const isGrouped = /\b(?:sum|histogram_quantile)\b/u.test(expr)
          const has = isGrouped
            ? grouped
            : [...own.labels, ...selectors.flatMap(({ matchers }) => matchers.map((each) => each.label))]
          assert.include(has, label, alert)
        }
      }
    })
  )

  it.effect.runIf(hasPromtool)("Prometheus accepts what a server exposes", () =>
    Effect.gen(function* () {
      promtool(["check", "metrics"], yield* (yield* Scrape).text)
    })
  )

  it.effect("every panel of the dashboard names metrics, labels and values that a server exposes", () =>
    Effect.gen(function* () {
      const samples = yield* (yield* Scrape).samples
      for (const { targets = [], title } of dashboard.panels) {
        for (const { expr, legendFormat } of targets) {
          assert.deepStrictEqual(problemsOf(expr, samples), [], title)
          const { grouped } = PromQl.read(expr)
          for (const [, label = ""] of legendFormat.matchAll(/\{\{(\w+)\}\}/gu)) {
            assert.include(grouped.length === 0 ? own.labels : grouped, label, title)
          }
        }
      }
    })
  )

  it.effect("every family of metrics is on the dashboard", () =>
    Effect.gen(function* () {
      const samples = yield* (yield* Scrape).samples
      const shown = dashboard.panels
        .flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => PromQl.read(expr).selectors))
        .map(({ name }) => name)
      const familyOf = (name: string) => name.replace(/_(?:bucket|sum|count)$/u, "")
      const families = new Set(shown.map(familyOf))
      const missing = new Set(samples.map(({ name }) => familyOf(name)).filter((name) => !families.has(name)))
      assert.deepStrictEqual([...missing], [])
    })
  )

  it.effect("a misspelled name, label or value would be noticed", () =>
    Effect.gen(function* () {
      const samples = yield* (yield* Scrape).samples
      for (const [expression, problem] of [
        ["rate(discovery_call_total[5m]) > 0", "there is no metric discovery_call_total"],
        ['discovery_calls_total{outcome="okay"}', 'discovery_calls_total has no outcome "okay"'],
        ['discovery_calls_total{outcome=~"ok|okay"}', 'discovery_calls_total has no outcome "okay"'],
        ['discovery_index_ready{tool="search_ads"}', 'discovery_index_ready has no tool "search_ads"'],
        ["sum by (shard) (discovery_index_ready)", "no metric has a label shard"],
        ["vector(1)", "names no metric"]
      ] as const) {
        assert.deepStrictEqual(problemsOf(expression, samples), [problem])
      }
      assert.deepStrictEqual(
        problemsOf('rate(discovery_calls_total{tool="search_ads"}[5m] offset 1d) > 0.5', samples),
        []
      )
    })
  )
})

describe("docs/runbook.md", () => {
  const runbook = read("docs/runbook.md")
  /** Of each section: whether it says how to check and what to do. */
  const sections = new Map(
    runbook.split(/^### /mu).map((section) => [section.split("\n", 1)[0] ?? "", section.split(/^## /mu, 1)[0] ?? ""])
  )

  it("has a section for every alert, with its severity, how to check and what to do, and no others", () => {
    for (const { alert, annotations, labels } of alerts) {
      const section = sections.get(alert) ?? assert.fail(`no section ${alert}`)
      assert.include(section, `*${labels.severity}.*`, alert)
      assert.include(section, "- **Check:**", alert)
      assert.include(section, "- **Do:**", alert)
      assert.strictEqual(annotations.runbook, `docs/runbook.md#${alert.toLowerCase()}`)
    }
    const names = alerts.map(({ alert }) => alert)
    assert.strictEqual(new Set(names).size, names.length)
    assert.sameMembers([...sections.keys()].slice(1), names)
  })

  it("links only to sections that exist", () => {
    const anchorsOf = (file: string) =>
      new Set(
        Array.from(read(file).matchAll(/^#+ (.+)$/gmu), ([, title = ""]) =>
          title
            .toLowerCase()
            .replaceAll(/[^\w\s-]/gu, "")
            .replaceAll(/\s/gu, "-")
        )
      )
    for (const [, file = "", anchor = ""] of runbook.matchAll(/\]\(([^)#]*)#([^)]+)\)/gu)) {
      assert.isTrue(anchorsOf(file === "" ? "docs/runbook.md" : `docs/${file}`).has(anchor), `${file}#${anchor}`)
    }
  })
})

describe("ops", () => {
  it.runIf(hasPromtool)("Prometheus accepts the rules, and they fire as alerts.test.yml says", () => {
    promtool(["check", "config", "--lint-fatal", "scrape.yml"])
    promtool(["test", "rules", "alerts.test.yml"])
  })

  it("alerts.test.yml has cases in which each alert fires and in which it must not, and no others", () => {
    const Case = Schema.Struct({ alertname: Schema.String, exp_alerts: Schema.Array(Schema.Unknown) })
    const Tests = Schema.Struct({ tests: Schema.Array(Schema.Struct({ alert_rule_test: Schema.Array(Case) })) })
    const { tests } = Schema.decodeUnknownSync(Tests)(parse(read("ops/prometheus/alerts.test.yml")))
    const cases = tests.flatMap(({ alert_rule_test: of }) => of)
    for (const fires of [true, false]) {
      const of = cases.filter(({ exp_alerts: expected }) => expected.length > 0 === fires)
      assert.sameMembers(
        [...new Set(of.map(({ alertname }) => alertname))],
        alerts.map(({ alert }) => alert)
      )
    }
  })

  it("the job of scrape.yml is the one that the alerts ask for", () => {
    const Scrapes = Schema.Struct({
      rule_files: Schema.Array(Schema.String),
      scrape_configs: Schema.Array(Schema.Struct({ job_name: Schema.String }))
    })
    const { rule_files: files, scrape_configs: jobs } = Schema.decodeUnknownSync(Scrapes)(
      parse(read("ops/prometheus/scrape.yml"))
    )
    assert.deepStrictEqual(files, ["alerts.yml"])
    const asked = alerts.flatMap(({ expr }) =>
      PromQl.read(expr).selectors.flatMap(({ matchers }) =>
        matchers.flatMap(({ label, value }) => (label === "job" ? [value] : []))
      )
    )
    assert.deepStrictEqual(
      [...new Set(asked)],
      jobs.map(({ job_name }) => job_name)
    )
  })

  it("no panels of the dashboard overlap, and their ids are unique", () => {
    const { panels } = dashboard
    assert.strictEqual(new Set(panels.map(({ id }) => id)).size, panels.length)
    for (const [index, { gridPos: a, title }] of panels.entries()) {
      assert.isAtMost(a.x + a.w, 24, title)
      for (const { gridPos: b, title: other } of panels.slice(index + 1)) {
        const apart = a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y
        assert.isTrue(apart, `${title} and ${other}`)
      }
    }
  })
})
