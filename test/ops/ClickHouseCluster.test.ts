/** The cluster for trying out: what compose.yaml starts is what cluster.xml says, and no other machine reaches it. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as fs from "node:fs"
import { parse } from "yaml"

const folder = new URL("../../ops/clickhouse/", import.meta.url)
const read = (name: string) => fs.readFileSync(new URL(name, folder), "utf8")

const Compose = Schema.Struct({
  services: Schema.Record(
    Schema.String,
    Schema.Struct({
      image: Schema.String,
      hostname: Schema.String,
      environment: Schema.Record(Schema.String, Schema.String),
      ports: Schema.optionalKey(Schema.Array(Schema.String)),
      volumes: Schema.Array(Schema.String)
    })
  ),
  volumes: Schema.Record(Schema.String, Schema.Unknown)
})
const { services, volumes } = Schema.decodeUnknownSync(Compose)(parse(read("compose.yaml"), { merge: true }))
const nodes = Object.values(services)

/** The texts of all elements of a name below each element of another. */
const xml = read("cluster.xml")
const within = (outer: string, inner: string): ReadonlyArray<string> => {
  const [, text = ""] = new RegExp(`<${outer}>([^]*?)</${outer}>`, "u").exec(xml) ?? []
  return Array.from(text.matchAll(new RegExp(`<${inner}>([^<]*)</${inner}>`, "gu")), ([, found = ""]) => found)
}

describe("the cluster of ops/clickhouse", () => {
  it("has three nodes, each a shard of its own with its own volume", () => {
    assert.lengthOf(nodes, 3)
    for (const name of ["SHARD", "hostname"] as const) {
      const values = nodes.map((node) => (name === "hostname" ? node.hostname : node.environment[name]))
      assert.strictEqual(new Set(values).size, 3, name)
    }
    const data = nodes.map(({ volumes: [first = ""] }) => first.split(":")[0])
    assert.sameMembers(data, Object.keys(volumes))
  })

  it("is the one that cluster.xml describes: shards, keepers and their votes", () => {
    const hosts = nodes.map(({ hostname }) => hostname)
    assert.sameMembers([...within("remote_servers", "host")], hosts)
    assert.sameMembers([...within("zookeeper", "host")], hosts)
    assert.sameMembers([...within("raft_configuration", "hostname")], hosts)
    const ids = within("raft_configuration", "id")
    assert.sameMembers(
      [...ids],
      nodes.map(({ environment }) => environment["SHARD"] ?? "")
    )
    assert.deepStrictEqual(new Set(within("zookeeper", "port")), new Set(within("keeper_server", "tcp_port")))
  })

  it("gives each node that file and the variables that it takes from the environment", () => {
    const taken = Array.from(xml.matchAll(/from_env="(\w+)"/gu), ([, name = ""]) => name)
    for (const { environment, volumes: mounted } of nodes) {
      assert.includeMembers(Object.keys(environment), taken)
      assert.isTrue(mounted.some((volume) => volume.startsWith("./cluster.xml:/etc/clickhouse-server/config.d/")))
    }
    assert.isTrue(fs.existsSync(new URL("cluster.xml", folder)))
  })

  it("publishes no port but for this machine, and has no password of its own", () => {
    for (const port of nodes.flatMap(({ ports = [] }) => ports)) assert.match(port, /^127\.0\.0\.1:/u)
    for (const { environment } of nodes)
      assert.strictEqual(environment["CLICKHOUSE_PASSWORD"], "${CLICKHOUSE_PASSWORD:?}")
  })
})
