/** `discovery collect`: fetches what storefronts publish, for `discovery import` (docs/collect.md). */
import { Effect, Option, Runtime } from "effect"
import { Argument, CliError, Command, Flag } from "effect/cli"
import { AppConfig } from "../Config.ts"
import { CollectError } from "../services/collect/CollectError.ts"
import * as Collector from "../services/collect/Collector.ts"
import type { CollectReport } from "../services/collect/Collector.ts"
import * as DomainList from "../services/collect/DomainList.ts"
import * as Signatures from "../services/collect/Signatures.ts"
import * as Output from "./Output.ts"
import { withDefault } from "./CommandParameters.ts"
import * as ProgressBar from "./ProgressBar.ts"
import { asUserError } from "./UserErrors.ts"

/** Exit code 2: some stores could not be collected, all others were. */
class StoresFailed extends CliError.UserError {
  override readonly [Runtime.errorExitCode] = 2
}

const bounds = { delay: [0.2, 3_600], hosts: [1, 64], "max-pages": [1, 10_000] } as const

const rangeText = ([minimum, maximum]: readonly [number, number]) => `${minimum} to ${maximum.toLocaleString("en")}`

const bounded = (name: keyof typeof bounds, value: number) =>
  value >= bounds[name][0] && value <= bounds[name][1]
    ? Effect.succeed(value)
    : Effect.fail(new CollectError({ message: `--${name} is a number from ${rangeText(bounds[name])}.` }))

const options = {
  names: Argument.String("domains").pipe(
    Argument.withDescription("Files with a domain a line, - for standard input, or domains"),
    Argument.variadic({ min: 1 })
  ),
  to: Flag.String("to").pipe(withDefault("The folder to collect into", "collected")),
  delay: Flag.Finite("delay").pipe(
    withDefault(`Seconds between two requests to stores of one owner, ${rangeText(bounds.delay)}`, 1)
  ),
  hosts: Flag.Int("hosts").pipe(withDefault(`Stores that are asked at the same time, ${rangeText(bounds.hosts)}`, 4)),
  maxPages: Flag.Int("max-pages").pipe(
    withDefault(`Pages of 250 products of a store, at most; ${rangeText(bounds["max-pages"])}`, 100)
  ),
  signatures: Flag.String("signatures").pipe(
    Flag.withDescription("A file of further signatures of apps, pixels and social networks (JSON); default: none"),
    Flag.optional
  )
}

const collect = Effect.fn("CollectCommand.collect")(function* (given: Command.Command.Config.Infer<typeof options>) {
  const { collectContact } = yield* AppConfig
  if (Option.isNone(collectContact)) {
    return yield* new CollectError({
      message:
        "Stores must be able to reach whoever collects from them: set COLLECT_CONTACT to an e-mail address or a web address. " +
        "It is sent with every request."
    })
  }
  const delayMillis = 1_000 * (yield* bounded("delay", given.delay))
  const hosts = yield* bounded("hosts", given.hosts)
  const maxPages = yield* bounded("max-pages", given.maxPages)
  const signatures = yield* Signatures.load(Option.getOrUndefined(given.signatures))
  const domains = yield* DomainList.read(given.names)
  const bar = yield* ProgressBar.make
  return yield* Collector.run({
    domains,
    folder: given.to,
    contact: collectContact.value,
    delayMillis,
    hosts,
    maxPages,
    signatures,
    onProgress: ({ requests, stores }) =>
      bar.update({ label: "Collecting", done: stores, total: domains.length, items: requests, unit: "requests" })
  }).pipe(Effect.ensuring(bar.clear))
})

const shown = 20

const shortened = (lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length <= shown ? lines : [...lines.slice(0, shown), `  and ${ProgressBar.count(lines.length - shown)} more`]

const summary = (folder: string, { collected, failed, requests, resumed }: CollectReport): ReadonlyArray<string> => {
  const products = collected.reduce((sum, { products }) => sum + products, 0)
  const { count } = ProgressBar
  return [
    `${folder}: ${count(collected.length)} stores with ${count(products)} products, by ${count(requests)} requests`,
    ...(resumed === 0 ? [] : [`  collected before the stop: ${count(resumed)}`]),
    ...shortened(collected.flatMap(({ domain, notes }) => notes.map((note) => `  ${domain}: ${note}`))),
    ...shortened(failed.map(({ domain, reason }) => `  ${domain} was not collected: ${reason}`))
  ]
}

export const collectCommand = Command.make("collect", options, (given) =>
  collect(given).pipe(
    asUserError,
    Effect.tap((report) => Output.lines(summary(given.to, report))),
    Effect.flatMap(({ failed, failedPath }) =>
      failed.length === 0
        ? Effect.void
        : Effect.fail(
            new StoresFailed({
              cause: [failedPath],
              userMessage: Output.printable(
                `Some stores were not collected. Try them again with: discovery collect ${failedPath} --to ${given.to}`
              )
            })
          )
    )
  )
).pipe(
  Command.withDescription("Collect what storefronts publish for anyone, for the import"),
  Command.withExamples([
    { command: "discovery collect domains.txt --to collected", description: "Collect the stores of a list" },
    { command: "discovery import collected", description: "Import what was collected" }
  ])
)
