/** What people read when a page fails: never JSON, never the cause, always what to do. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { badSessions } from "../../../support/FakeAccess.ts"
import { TestServer } from "../../../support/TestServer.ts"

layer(TestServer.layer(), { excludeTestServices: true })("a page that cannot be shown", (it) => {
  const open = (session: string) =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const headers = { authorization: undefined, cookie: `__Host-discovery=${session}` }
      const answer = yield* server.send({ method: "GET", path: "/dashboard", headers })
      const requestId = answer.headers.get("x-request-id") ?? "none"
      assert.strictEqual(answer.headers.get("content-type"), "text/html; charset=utf-8")
      assert.include(answer.headers.get("content-security-policy"), "default-src 'none'")
      assert.include(answer.text, requestId)
      assert.notInclude(answer.text, "secret")
      return { answer, line: server.logs.find((line) => line.includes(requestId)) }
    })

  it.effect("for the database's sake says so, and when to come back", () =>
    Effect.gen(function* () {
      const { answer, line } = yield* open(badSessions.down)
      assert.deepStrictEqual([answer.status, answer.headers.get("retry-after")], [503, "1"])
      assert.include(answer.text, "The service is not reachable right now")
      assert.include(line, "secret of the database")
    })
  )

  it.effect("for the many who sign in says so, and the log does not speak of the database", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const answer = yield* server.send({
        path: "/sign-in",
        body: "email=ada%40example.com&password=nine+green+whales&form_token=x",
        headers: { authorization: undefined, "content-type": "application/x-www-form-urlencoded" }
      })
      assert.deepStrictEqual([answer.status, answer.headers.get("retry-after")], [503, "5"])
      assert.include(answer.text, "Too many people are signing in right now")
      const line = server.logs.find((each) => each.includes(answer.headers.get("x-request-id") ?? "none"))
      assert.include(line, `"level":"WARN"`)
      assert.include(line, "More people are signing in than passwords can be verified")
      assert.isFalse(server.logs.some((each) => each.includes("whales")))
    })
  )

  it.effect("for a defect's sake says so, and the log has the cause", () =>
    Effect.gen(function* () {
      const { answer, line } = yield* open(badSessions.defect)
      assert.strictEqual(answer.status, 500)
      assert.include(answer.text, "Something went wrong on our side")
      assert.include(line, "secret of the sessions")
    })
  )
})
