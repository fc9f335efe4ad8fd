/** A real scrape of the metrics server, and its samples. */
import { Context, Effect, Layer, Option } from "effect"
import { AppConfig } from "../../src/Config.ts"
import * as MetricsServer from "../../src/http/MetricsServer.ts"
import * as DatabaseMetrics from "../../src/services/metrics/DatabaseMetrics.ts"
import * as ProcessMetrics from "../../src/services/metrics/ProcessMetrics.ts"
import * as ServerProcess from "./ServerProcess.ts"

export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** A line of the text format, such as `name{label="value"} 1`. No value of this program has a quote or a comma. */
const line = /^([a-zA-Z_:][\w:]*)(?:\{([^}]*)\})? (\S+)$/u

const numberOf = (text: string): number => (text === "+Inf" ? Infinity : Number(text))

export const parse = (text: string): ReadonlyArray<Sample> =>
  text
    .split("\n")
    .filter((each) => each !== "" && !each.startsWith("#"))
    .map((each) => {
      const [, name = "", labels = "", value = ""] = line.exec(each) ?? []
      if (name === "") throw new Error(`not a sample: ${each}`)
      return {
        name,
        labels: Object.fromEntries(
          Array.from(labels.matchAll(/(\w+)="([^"]*)"/gu), ([, label = "", content = ""]) => [label, content])
        ),
        value: numberOf(value)
      }
    })

/** The sum of the samples with this name and at least these labels, of which there must be one: series exist from the start. */
export const total = (
  samples: ReadonlyArray<Sample>,
  name: string,
  labels: Readonly<Record<string, string>> = {}
): number => {
  const found = samples.filter(
    (sample) => sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value)
  )
  if (found.length === 0) throw new Error(`no sample ${name} ${JSON.stringify(labels)}`)
  return found.reduce((sum, { value }) => sum + value, 0)
}

/** The metrics server and what is measured without requests, beside the services of the test. */
export class Scrape extends Context.Service<
  Scrape,
  {
    readonly url: string
    readonly text: Effect.Effect<string>
    readonly samples: Effect.Effect<ReadonlyArray<Sample>>
  }
>()("test/support/Scrape") {
  static readonly layer = Layer.unwrap(
    Effect.gen(function* () {
      const port = yield* ServerProcess.freePort
      const url = `http://127.0.0.1:${port}`
      const text = Effect.promise(async () => (await fetch(`${url}/metrics`)).text())
      return Layer.succeed(Scrape, { url, text, samples: Effect.map(text, parse) }).pipe(
        Layer.merge(Layer.merge(ProcessMetrics.layer, DatabaseMetrics.layer)),
        Layer.provide(MetricsServer.layer.pipe(Layer.provide(AppConfig.layerOf({ metricsPort: Option.some(port) }))))
      )
    })
  )
}
