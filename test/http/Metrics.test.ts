/** What Prometheus reads from a server after real calls: a real scrape over HTTP, beside a real database. */
import { assert, describe, expect, it, layer } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Metric, Option, Schedule } from "effect"
import { OtlpExporter } from "effect/observability"
import { AppConfig } from "../../src/Config.ts"
import * as Observability from "../../src/services/Observability.ts"
import * as Family from "../../src/services/metrics/Family.ts"
import * as Metrics from "../../src/services/metrics/Metrics.ts"
import * as Access from "../support/Access.ts"
import * as Collector from "../support/Collector.ts"
import * as LiveServer from "../support/LiveServer.ts"
import * as Messages from "../support/Messages.ts"
import { metricsPage } from "../support/MetricsPage.ts"
import { eventually } from "../support/RunningQueries.ts"
import * as Scraping from "../support/Scrape.ts"
import { Scrape, total } from "../support/Scrape.ts"
import { TestServer } from "../support/TestServer.ts"

const { definitions } = Family

const services = Scrape.layer.pipe(Layer.provideMerge(LiveServer.layer))

const get = (url: string, method = "GET") =>
  Effect.promise(async () => {
    const response = await fetch(url, { method })
    return { status: response.status, headers: response.headers, text: await response.text() }
  })

/** Of a histogram as well. */
const familyOf = (name: string) =>
  definitions().find((family) =>
    family.type === "histogram"
      ? /_(?:bucket|sum|count)$/u.test(name) && name.startsWith(`${family.name}_`)
      : family.name === name
  )

layer(services, { excludeTestServices: true })("metrics", (it) => {
  it.effect("calls, their durations and their credits are those that were made", () =>
    Effect.gen(function* () {
      const scrape = yield* Scrape
      const paying = yield* Access.subscriber()
      const unpaid = yield* Access.subscriber({ status: "unpaid" })
      const before = yield* scrape.samples
      const calls = [
        ["search_ads", "ok", {}],
        ["search_ads", "ok", { countries: ["US"] }],
        ["search_ads", "invalid_arguments", { countries: ["XX"] }],
        ["get_usage", "ok", {}],
        ["get_shop", "not_found", { shop_id: 2_000_000_000 }],
        ["search_shops", "ok", {}]
      ] as const
      for (const [tool, , args] of calls) yield* LiveServer.post(paying.secret, Messages.call(tool, args))
      yield* LiveServer.post(unpaid.secret, Messages.call("search_ads"))
      yield* LiveServer.post(paying.secret, Messages.call("no_such_tool"))
      const after = yield* scrape.samples

      const gained = (name: string, labels: Readonly<Record<string, string>> = {}) =>
        total(after, name, labels) - total(before, name, labels)
      assert.strictEqual(gained("discovery_calls_total"), 7)
      assert.strictEqual(gained("discovery_calls_total", { tool: "search_ads", outcome: "ok" }), 2)
      assert.strictEqual(gained("discovery_calls_total", { tool: "search_ads", outcome: "invalid_arguments" }), 1)
      assert.strictEqual(gained("discovery_calls_total", { tool: "search_ads", outcome: "plan_upgrade_required" }), 1)
      assert.strictEqual(gained("discovery_calls_total", { tool: "get_shop", outcome: "not_found" }), 1)
      assert.strictEqual(gained("discovery_calls_total", { tool: "get_usage", outcome: "ok" }), 1)
      for (const tool of ["search_ads", "search_shops", "get_usage", "get_shop", "get_product"]) {
        assert.strictEqual(
          gained("discovery_call_duration_seconds_count", { tool }),
          gained("discovery_calls_total", { tool }),
          tool
        )
      }
      assert.isAbove(gained("discovery_call_duration_seconds_sum", { tool: "search_ads" }), 0)
      assert.strictEqual(gained("discovery_search_duration_seconds_count", { kind: "search" }), 3)

      const { balance } = yield* Access.books(paying.caller.accountId)
      assert.strictEqual(gained("discovery_credits_charged_total"), balance.used)
      assert.strictEqual(gained("discovery_credits_charged_total", { tool: "search_ads" }), 2)
      assert.strictEqual(gained("discovery_charges_total", { outcome: "charged" }), balance.used)
      assert.strictEqual(gained("discovery_http_responses_total", { route: "mcp", status: "2xx" }), 8)
      assert.strictEqual(total(after, "discovery_queue_length", { queue: "charges" }), 0)
    })
  )

  it.effect("a call that waits for its charge is in the queue of charges and an operation at the database", () =>
    Effect.gen(function* () {
      const { samples } = yield* Scrape
      const { caller, secret } = yield* Access.subscriber()
      const ok = (all: ReadonlyArray<Scraping.Sample>) =>
        total(all, "discovery_calls_total", { tool: "search_ads", outcome: "ok" })
      const before = yield* samples
      const lock = yield* Access.holdPeriods(caller.accountId)
      const call = yield* Effect.forkChild(LiveServer.post(secret, Messages.call("search_ads")))
      yield* lock.waiting(1)
      const during = yield* samples
      assert.strictEqual(total(during, "discovery_queue_length", { queue: "charges" }), 1)
      assert.isAtLeast(total(during, "discovery_database_operations"), 1)
      assert.strictEqual(ok(during), ok(before))
      yield* lock.release
      yield* Fiber.join(call)
      const after = yield* samples
      assert.strictEqual(total(after, "discovery_queue_length", { queue: "charges" }), 0)
      assert.strictEqual(ok(after), ok(before) + 1)
      // Counting calls against rate limits and probing the database are operations as well, and have an end.
      yield* samples.pipe(
        Effect.filterOrFail((all) => total(all, "discovery_database_operations") === 0),
        eventually
      )
    })
  )

  it.effect("a collector gets every family over OTLP, and the values of a scrape", () =>
    Effect.gen(function* () {
      const { samples } = yield* Scrape
      const collector = yield* Collector.make
      const config = AppConfig.layerOf({ otlpEndpoint: Option.some(collector.url) })
      const exporting = yield* Layer.build(Observability.layer.pipe(Layer.provide(config)))
      const { secret } = yield* Access.subscriber()
      for (const tool of ["search_ads", "get_usage"]) yield* LiveServer.post(secret, Messages.call(tool))
      const scraped = yield* samples
      // By itself it would wait for ten seconds.
      yield* Option.getOrThrow(Context.getOption(exporting, OtlpExporter.Flusher)).flush
      const sent = collector.metrics().at(-1) ?? assert.fail("nothing was sent")

      const valuesOf = (all: ReadonlyArray<Scraping.Sample>, name: string) =>
        all
          .filter((sample) => sample.name === name)
          .map(({ labels, value }) => `${labels["tool"] ?? ""} ${labels["outcome"] ?? ""} ${value}`)
          .toSorted()
      assert.isAtLeast(total(sent, "discovery_calls_total", { tool: "search_ads", outcome: "ok" }), 1)
      assert.isAtLeast(total(sent, "discovery_calls_total", { tool: "get_usage", outcome: "ok" }), 1)
      // Nothing changes these between the scrape and the export.
      for (const name of [
        "discovery_calls_total",
        "discovery_call_duration_seconds_count",
        "discovery_call_duration_seconds_sum",
        "discovery_credits_charged_total",
        "discovery_charges_total",
        "discovery_index_version"
      ]) {
        assert.deepStrictEqual(valuesOf(sent, name), valuesOf(scraped, name), name)
        assert.isNotEmpty(valuesOf(sent, name), name)
      }
      const lazy = "discovery_oauth_refreshes_total"
      for (const { name, type } of definitions()) {
        if (name !== lazy) total(sent, type === "histogram" ? `${name}_count` : name)
      }
      for (const { name } of sent) assert.isDefined(familyOf(name), name)
    }).pipe(Effect.scoped)
  )

  it.effect("every histogram agrees with itself: buckets grow, and the last one is the count", () =>
    Effect.gen(function* () {
      const samples = yield* (yield* Scrape).samples
      for (const { labels, type, name } of definitions()) {
        if (type !== "histogram") continue
        const values = Object.values(labels)[0] ?? [""]
        const label = Object.keys(labels)[0]
        for (const value of values) {
          const of = label === undefined ? {} : { [label]: value }
          const buckets = samples.filter(
            (sample) => sample.name === `${name}_bucket` && (label === undefined || sample.labels[label] === value)
          )
          const counts = buckets.map((bucket) => bucket.value)
          assert.deepStrictEqual(
            counts,
            counts.toSorted((a, b) => a - b),
            name
          )
          assert.strictEqual(buckets.at(-1)?.labels["le"], "+Inf")
          assert.strictEqual(counts.at(-1), total(samples, `${name}_count`, of), name)
        }
      }
    })
  )

  it.effect("exposes every family under its name, type and labels, and no value beside the lists", () =>
    Effect.gen(function* () {
      const { samples, text } = yield* Scrape
      const exposed = yield* samples
      const types = new Map(
        Array.from((yield* text).matchAll(/^# TYPE (\S+) (\S+)$/gmu), ([, name = "", type = ""]) => [name, type])
      )
      for (const { labels, name, type } of definitions()) {
        assert.match(name, /^(?:discovery|process|nodejs)_[a-z_]+$/u)
        if (type === "counter") assert.match(name, /_total$/u)
        // Made by its first event.
        if (name !== "discovery_oauth_refreshes_total") assert.strictEqual(types.get(name), type, name)
        for (const values of Object.values(labels)) assert.isAtMost(values.length, 20, name)
      }
      for (const { labels, name } of exposed) {
        const family = familyOf(name) ?? assert.fail(`${name} is no metric of Metrics.ts`)
        for (const [label, value] of Object.entries(labels)) {
          if (label !== "le") assert.include(family.labels[label] ?? [], value, name)
        }
      }
      assert.isAtMost(exposed.length, 1_500)
    })
  )

  it.effect("tells the state of index, database and process", () =>
    Effect.gen(function* () {
      const samples = yield* (yield* Scrape).samples
      assert.strictEqual(total(samples, "discovery_index_ready"), 1)
      assert.isAbove(total(samples, "discovery_index_version"), 0)
      assert.isAbove(total(samples, "discovery_index_segments"), 0)
      assert.isAbove(total(samples, "discovery_index_published_timestamp_seconds"), 1.7e9)
      assert.strictEqual(total(samples, "discovery_database_up"), 1)
      assert.strictEqual(total(samples, "discovery_database_connections_max"), 10)
      assert.isAbove(total(samples, "discovery_database_probe_seconds_count"), 0)
      assert.isAbove(total(samples, "process_resident_memory_bytes"), 1e7)
      assert.isAbove(total(samples, "discovery_memory_limit_bytes"), total(samples, "process_resident_memory_bytes"))
      assert.isAbove(total(samples, "process_cpu_seconds_total"), 0)
      if (process.platform === "linux") assert.isAbove(total(samples, "process_open_fds"), 3)
    })
  )

  it.effect("observes the event loop and the index's comparisons with the database again and again", () =>
    Effect.gen(function* () {
      const { samples } = yield* Scrape
      yield* samples.pipe(
        Effect.filterOrFail(
          (all) =>
            total(all, "discovery_event_loop_delay_seconds_count") > 0 &&
            total(all, "discovery_index_checked_timestamp_seconds") > 1.7e9
        ),
        Effect.retry({ schedule: Schedule.spaced("50 millis") })
      )
    })
  )

  describe("the port of the metrics", () => {
    it.effect("has GET /metrics and nothing else", () =>
      Effect.gen(function* () {
        const { url } = yield* Scrape
        const answer = yield* get(`${url}/metrics`)
        assert.strictEqual(answer.status, 200)
        assert.strictEqual(answer.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8")
        assert.strictEqual((yield* get(`${url}/metrics?collect=x`)).status, 200)
        for (const path of ["/", "/metrics/", "/metricsx", "/mcp", "/health/live", "/dashboard", "//metrics"]) {
          assert.strictEqual((yield* get(url + path)).status, 404, path)
        }
        const posted = yield* get(`${url}/metrics`, "POST")
        assert.strictEqual(posted.status, 405)
        assert.strictEqual(posted.headers.get("allow"), "GET")
      })
    )

    it.effect("is the only one that has them, and an unknown address of the public one counts as unknown", () =>
      Effect.gen(function* () {
        const { samples } = yield* Scrape
        const unknown = { route: "unknown", status: "4xx" }
        const before = total(yield* samples, "discovery_http_responses_total", unknown)
        const answer = yield* get(`${yield* LiveServer.url}/metrics`)
        assert.strictEqual(answer.status, 404)
        assert.notInclude(answer.text, "discovery_calls")
        assert.strictEqual(total(yield* samples, "discovery_http_responses_total", unknown), before + 1)
      })
    )
  })

  it.effect("docs/metrics.md is written from the metrics", () =>
    Effect.promise(() => expect(metricsPage(definitions())).toMatchFileSnapshot("../../docs/metrics.md"))
  )

  it("a line that is no sample is noticed, and so is a sample that is missing", () => {
    assert.throws(() => Scraping.parse("discovery calls 1\n"))
    const samples = Scraping.parse('discovery_calls_total{tool="get_usage"} 0\n')
    assert.strictEqual(total(samples, "discovery_calls_total"), 0)
    assert.throws(() => total(samples, "discovery_calls"))
    assert.throws(() => total(samples, "discovery_calls_total", { tool: "search_ads" }))
  })
})

describe("a call that the rate limit refuses", () => {
  const outcome = (name: Parameters<typeof Metrics.calls.value>[0]["outcome"]) =>
    Metrics.calls.value({ tool: "get_usage", outcome: name })

  it.live("is counted by limit and outcome, and has no duration", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      yield* Family.registered
      const durations = Effect.map(Metric.snapshot, (all) =>
        all.flatMap(({ attributes, id, state }) =>
          id === "discovery_call_duration_seconds" && attributes?.["tool"] === "get_usage" && "count" in state
            ? [state.count]
            : []
        )
      )
      const before = { ok: yield* outcome("ok"), refused: yield* Metrics.refused.value({ limit: "calls" }) }
      assert.deepStrictEqual(yield* durations, [before.ok])
      yield* server.post(Messages.plain)
      yield* server.post(Messages.plain)
      assert.strictEqual((yield* outcome("ok")) - before.ok, 1)
      assert.strictEqual(yield* outcome("rate_limited"), 1)
      assert.strictEqual((yield* Metrics.refused.value({ limit: "calls" })) - before.refused, 1)
      assert.deepStrictEqual(yield* durations, [before.ok + 1])
    }).pipe(
      Effect.provide(TestServer.layer({ config: { rateLimitPerMinute: 1 } })),
      Effect.provideService(Metric.MetricRegistry, new Map())
    )
  )
})
