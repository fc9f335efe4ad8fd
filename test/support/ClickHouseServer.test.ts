/** The engine for tests, as the official client and others without the product's wrapper use it. */
import { createClient } from "@clickhouse/client"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { password, user } from "../clickhouse/Messages.ts"
import * as ClickHousePackage from "./ClickHousePackage.ts"
import * as ClickHouseServer from "./ClickHouseServer.ts"
import { ClickHouseServer as Server } from "./ClickHouseServer.ts"

/** Text and binary formats of an insert, with the rows [1, "a"] and [2, "b"]. */
const bodies = {
  JSONEachRow: '{"a":1,"b":"a"}\n{"a":2,"b":"b"}\n',
  JSONCompactEachRow: '[1,"a"]\n[2,"b"]\n',
  TabSeparated: "1\ta\n2\tb\n",
  RowBinary: new Uint8Array([1, 0, 0, 0, 1, 97, 2, 0, 0, 0, 1, 98])
} as const

describe.skipIf(!ClickHousePackage.isAvailable)("the ClickHouse of tests", () => {
  layer(ClickHouseServer.layer)((it) => {
    it.effect.each(["gzip", "zstd"] as const)("reads and sends %s", (codec) =>
      Effect.gen(function* () {
        const { url } = (yield* Server).settings
        yield* Effect.promise(async () => {
          const compression = { request: { codec }, response: { codec } } as const
          const client = createClient({ url, username: user, password, database: "catalog", compression })
          await client.command({ query: `CREATE TABLE ${codec} (a UInt32) ENGINE = Memory` })
          await client.insert({ table: codec, values: [[1], [2]], format: "JSONCompactEachRow" })
          const result = await client.query({ query: `SELECT sum(a) AS n FROM ${codec}`, format: "JSONEachRow" })
          assert.deepStrictEqual(await result.json(), [{ n: 3 }])
          assert.isTrue((await client.ping()).success)
          await client.close()
        })
      })
    )

    it.effect("takes rows in text and binary formats, and users in headers", () =>
      Effect.gen(function* () {
        const { url } = (yield* Server).settings
        const ask = (query: string, body?: Uint8Array<ArrayBuffer> | string, key = password) =>
          Effect.promise(async () => {
            const headers = { "X-ClickHouse-User": user, "X-ClickHouse-Key": key }
            const answer = await fetch(`${url}/?database=catalog&query=${encodeURIComponent(query)}`, {
              method: "POST",
              headers,
              ...(body === undefined ? {} : { body })
            })
            return {
              status: answer.status,
              code: answer.headers.get("x-clickhouse-exception-code"),
              text: await answer.text()
            }
          })
        yield* ask("CREATE TABLE formats (a UInt32, b String) ENGINE = Memory")
        for (const [format, body] of Object.entries(bodies)) {
          assert.strictEqual((yield* ask(`INSERT INTO formats (a, b) FORMAT ${format}`, body)).text, "", format)
        }
        const { text } = yield* ask("SELECT a, b, count() FROM formats GROUP BY a, b ORDER BY a FORMAT CSV")
        assert.strictEqual(text, '1,"a",4\n2,"b",4\n')
        const refused = yield* ask("SELECT 1", undefined, "wrong")
        assert.deepStrictEqual([refused.status, refused.code], [403, "516"])
        assert.match(refused.text, /^Code: 516\. DB::Exception: catalog: Authentication failed/u)
      })
    )
  })
})
