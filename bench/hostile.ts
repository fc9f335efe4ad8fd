/**
 * `npm run bench:hostile`: how long the worst requests keep the event loop of a server from everybody else. Runs the program
 * in a process of its own over a catalog with 6,000 themes and 18,000 apps, and sends what test/support/HostileInputs.ts
 * has to every tool and every page by an account that may call and by one that may not, and to every form and endpoint that
 * takes a body (test/support/HostileRoutes.ts). Prints each, and the worst of each group as bench/results/hostile.md has
 * it. Many minutes. `npm run bench:hostile -- /register /sign-out` sends only to these groups.
 */
import { Effect } from "effect"
import { once } from "node:events"
import * as fs from "node:fs/promises"
import * as os from "node:os"
import * as path from "node:path"
import * as HostileInputs from "../test/support/HostileInputs.ts"
import * as HostileRoutes from "../test/support/HostileRoutes.ts"
import * as Messages from "../test/support/Messages.ts"
import { Browser } from "./support/Browser.ts"
import * as DemoServer from "./support/DemoServer.ts"

const loopDelay = new URL("hostile/LoopDelay.ts", import.meta.url).href
/** Other programs delay the loop as well: of so many rounds the least is what the request does. */
const rounds = 3
const goalMillis = 20

const stores = 6_000
const appsPerStore = 3

interface Row {
  readonly group: string
  readonly label: string
  readonly status: number
  /** For so long the loop stood still. */
  readonly millis: number
  /** So much of the processor its longest turn took: on a busy machine, others take the rest. */
  readonly cpuMillis: number
}

type Delay = Pick<Row, "millis" | "cpuMillis">

const records = (): string =>
  Array.from({ length: stores }, (_, index) =>
    JSON.stringify({
      type: "shop",
      domain: `shop-${index}.com`,
      name: `Shop ${index}`,
      country: "US",
      theme: `Theme ${index.toString(36)} of Studio ${index % 7}`,
      apps: Array.from(
        { length: appsPerStore },
        (_, app) => `App ${(index * appsPerStore + app).toString(36)} by Maker ${app}`
      )
    })
  ).join("\n")

/** Groups to send to; all of them without arguments. */
const chosen = process.argv.slice(2)
const isChosen = (group: string) => chosen.length === 0 || chosen.includes(group)

const password = "nine green whales"

const plans = ["pro", "starter"] as const
const emailOf = (name: string) => `${name}@example.com`

const run = Effect.gen(function* () {
  const own = {
    DEMO_SIZE: "tiny",
    RATE_LIMIT_PER_MINUTE: "0",
    PAGE_VIEWS_PER_DAY: "0",
    // Nothing answers there, and nothing that is sent leads there.
    STRIPE_SECRET_KEY: "sk_test_bench",
    STRIPE_WEBHOOK_SECRET: "whsec_bench",
    STRIPE_PRICE_GROWTH: "price_growth",
    STRIPE_PRICE_PRO: "price_pro",
    STRIPE_API_URL: "http://localhost:1"
  }
  const { command, folder, server, url } = yield* DemoServer.start(own, `--import=${loopDelay}`)

  /** Since it was asked for the last time. */
  const delay = async (): Promise<Delay> => {
    const lines = () => Array.from(server.printed().matchAll(/loop-delay-ms ([\d.]+) ([\d.]+)\n/gu))
    const before = lines().length
    server.child.kill("SIGUSR2")
    while (lines().length === before && server.child.stdout !== null) await once(server.child.stdout, "data")
    const [, millis, cpuMillis] = lines().at(-1) ?? []
    return { millis: Number(millis), cpuMillis: Number(cpuMillis) }
  }

  const worstOf = async (group: string, label: string, send: () => Promise<Response>): Promise<Row> => {
    let [millis, cpuMillis, status] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 0]
    for (let round = 0; round < rounds; round++) {
      await delay()
      const response = await send()
      await response.text()
      status = response.status
      const found = await delay()
      millis = Math.min(millis, found.millis)
      cpuMillis = Math.min(cpuMillis, found.cpuMillis)
    }
    return { group, label, status, millis, cpuMillis }
  }

  yield* Effect.promise(async () => {
    const file = path.join(folder, "hostile.ndjson")
    await fs.writeFile(file, records())
    await command(["import", file])

    const rows: Array<Row> = []
    const note = (row: Row) => {
      rows.push(row)
      process.stdout.write(
        `${row.cpuMillis.toFixed(1).padStart(8)} ms (${row.millis.toFixed(1).padStart(6)})  ${row.status}  ${row.group}: ${row.label}\n`
      )
    }

    for (const plan of plans) {
      const email = emailOf(plan)
      await command(["account", "create", email, "--plan", "pro", "--password", "stdin"], password)
      const key = /dsk_[0-9A-Za-z]{43}/u.exec(await command(["key", "create", email, "bench"]))?.[0] ?? ""
      // A key stays when the plan is lost.
      if (plan !== "pro") await command(["account", "set-plan", email, plan])
      if (!isChosen(plan)) continue
      const post = (body: string) =>
        fetch(`${url}/mcp`, {
          method: "POST",
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
          body
        })
      const listed = (await (await post(JSON.stringify(Messages.request("tools/list")))).json()) as {
        readonly result: { readonly tools: ReadonlyArray<Parameters<typeof HostileInputs.ofTool>[0]> }
      }
      const options = (kind: string, query: string) => Messages.call("list_filter_options", { kind, query })
      const lookUps = ["a", "app maker", "theme of studio", "o h p q"].map((query) => ({
        label: `list_filter_options: ${query}, in a batch of 20`,
        body: JSON.stringify(
          Array.from({ length: 20 }, (_, index) => options(index % 2 === 0 ? "apps" : "themes", query))
        )
      }))
      const inputs = [
        { label: "get_usage (nothing hostile)", body: JSON.stringify(Messages.plain) },
        ...listed.result.tools.flatMap((tool) => HostileInputs.ofTool(tool)),
        ...HostileInputs.ofProtocol,
        ...lookUps
      ]
      // What is made once for each version of the vocabulary is not a request's doing; its own row has it.
      if (plan === "pro") {
        const first = JSON.stringify(Messages.call("search_ads", { themes: ["Theme of Studio"] }))
        await delay()
        const made = await post(first)
        note({ group: plan, label: "the first unknown theme", status: made.status, ...(await delay()) })
        const apps = await post(JSON.stringify(options("apps", "a")))
        note({ group: plan, label: "the first look-up of an app", status: apps.status, ...(await delay()) })
      }
      for (const { body, label } of inputs) note(await worstOf(plan, label, () => post(body)))
    }

    await command(["account", "create", emailOf("operator"), "--plan", "pro", "--password", "stdin"], password)
    await command(["account", "set-role", emailOf("operator"), "operator"])
    const code = /code {2}(\S+)/u.exec(await command(["account", "enroll", emailOf("operator")]))?.[1] ?? ""
    const guest = new Browser(url)
    await guest.open("/sign-in")
    const [pro, starter, operator] = [new Browser(url), new Browser(url), new Browser(url)]
    await pro.signIn(emailOf("pro"), password)
    await starter.signIn(emailOf("starter"), password)
    await operator.signIn(emailOf("operator"), password)
    await operator.usePasskey(code)

    const sendForms = async (routes: ReadonlyArray<HostileRoutes.FormRoute>, browser?: Browser) => {
      for (const { bytes, fields, route } of routes.filter((each) => isChosen(each.route))) {
        for (const { body, label } of HostileInputs.forms(fields, bytes)) {
          const init = {
            method: "POST",
            redirect: "manual" as const,
            headers: { "content-type": "application/x-www-form-urlencoded", ...browser?.headers },
            body: browser?.formOf(body) ?? body
          }
          note(await worstOf(route, label, () => fetch(url + HostileRoutes.addressOf(route), init)))
        }
      }
    }
    await sendForms(HostileRoutes.formRoutes.open)
    await sendForms(HostileRoutes.formRoutes.guest, guest)
    await sendForms(HostileRoutes.formRoutes.signedIn, pro)
    await sendForms(HostileRoutes.formRoutes.operator, operator)

    for (const { headers, inputs, route } of HostileRoutes.bodyRoutes.filter((each) => isChosen(each.route))) {
      for (const { body, label } of inputs) {
        note(await worstOf(route, label, () => fetch(url + route, { method: "POST", headers, body })))
      }
    }

    const openPages = async (routes: ReadonlyArray<HostileRoutes.PageRoute>, by: string, { headers }: Browser) => {
      for (const { fields, route } of routes.filter((each) => isChosen(each.route))) {
        for (const { body, label } of HostileInputs.queries(fields)) {
          const address = `${url}${HostileRoutes.addressOf(route)}?${body}`
          note(await worstOf(route, `${label}${by}`, () => fetch(address, { redirect: "manual", headers })))
        }
      }
    }
    await openPages(HostileRoutes.pageRoutes.anyone, "", pro)
    await openPages(HostileRoutes.pageRoutes.anyone, ", by an account that is refused", starter)
    await openPages(HostileRoutes.pageRoutes.anyone, ", without a session", guest)
    await openPages(HostileRoutes.pageRoutes.operator, "", operator)

    const text = report(rows)
    process.stdout.write(`\n${text}`)
  })
  yield* server.end("SIGTERM")
})

/** The worst of each group. */
const report = (rows: ReadonlyArray<Row>): string => {
  const worst = Array.from(Map.groupBy(rows, ({ group }) => group).values()).flatMap((group) =>
    group.toSorted((one, other) => other.cpuMillis - one.cpuMillis).slice(0, 1)
  )
  const over = rows.filter(({ cpuMillis }) => cpuMillis > goalMillis)
  return [
    `What the longest turn of the event loop took of the processor for one request, and the longest time that the loop stood still`,
    `(\`monitorEventLoopDelay\`), which other programs make longer: ${os.availableParallelism()} cores, shared with PostgreSQL and the sender, ${os.loadavg()[0]?.toFixed(0) ?? ""} programs`,
    `waiting for them. The least of ${rounds} rounds each; ${rows.length} inputs, the worst of each group. \`pro\` may call, \`starter\` may not.`,
    `${over.length} of the inputs took more than ${goalMillis} ms of the processor in one turn.`,
    "",
    "| sent to, or by | input | status | turn, ms | stood still, ms |",
    "| --- | --- | --- | --- | --- |",
    ...worst.map(
      ({ cpuMillis, group, label, millis, status }) =>
        `| \`${group}\` | ${label} | ${status} | ${cpuMillis.toFixed(1)} | ${millis.toFixed(1)} |`
    ),
    ""
  ].join("\n")
}

await Effect.runPromise(Effect.scoped(run))
