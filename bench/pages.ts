/**
 * `npm run bench:pages`: how long the pages of the dashboard take to answer, and what they weigh, with the demo data, on the
 * program as it is run. Writes bench/results/pages.md. About a minute.
 */
import { Effect } from "effect"
import * as fs from "node:fs/promises"
import * as os from "node:os"
import { Browser } from "./support/Browser.ts"
import * as DemoServer from "./support/DemoServer.ts"
import { toolCall } from "./support/Trivial.ts"

const rounds = 41
const warmUps = 10

/** Every page, and searches with and without filters; each has an account of its own, because the page views of one account are limited. */
const pages = [
  "/sign-in",
  "/sign-up",
  "/reset-password",
  "/plans",
  "/docs",
  "/docs/clients",
  "/docs/tools",
  "/dashboard",
  "/dashboard/ads",
  "/dashboard/ads?sort_by=newest&per_page=25",
  "/dashboard/ads?query=summer&countries=US&countries=DE&monthly_visits.min=1000&status=active&sort_by=newest&per_page=25",
  "/dashboard/products",
  "/dashboard/products?query=shoes&price.max=50&per_page=25",
  "/dashboard/shops",
  "/dashboard/shops?query=a",
  "/dashboard/shops?countries=US&monthly_visits.min=1000&sort_by=traffic&per_page=25",
  "/dashboard/shops/:busy",
  "/dashboard/ads/export.csv?sort_by=newest",
  "/dashboard/products/export.ndjson",
  "/dashboard/searches",
  "/dashboard/boards",
  "/dashboard/compare?shop_ids=1,2,3,4,5",
  "/dashboard/market",
  "/dashboard/market?group_by=app&sort_by=median_growth&limit=50",
  "/dashboard/market?group_by=niche&countries=US&countries=DE&monthly_visits.min=1000",
  "/dashboard/integrations",
  "/dashboard/usage",
  "/dashboard/account",
  "/dashboard/account/password",
  "/dashboard/account/email",
  "/dashboard/account/close",
  "/dashboard/operator",
  "/dashboard/operator/accounts/1",
  "/dashboard/nowhere"
]

interface Row {
  readonly path: string
  readonly status: number
  readonly millis: ReadonlyArray<number>
  /** As they are sent; pages tell secrets and are not compressed, the style sheet and the script are. */
  readonly htmlBytes: number
  readonly totalBytes: number
}

const quantile = (sorted: ReadonlyArray<number>, share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? 0

interface Visitor {
  readonly browser: Browser
  readonly key: string
}

const bytesOf = async (url: string): Promise<number> => {
  // What travels: fetch unpacks it before anybody can count.
  const response = await fetch(url, { headers: { "accept-encoding": "gzip" } })
  await response.arrayBuffer()
  return Number(response.headers.get("content-length"))
}

const measure = async (url: string, { headers }: Browser, path: string): Promise<Row> => {
  const view = async () => {
    const before = performance.now()
    const response = await fetch(url + path, { headers })
    const text = await response.text()
    return { millis: performance.now() - before, response, text }
  }
  const { response, text } = await view()
  const assets = Array.from(text.matchAll(/(?:href|src)="(\/(?:assets\/|icon)[^"]*)"/gu), ([, asset = ""]) => asset)
  let totalBytes = Buffer.byteLength(text)
  for (const asset of new Set(assets)) totalBytes += await bytesOf(url + asset)
  for (let round = 1; round < warmUps; round++) await view()
  const millis: Array<number> = []
  for (let round = 0; round < rounds; round++) millis.push((await view()).millis)
  return {
    path,
    status: response.status,
    millis: millis.toSorted((one, other) => one - other),
    htmlBytes: Buffer.byteLength(text),
    totalBytes
  }
}

const savedSearches = 10

/** Fills what the page shows: calls, last and saved searches. The store's page is that of the store with the most running ads. */
const prepare = async (url: string, page: string, { browser, key }: Visitor): Promise<string> => {
  const call = async (name: string, args: Readonly<Record<string, unknown>>) => {
    const response = await fetch(`${url}/mcp`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: toolCall(name, args)
    })
    return response.text()
  }
  if (page === "/dashboard") {
    for (const path of pages.filter((path) => path.includes("query="))) await browser.open(path)
  }
  if (page === "/dashboard/searches") {
    for (let saved = 0; saved < savedSearches; saved++) {
      const subject = saved % 2 === 0 ? "ads" : "products"
      const query = `countries=US&monthly_visits.min=${saved}`
      await browser.submit(page, { subject, query, mark: "1", name: `Search ${saved}` }, 303)
    }
  }
  if (page === "/dashboard" || page === "/dashboard/usage") {
    for (let calls = 0; calls < 200; calls++) await call(calls % 2 === 0 ? "get_usage" : "search_ads", {})
  }
  if (!page.endsWith(":busy")) return page
  const busiest = await call("search_shops", { sort_by: "active_ads", per_page: 1 })
  return page.replace(":busy", /"results":\[\{"id":(\d+)/u.exec(busiest)?.[1] ?? "1")
}

const report = (rows: ReadonlyArray<Row>): string =>
  [
    "# How fast the pages are, and what they weigh",
    "",
    "<!-- Written by `npm run bench:pages`. -->",
    "",
    `One request after the other over a connection that is kept, ${rounds} of each page after ${warmUps} that do not count, with the`,
    `demo data (2,000 stores), on ${os.availableParallelism()} cores that the client shares with the server. Pages are sent as they are, because they`,
    "tell secrets; the style sheet and the script come compressed and are kept by the browser. Images are not counted.",
    "",
    "| page | status | median | 95 of 100 | slowest | HTML | with style and script |",
    "| --- | --- | --- | --- | --- | --- | --- |",
    ...rows.map(({ htmlBytes, millis, path, status, totalBytes }) =>
      [
        "",
        ` \`${path}\` `,
        ` ${status} `,
        ...[quantile(millis, 0.5), quantile(millis, 0.95), quantile(millis, 1)].map(
          (value) => ` ${value.toFixed(1)} ms `
        ),
        ` ${(htmlBytes / 1000).toFixed(1)} kB `,
        ` ${(totalBytes / 1000).toFixed(1)} kB `,
        ""
      ].join("|")
    ),
    ""
  ].join("\n")

const run = Effect.gen(function* () {
  // An export counts as the pages that it would fill.
  const { command, server, url } = yield* DemoServer.start({ PAGE_VIEWS_PER_DAY: "100000" })
  const password = "nine green whales"
  yield* Effect.promise(async () => {
    const rows: Array<Row> = []
    for (const [number, page] of pages.entries()) {
      const email = `bench${number}@example.com`
      await command(["account", "create", email, "--plan", "pro", "--password", "stdin"], password)
      const isForOperators = page.startsWith("/dashboard/operator")
      const made = isForOperators ? await command(["account", "set-role", email, "operator"]) : ""
      const key = /dsk_[0-9A-Za-z]{43}/u.exec(await command(["key", "create", email, "bench"]))?.[0] ?? ""
      const browser = new Browser(url)
      await browser.signIn(email, password)
      const address = await prepare(url, page, { browser, key })
      if (isForOperators) await browser.usePasskey(/code {2}(\S+)/u.exec(made)?.[1] ?? "")
      rows.push(await measure(url, browser, address))
    }
    const text = report(rows)
    await fs.writeFile(new URL("./results/pages.md", import.meta.url), text)
    process.stdout.write(text)
  })
  yield* server.end("SIGTERM")
})

await Effect.runPromise(Effect.scoped(run))
