/** A collector of OpenTelemetry on a port, with the metrics that it was sent in JSON. */
import { Effect, Schema } from "effect"
import type { Scope } from "effect"
import { createServer } from "node:http"
import type { Sample } from "./Scrape.ts"

const Attributes = Schema.Array(
  Schema.Struct({ key: Schema.String, value: Schema.Struct({ stringValue: Schema.String }) })
)

const Numbers = Schema.optionalKey(
  Schema.Struct({
    dataPoints: Schema.Array(Schema.Struct({ attributes: Attributes, asDouble: Schema.Finite }))
  })
)

/** What the program has of it; no metric of it is counted in another type. */
const Metric = Schema.Struct({
  name: Schema.String,
  sum: Numbers,
  gauge: Numbers,
  histogram: Schema.optionalKey(
    Schema.Struct({
      dataPoints: Schema.Array(Schema.Struct({ attributes: Attributes, count: Schema.Finite, sum: Schema.Finite }))
    })
  )
})

const Posted = Schema.fromJsonString(
  Schema.Struct({
    resourceMetrics: Schema.Array(
      Schema.Struct({
        scopeMetrics: Schema.Array(Schema.Struct({ metrics: Schema.Array(Metric) }))
      })
    )
  })
)
const decode = Schema.decodeUnknownSync(Posted)

const labelsOf = (attributes: typeof Attributes.Type) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue]))

/** As a scrape has them; of a histogram the count and the sum. */
const samplesOf = ({ gauge, histogram, name, sum }: typeof Metric.Type): ReadonlyArray<Sample> => [
  ...[...(sum?.dataPoints ?? []), ...(gauge?.dataPoints ?? [])].map(({ asDouble, attributes }) => ({
    name,
    labels: labelsOf(attributes),
    value: asDouble
  })),
  ...(histogram?.dataPoints ?? []).flatMap((point) => [
    { name: `${name}_count`, labels: labelsOf(point.attributes), value: point.count },
    { name: `${name}_sum`, labels: labelsOf(point.attributes), value: point.sum }
  ])
]

export interface Collector {
  readonly url: string
  /** The metrics of each `POST /v1/metrics` so far. */
  readonly metrics: () => ReadonlyArray<ReadonlyArray<Sample>>
}

export const make: Effect.Effect<Collector, never, Scope.Scope> = Effect.gen(function* () {
  const posted: Array<ReadonlyArray<Sample>> = []
  const server = createServer((request, response) => {
    let body = ""
    request.setEncoding("utf8")
    request.on("data", (chunk: string) => (body += chunk))
    request.on("end", () => {
      if (request.method === "POST" && request.url === "/v1/metrics") {
        const { resourceMetrics } = decode(body)
        const scopes = resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics)
        posted.push(scopes.flatMap(({ metrics }) => metrics.flatMap(samplesOf)))
      }
      response.setHeader("content-type", "application/json").end("{}")
    })
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.void))
    }),
    () =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  )
  const address = server.address()
  if (address === null || typeof address === "string") return yield* Effect.die(new Error("not on TCP"))
  return { url: `http://127.0.0.1:${address.port}`, metrics: () => posted }
})
