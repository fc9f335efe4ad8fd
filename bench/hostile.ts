/**
 * `npm run bench:hostile`: how long the worst requests keep the event loop of a server from everybody else. Runs the program
 * in a process of its own over a catalog with 6,000 themes and 18,000 apps, and sends what test/support/HostileInputs.ts
 * has to every tool by an account that may call and by one that may not, to every endpoint of OAuth that takes a body, to
 * forms, and to pages with filters. Prints each, and the worst of each group as docs/security.md has it. Some minutes.
 */
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs/promises"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import * as HostileInputs from "../test/support/HostileInputs.ts"
import * as Messages from "../test/support/Messages.ts"
import * as ServerProcess from "../test/support/ServerProcess.ts"
import { temporaryFolder } from "./support/BenchDatabase.ts"

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url))
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

/** Gives what it prints. */
const command = (env: NodeJS.ProcessEnv, args: ReadonlyArray<string>, input = ""): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = execFile(process.execPath, [main, ...args], { env }, (error, out, err) =>
      error === null ? resolve(out) : reject(new Error(`${args.join(" ")}: ${out} ${err}`))
    )
    child.stdin?.end(input)
  })

const cookiesOf = (response: Response) =>
  response.headers
    .getSetCookie()
    .map((line) => line.split(";", 1)[0] ?? "")
    .join("; ")

const tokenOf = (page: string) => /name="form_token" value="([^"]*)"/u.exec(page)?.[1] ?? ""

const password = "nine green whales"

const run = Effect.gen(function* () {
  const port = yield* ServerProcess.freePort
  const folder = yield* temporaryFolder
  const own = {
    PORT: String(port),
    DATA_DIR: folder,
    DEMO_SIZE: "tiny",
    LOG_LEVEL: "Warn",
    RATE_LIMIT_PER_MINUTE: "0"
  }
  const server = yield* ServerProcess.start({ ...own, NODE_OPTIONS: `--import=${loopDelay}` })
  const url = `http://localhost:${port}`

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
    const env = { ...process.env, ...own }
    const file = path.join(folder, "hostile.ndjson")
    await fs.writeFile(file, records())
    await command(env, ["import", file])

    const rows: Array<Row> = []
    const note = (row: Row) => {
      rows.push(row)
      process.stdout.write(
        `${row.cpuMillis.toFixed(1).padStart(8)} ms (${row.millis.toFixed(1).padStart(6)})  ${row.status}  ${row.group}: ${row.label}\n`
      )
    }

    const plans = ["pro", "starter"] as const
    for (const plan of plans) {
      const email = `${plan}@example.com`
      await command(env, ["account", "create", email, "--plan", "pro", "--password", "stdin"], password)
      const key = /dsk_[0-9A-Za-z]{43}/u.exec(await command(env, ["key", "create", email, "bench"]))?.[0] ?? ""
      // A key stays when the plan is lost.
      if (plan !== "pro") await command(env, ["account", "set-plan", email, plan])
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

    const forms = { "content-type": "application/x-www-form-urlencoded" }
    for (const { bytes, fields, route } of HostileInputs.formRoutes.open) {
      for (const { body, label } of HostileInputs.forms(fields, bytes)) {
        note(await worstOf(route, label, () => fetch(url + route, { method: "POST", headers: forms, body })))
      }
    }
    for (const { body, label } of [
      ...HostileInputs.documents(64_000).map(([label, body]) => ({ label, body })),
      ...["client_name", "token_endpoint_auth_method"].map((name) => ({
        label: `marks in ${name}`,
        body: JSON.stringify({ redirect_uris: ["https://app.example/"], [name]: HostileInputs.marks(60_000) })
      })),
      { label: "most addresses", body: JSON.stringify({ redirect_uris: Array.from({ length: 20_000 }, () => "") }) },
      { label: "a long address", body: JSON.stringify({ redirect_uris: [`https://${"a.".repeat(30_000)}`] }) }
    ]) {
      const headers = { "content-type": "application/json" }
      note(await worstOf("/register", label, () => fetch(`${url}/register`, { method: "POST", headers, body })))
    }

    const page = await fetch(`${url}/sign-in`)
    const cookie = cookiesOf(page)
    const guest = { ...forms, cookie, "sec-fetch-site": "same-origin" }
    const token = tokenOf(await page.text())
    for (const { bytes, fields, route } of HostileInputs.formRoutes.guest) {
      for (const { body, label } of HostileInputs.forms(fields, bytes)) {
        const sent = `form_token=${encodeURIComponent(token)}&${body}`
        note(
          await worstOf(route, label, () =>
            fetch(url + route, { method: "POST", redirect: "manual", headers: guest, body: sent })
          )
        )
      }
    }
    const answer = await fetch(`${url}/sign-in`, {
      method: "POST",
      redirect: "manual",
      headers: guest,
      body: new URLSearchParams({ form_token: token, email: "pro@example.com", password }).toString()
    })
    if (answer.status !== 303) throw new Error(`not signed in: ${answer.status}`)
    const visitor = { cookie: cookiesOf(answer), "sec-fetch-site": "same-origin" }
    const integrations = await fetch(`${url}/dashboard/account/password`, { headers: visitor })
    const ownToken = tokenOf(await integrations.text())
    for (const { bytes, fields, route } of HostileInputs.formRoutes.signedIn) {
      for (const { body, label } of HostileInputs.forms(fields, bytes)) {
        const sent = `form_token=${encodeURIComponent(ownToken)}&${body}`
        const headers = { ...forms, ...visitor }
        note(
          await worstOf(route, label, () =>
            fetch(url + route, { method: "POST", redirect: "manual", headers, body: sent })
          )
        )
      }
    }
    for (const { fields, route } of HostileInputs.pageRoutes) {
      for (const { body, label } of HostileInputs.queries(fields)) {
        note(
          await worstOf(route, label, () => fetch(`${url}${route}?${body}`, { redirect: "manual", headers: visitor }))
        )
      }
    }

    const text = report(rows)
    process.stdout.write(`\n${text}`)
  })
  yield* server.end("SIGTERM")
})

/** The three worst of each group. */
const report = (rows: ReadonlyArray<Row>): string => {
  const worst = Array.from(Map.groupBy(rows, ({ group }) => group).values()).flatMap((group) =>
    group.toSorted((one, other) => other.cpuMillis - one.cpuMillis).slice(0, 3)
  )
  const over = rows.filter(({ cpuMillis }) => cpuMillis > goalMillis)
  return [
    `What the longest turn of the event loop took of the processor for one request, and the longest time that the loop stood still`,
    `(\`monitorEventLoopDelay\`), which other programs make longer: ${os.availableParallelism()} cores, shared with PostgreSQL and the sender, ${os.loadavg()[0]?.toFixed(0) ?? ""} programs`,
    `waiting for them. The least of ${rounds} rounds each; ${rows.length} inputs, the three worst of each group. \`pro\` may call, \`starter\` may not.`,
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
