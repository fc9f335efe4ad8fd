/** Clients that are known by a document: from the id to the client, and how often their servers are asked. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Latch, Layer, Logger, Result } from "effect"
import { TestClock } from "effect/testing"
import type { AppSettings } from "../../../src/Config.ts"
import { AppConfig } from "../../../src/Config.ts"
import { ClientMetadata, failureMillis, maxKept } from "../../../src/services/oauth/ClientMetadata.ts"
import {
  FetchBudget,
  maxAtOnce,
  maxInWindow,
  maxOfCallerInWindow,
  maxOfHostInWindow
} from "../../../src/services/limits/FetchBudget.ts"
import { FetchFailed, SafeFetch } from "../../../src/services/fetch/SafeFetch.ts"
import type { Fetched } from "../../../src/services/fetch/SafeFetch.ts"
import { documentOf, realDocuments } from "../../support/ClientDocuments.ts"
import * as DocumentServer from "../../support/DocumentServer.ts"
import * as FakeDns from "../../support/FakeDns.ts"

const localServer = { baseUrl: "http://localhost:3000", host: "127.0.0.1" }
const publicServer = { baseUrl: "https://discovery.test", host: "127.0.0.1" }

/** The whole service, on real sockets. */
const overSockets = (settings: Partial<AppSettings> = localServer, dns = FakeDns.make()) =>
  ClientMetadata.layer.pipe(Layer.provide([AppConfig.layerOf(settings), FakeDns.layer(dns)]), Layer.orDie)

interface Web {
  readonly asked: Array<string>
  /** What an address answers; by default, with a document of its own. */
  answer: (url: string) => Effect.Effect<Fetched, FetchFailed>
}

const fetched = (body: unknown, cacheControl?: string): Fetched => ({
  text: typeof body === "string" ? body : JSON.stringify(body),
  cacheFields: { cacheControl, age: undefined, date: undefined, expires: undefined }
})

const makeWeb = (cacheControl?: string): Web => ({
  asked: [],
  answer: (url) => Effect.succeed(fetched(documentOf(url), cacheControl))
})

/** Over an internet in memory. */
const over = (web: Web) =>
  ClientMetadata.layerNoDeps.pipe(
    Layer.provide([
      AppConfig.layerOf(publicServer),
      FetchBudget.layer,
      Layer.succeed(SafeFetch, {
        request: () => Effect.die(new Error("a document is asked for as such")),
        get: (url) =>
          Effect.suspend(() => {
            web.asked.push(url.href)
            return web.answer(url.href)
          })
      })
    ]),
    Layer.orDie
  )

/** By default, of an address of its own for each document, which nobody has approved. */
const fetchClient = (id: string, caller = encodeURIComponent(id), wasApproved = false) =>
  Effect.flatMap(ClientMetadata, (clients) => clients.fetch(id, { caller, wasApproved }))
const errorOf = (id: string) => Effect.flip(fetchClient(id))
const tagOf = (id: string, caller?: string, wasApproved?: boolean) =>
  Effect.map(Effect.result(fetchClient(id, caller, wasApproved)), (result) =>
    Result.isSuccess(result) ? "client" : result.failure._tag
  )

const id = "https://client.example/client.json"
const down = () => Effect.fail(new FetchFailed({ reason: "connection", detail: "ECONNREFUSED" }))
const gone = () => Effect.fail(new FetchFailed({ reason: "status", detail: "404" }))

describe("R50 a client with a metadata document", () => {
  it.effect("is who its document says, at whichever local address it is served", () =>
    Effect.gen(function* () {
      const server = yield* DocumentServer.make()
      for (const host of ["localhost", "127.0.0.1"]) {
        const clientId = `http://${host}:${server.port}/client.json`
        server.answer = DocumentServer.json(documentOf(clientId))
        assert.deepStrictEqual(yield* fetchClient(clientId), {
          id: clientId,
          name: "Test Client",
          source: "document",
          publisher: `${host}:${server.port}`,
          redirectUris: ["http://127.0.0.1/callback"],
          authMethod: "none"
        })
      }
    }).pipe(Effect.provide(overSockets()))
  )

  it.effect.each(Object.entries(realDocuments))("is %s", ([clientId, document]) => {
    const web = makeWeb()
    web.answer = () => Effect.succeed(fetched(document))
    return Effect.gen(function* () {
      const client = yield* fetchClient(clientId)
      assert.strictEqual(client.name, document.client_name)
      assert.strictEqual(client.publisher, new URL(clientId).host)
      assert.strictEqual(client.authMethod, "none")
    }).pipe(Effect.provide(over(web)))
  })

  it.effect("has an id that is compared as it is written", () =>
    Effect.gen(function* () {
      const server = yield* DocumentServer.make()
      const clientId = `${server.origin}/a/client.json`
      server.answer = DocumentServer.json(documentOf(clientId))
      for (const other of [
        `${server.origin}/a/b/../client.json`,
        `${server.origin}/a/./client.json`,
        `${server.origin}/a/%2e/client.json`,
        `${server.origin.toUpperCase()}/a/client.json`,
        `${server.origin}/a/client.json#`,
        `${server.origin}\\a/client.json`
      ]) {
        assert.strictEqual(yield* tagOf(other), "ClientMetadataRejected", other)
      }
      assert.strictEqual(server.connections(), 0)
      for (const other of [`${server.origin}/a//client.json`, `${server.origin}/a/client.json?`, `${clientId}/`]) {
        assert.strictEqual(yield* tagOf(other), "ClientMetadataRejected", other)
      }
      assert.strictEqual(yield* tagOf(clientId), "client")
    }).pipe(Effect.provide(overSockets()))
  )
})

describe("R49 a client id", () => {
  it.effect("of a public server leads to nothing on loopback", () =>
    Effect.gen(function* () {
      const server = yield* DocumentServer.make()
      const dns = FakeDns.make(() => ["127.0.0.1"])
      yield* Effect.gen(function* () {
        assert.strictEqual(yield* tagOf(`http://127.0.0.1:${server.port}/a`), "ClientMetadataRejected")
        assert.strictEqual(yield* tagOf(`https://localhost:${server.port}/a`), "ClientMetadataRejected")
        assert.strictEqual(yield* tagOf(`https://client.test:${server.port}/a`), "ClientMetadataRejected")
        assert.strictEqual(yield* tagOf("https://client.test/a"), "ClientMetadataUnavailable")
      }).pipe(Effect.provide(overSockets(publicServer, dns)))
      assert.strictEqual(server.connections(), 0)
    })
  )

  it.effect("that fails gets the same message for every cause", () =>
    Effect.gen(function* () {
      const dns = FakeDns.make((name) => (name === "inner.test" ? ["10.0.0.1"] : []))
      yield* Effect.gen(function* () {
        const forbidden = yield* errorOf("https://inner.test/client.json")
        const absent = yield* errorOf("https://absent.test/client.json")
        assert.strictEqual(JSON.stringify(forbidden), JSON.stringify(absent))
        assert.strictEqual(forbidden._tag, absent._tag)
        assert.strictEqual((yield* errorOf("https://no-path.test")).message, absent.message)
      }).pipe(Effect.provide(overSockets(publicServer, dns)))
      const messages = new Set<string>()
      const web = makeWeb()
      for (const reason of FetchFailed.fields.reason.literals) {
        web.answer = () => Effect.fail(new FetchFailed({ reason, detail: "10.0.0.1 ECONNREFUSED 404" }))
        messages.add((yield* errorOf(id).pipe(Effect.provide(over(web)))).message)
      }
      assert.strictEqual(messages.size, 1)
      for (const message of messages) assert.notMatch(message, /\d|fetch|connect|resolve|redirect|timeout/i)
    })
  )

  it.effect("that fails is logged under the request that gave it, without its query or the document", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const logger = Logger.layer([Logger.map(Logger.formatJson, (line) => void lines.push(line))])
      const web = makeWeb()
      web.answer = (url) => Effect.succeed(fetched(documentOf(url, { client_secret: "s3cr3t" })))
      yield* Effect.gen(function* () {
        yield* Effect.ignore(fetchClient(`${id}?token=s3cr3t`)).pipe(Effect.annotateLogs("request_id", "request-1"))
        yield* Effect.ignore(fetchClient("https://user:s3cr3t@client.example/a")).pipe(
          Effect.annotateLogs("request_id", "request-2")
        )
        web.answer = down
        yield* Effect.ignore(fetchClient(id)).pipe(Effect.annotateLogs("request_id", "request-3"))
      }).pipe(Effect.provide([over(web), logger]))
      assert.lengthOf(lines, 3)
      assert.notInclude(lines.join("\n"), "s3cr3t")
      assert.match(lines[0] ?? "", /request-1/)
      assert.match(lines[0] ?? "", /client\.example\/client\.json/)
      assert.match(lines[0] ?? "", /it has a secret/)
      assert.match(lines[1] ?? "", /request-2/)
      assert.match(lines[2] ?? "", /request-3.*ECONNREFUSED|ECONNREFUSED.*request-3/)
    })
  )

  it.effect("that is refused is distinguished from one whose server does not answer, which may be temporary", () =>
    Effect.gen(function* () {
      const web = makeWeb()
      web.answer = down
      assert.deepInclude(yield* errorOf(id).pipe(Effect.provide(over(web))), {
        _tag: "ClientMetadataUnavailable",
        retryAfterSeconds: 5
      })
      web.answer = gone
      assert.strictEqual(yield* tagOf(id).pipe(Effect.provide(over(web))), "ClientMetadataRejected")
    })
  )
})

describe("R51 a document", () => {
  const lifetimes: ReadonlyArray<readonly [cacheControl: string | undefined, seconds: number]> = [
    ["no-store", 60],
    ["max-age=1", 60],
    ["max-age=600", 600],
    [undefined, 300],
    ["max-age=31536000", 86_400]
  ]
  it.effect.each(lifetimes)("whose server says %s is used for %i seconds", ([cacheControl, seconds]) => {
    const web = makeWeb(cacheControl)
    return Effect.gen(function* () {
      yield* fetchClient(id)
      yield* TestClock.adjust((seconds - 1) * 1000)
      yield* fetchClient(id)
      assert.lengthOf(web.asked, 1)
      yield* TestClock.adjust(1000)
      yield* fetchClient(id)
      assert.lengthOf(web.asked, 2)
    }).pipe(Effect.provide(over(web)))
  })

  it.effect("is read again when its time is over", () => {
    const web = makeWeb("max-age=60")
    return Effect.gen(function* () {
      yield* fetchClient(id)
      web.answer = (url) => Effect.succeed(fetched(documentOf(url, { redirect_uris: ["https://new.example/"] })))
      assert.deepStrictEqual((yield* fetchClient(id)).redirectUris, ["http://127.0.0.1/callback"])
      yield* TestClock.adjust("60 seconds")
      assert.deepStrictEqual((yield* fetchClient(id)).redirectUris, ["https://new.example/"])
    }).pipe(Effect.provide(over(web)))
  })

  const failures: ReadonlyArray<readonly [what: string, answer: Web["answer"]]> = [
    ["a server that is down", down],
    ["a 404", gone],
    ["a page", () => Effect.succeed(fetched("<html>", "max-age=86400"))],
    ["another client's document", () => Effect.succeed(fetched(documentOf(`${id}x`), "max-age=86400"))],
    ["a document with a secret", () => Effect.succeed(fetched(documentOf(id, { client_secret: "a" }), "max-age=86400"))]
  ]
  it.effect.each(failures)("is not kept if it is %s", ([, answer]) => {
    const web = makeWeb()
    web.answer = answer
    return Effect.gen(function* () {
      assert.notStrictEqual(yield* tagOf(id), "client")
      assert.notStrictEqual(yield* tagOf(id), "client")
      assert.lengthOf(web.asked, 2)
      web.answer = makeWeb().answer
      assert.strictEqual(yield* tagOf(id), "client")
    }).pipe(Effect.provide(over(web)))
  })

  it.effect("is fetched once for all who ask at the same time, and all hear the same", () =>
    Effect.gen(function* () {
      const server = yield* DocumentServer.make()
      const clientId = `${server.origin}/client.json`
      const begin = Latch.makeUnsafe(false)
      let finish = () => {}
      server.answer = (request, response) => {
        finish = () => DocumentServer.json(documentOf(clientId))(request, response)
        begin.openUnsafe()
      }
      const fibers = yield* Effect.forEach(Array.from({ length: 50 }), () => Effect.forkChild(fetchClient(clientId)))
      yield* begin.await
      // Some leave; the others still get their answer.
      yield* Effect.forEach(fibers.slice(0, 20), Fiber.interrupt)
      finish()
      const clients = yield* Effect.forEach(fibers.slice(20), Fiber.join)
      assert.strictEqual(new Set(clients).size, 1)
      assert.lengthOf(server.requests, 1)
    }).pipe(Effect.provide(overSockets()))
  )

  it.effect("is not fetched on when all who asked have left", () =>
    Effect.gen(function* () {
      const server = yield* DocumentServer.make()
      const clientId = `${server.origin}/client.json`
      server.answer = () => undefined
      const fibers = yield* Effect.forEach([1, 2], () => Effect.forkChild(fetchClient(clientId)))
      yield* server.asked(1)
      yield* Fiber.interruptAll(fibers)
      yield* server.deserted
      server.answer = DocumentServer.json(documentOf(clientId))
      assert.strictEqual(yield* tagOf(clientId), "client")
    }).pipe(Effect.provide(overSockets()))
  )

  it.effect("is forgotten for others: so many are kept", () => {
    const web = makeWeb("max-age=86400")
    return Effect.gen(function* () {
      const numbered = (index: number) => `https://client${index}.example/client.json`
      for (let index = 0; index < maxKept; index++) {
        yield* fetchClient(numbered(index))
        // Within the budget.
        if (index % 50 === 0) yield* TestClock.adjust("60 seconds")
      }
      // In use, so not the one that goes.
      yield* fetchClient(numbered(0))
      assert.lengthOf(web.asked, maxKept)
      yield* fetchClient(numbered(maxKept))
      yield* fetchClient(numbered(0))
      yield* fetchClient(numbered(2))
      assert.lengthOf(web.asked, maxKept + 1)
      yield* fetchClient(numbered(1))
      assert.lengthOf(web.asked, maxKept + 2)
    }).pipe(Effect.provide(over(web)))
  })

  it.effect("stands in for its server if it was in use, and not for one that was forgotten for others", () => {
    const web = makeWeb("max-age=7200")
    return Effect.gen(function* () {
      const numbered = (index: number) => `https://client${index}.example/client.json`
      for (let index = 0; index < maxKept; index++) {
        yield* fetchClient(numbered(index))
        if (index % 50 === 0) yield* TestClock.adjust("60 seconds")
      }
      yield* fetchClient(numbered(0))
      yield* fetchClient(numbered(maxKept))
      yield* TestClock.adjust("2 hours")
      web.answer = down
      assert.strictEqual(yield* tagOf(numbered(0)), "client")
      assert.strictEqual(yield* tagOf(numbered(1)), "ClientMetadataUnavailable")
    }).pipe(Effect.provide(over(web)))
  })

  it.effect("stands in for a day while its server gives no answer, and its server is asked once a minute", () => {
    const web = makeWeb("max-age=600")
    return Effect.gen(function* () {
      yield* fetchClient(id)
      web.answer = down
      yield* TestClock.adjust("600 seconds")
      for (let second = 0; second < 60; second += 10) {
        assert.strictEqual(yield* tagOf(id), "client")
        yield* TestClock.adjust("10 seconds")
      }
      assert.lengthOf(web.asked, 2)
      yield* TestClock.adjust(86_400_000 - 660_000 - 1)
      assert.strictEqual(yield* tagOf(id), "client")
      yield* TestClock.adjust("60 seconds")
      assert.strictEqual(yield* tagOf(id), "ClientMetadataUnavailable")
    }).pipe(Effect.provide(over(web)))
  })

  it.effect.each(["max-age=60, must-revalidate", "no-store", "no-cache"])(
    "does not stand in when its server said %s",
    (cacheControl) => {
      const web = makeWeb(cacheControl)
      return Effect.gen(function* () {
        yield* fetchClient(id)
        web.answer = down
        yield* TestClock.adjust("60 seconds")
        assert.strictEqual(yield* tagOf(id), "ClientMetadataUnavailable")
      }).pipe(Effect.provide(over(web)))
    }
  )

  it.effect("does not stand in for one that its publisher has taken away or broken, then or later", () => {
    const web = makeWeb("max-age=60")
    return Effect.gen(function* () {
      for (const answer of [gone, () => Effect.succeed(fetched(documentOf(id, { client_secret: "a" })))]) {
        web.answer = makeWeb("max-age=60").answer
        yield* TestClock.adjust("60 seconds")
        assert.strictEqual(yield* tagOf(id), "client")
        yield* TestClock.adjust("60 seconds")
        web.answer = answer
        assert.strictEqual(yield* tagOf(id), "ClientMetadataRejected")
        web.answer = down
        assert.strictEqual(yield* tagOf(id), "ClientMetadataUnavailable")
      }
    }).pipe(Effect.provide(over(web)))
  })
})

describe("R51, R56 fetches", () => {
  const numbered = (host: string, count: number) =>
    Array.from({ length: count }, (_, index) => `https://${host.replace("*", String(index))}/${index}.json`)

  it.effect("of one host are so many a minute, its subdomains together", () => {
    const web = makeWeb()
    web.answer = gone
    return Effect.gen(function* () {
      yield* Effect.forEach(numbered("*.victim.example", maxOfHostInWindow), (each) => tagOf(each))
      assert.lengthOf(web.asked, maxOfHostInWindow)
      assert.strictEqual(yield* tagOf("https://victim.example/a.json"), "ClientMetadataUnavailable")
      assert.lengthOf(web.asked, maxOfHostInWindow)
      assert.strictEqual(yield* tagOf("https://other.example/a.json"), "ClientMetadataRejected")
      yield* TestClock.adjust("60 seconds")
      assert.strictEqual(yield* tagOf("https://victim.example/a.json"), "ClientMetadataRejected")
    }).pipe(Effect.provide(over(web)))
  })

  it.effect("of one caller are so many a minute, and leave the rest to others", () => {
    const web = makeWeb()
    return Effect.gen(function* () {
      for (const each of numbered("x*.example", maxInWindow + 10)) yield* tagOf(each, "203.0.113.9")
      assert.lengthOf(web.asked, maxOfCallerInWindow)
      assert.strictEqual(yield* tagOf(id, "203.0.113.9"), "ClientMetadataUnavailable")
      assert.strictEqual(yield* tagOf(id, "203.0.113.10"), "client")
      // Kept now, which costs nobody anything.
      assert.strictEqual(yield* tagOf(id, "203.0.113.9"), "client")
      yield* TestClock.adjust("60 seconds")
      assert.strictEqual(yield* tagOf("https://other.example/a.json", "203.0.113.9"), "client")
    }).pipe(Effect.provide(over(web)))
  })

  it.effect("of one IPv6 site are eight times as many, however many networks it uses", () => {
    const web = makeWeb()
    return Effect.gen(function* () {
      for (const [index, each] of numbered("x*.example", 100).entries()) yield* tagOf(each, `2001:db8:1:${index}`)
      assert.lengthOf(web.asked, 8 * maxOfCallerInWindow)
      assert.strictEqual(yield* tagOf(id, "2001:db8:2:0"), "client")
    }).pipe(Effect.provide(over(web)))
  })

  it.effect(
    "of clients that were approved, but have no document any more, are counted by who asks, apart from new ones",
    () => {
      const web = makeWeb()
      web.answer = gone
      return Effect.gen(function* () {
        for (let each = 0; each < 20; each++) yield* tagOf(id, "203.0.113.9", true)
        assert.lengthOf(web.asked, maxOfCallerInWindow)
        assert.strictEqual(yield* tagOf(id, "203.0.113.9"), "ClientMetadataRejected")
        web.answer = makeWeb().answer
        assert.strictEqual(yield* tagOf(id, "203.0.113.10", true), "client")
      }).pipe(Effect.provide(over(web)))
    }
  )

  it.effect("of a document that was there are not made again for some seconds after one that failed", () => {
    const web = makeWeb("no-store")
    return Effect.gen(function* () {
      yield* fetchClient(id)
      yield* TestClock.adjust("60 seconds")
      web.answer = down
      for (let attempt = 0; attempt < 10; attempt++) {
        assert.strictEqual(yield* tagOf(id), "ClientMetadataUnavailable")
      }
      assert.lengthOf(web.asked, 2)
      web.answer = makeWeb("no-store").answer
      yield* TestClock.adjust(failureMillis - 1)
      assert.strictEqual(yield* tagOf(id), "ClientMetadataUnavailable")
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* tagOf(id), "client")
    }).pipe(Effect.provide(over(web)))
  })

  it.effect("of the documents that one host had are so many a minute", () => {
    const web = makeWeb("no-store")
    return Effect.gen(function* () {
      const ids = numbered("victim.example", maxOfHostInWindow + 20)
      yield* Effect.forEach(ids.slice(0, maxOfHostInWindow), (each) => tagOf(each))
      yield* TestClock.adjust("60 seconds")
      yield* Effect.forEach(ids.slice(maxOfHostInWindow), (each) => tagOf(each))
      yield* TestClock.adjust("60 seconds")
      const before = web.asked.length
      yield* Effect.forEach(ids, (each) => tagOf(each))
      assert.strictEqual(web.asked.length - before, maxOfHostInWindow)
    }).pipe(Effect.provide(over(web)))
  })

  it.effect("of different people below a common suffix are counted apart", () => {
    const web = makeWeb()
    return Effect.gen(function* () {
      yield* Effect.forEach(numbered("eve.github.io", maxOfHostInWindow + 1), (each) => tagOf(each))
      assert.lengthOf(web.asked, maxOfHostInWindow)
      assert.strictEqual(yield* tagOf("https://ada.github.io/a.json"), "client")
    }).pipe(Effect.provide(over(web)))
  })

  it.effect("of all hosts are so many a minute", () => {
    const web = makeWeb()
    web.answer = down
    return Effect.gen(function* () {
      yield* Effect.forEach(numbered("client*.example", maxInWindow + 10), (each) => tagOf(each))
      assert.lengthOf(web.asked, maxInWindow)
      yield* TestClock.adjust("60 seconds")
      yield* tagOf(id)
      assert.lengthOf(web.asked, maxInWindow + 1)
    }).pipe(Effect.provide(over(web)))
  })

  it.effect("are limited at once, and the next is refused with the time to wait", () => {
    const web = makeWeb()
    const end = Latch.makeUnsafe(false)
    web.answer = (url) => Effect.as(end.await, fetched(documentOf(url)))
    return Effect.gen(function* () {
      const fibers = yield* Effect.forEach(numbered("client*.example", maxAtOnce), (each) =>
        Effect.forkChild(tagOf(each), { startImmediately: true })
      )
      assert.lengthOf(web.asked, maxAtOnce)
      // However often it tries: what does not begin is not counted.
      for (let attempt = 0; attempt < maxInWindow; attempt++) {
        assert.strictEqual(yield* tagOf(id), "ClientMetadataUnavailable")
      }
      yield* end.open
      assert.deepStrictEqual([...new Set(yield* Effect.forEach(fibers, Fiber.join))], ["client"])
      assert.strictEqual(yield* tagOf(id), "client")
    }).pipe(Effect.provide(over(web)))
  })

  it.effect("of clients in use are not kept out by a flood of made-up ids, not even of the same host", () => {
    const web = makeWeb("no-store")
    const inUse = "https://victim.example/client.json"
    return Effect.gen(function* () {
      assert.strictEqual(yield* tagOf(inUse), "client")
      yield* TestClock.adjust("60 seconds")
      web.answer = gone
      yield* Effect.forEach(numbered("victim.example", maxOfHostInWindow + 1), (each) => tagOf(each))
      yield* Effect.forEach(numbered("client*.example", maxInWindow), (each) => tagOf(each))
      web.answer = makeWeb("no-store").answer
      assert.strictEqual(yield* tagOf("https://victim.example/other.json"), "ClientMetadataUnavailable")
      assert.strictEqual(yield* tagOf(inUse), "client")
    }).pipe(Effect.provide(over(web)))
  })

  it.effect("that fail lose no place: interrupted, refused and answered ones end alike", () => {
    const web = makeWeb()
    return Effect.gen(function* () {
      for (let round = 0; round < 3; round++) {
        yield* TestClock.adjust("60 seconds")
        web.answer = () => Effect.never
        const fibers = yield* Effect.forEach(numbered("client*.example", maxAtOnce), (each) =>
          Effect.forkChild(tagOf(each), { startImmediately: true })
        )
        yield* Fiber.interruptAll(fibers)
        web.answer = down
        assert.strictEqual(yield* tagOf(id), "ClientMetadataUnavailable")
        assert.strictEqual(web.asked.at(-1), id)
      }
    }).pipe(Effect.provide(over(web)))
  })

  it.effect("are not made for an id that is no address", () => {
    const web = makeWeb()
    return Effect.gen(function* () {
      for (const each of ["", "doc_abc", "https://client.example", `https://client.example/${"a".repeat(5000)}`]) {
        assert.strictEqual(yield* tagOf(each), "ClientMetadataRejected")
      }
      assert.lengthOf(web.asked, 0)
    }).pipe(Effect.provide(over(web)))
  })
})
