/** Fake name servers: the test sets the addresses of each name, which may change with each query. */
import { Effect, Layer } from "effect"
import { Dns, NetAddress } from "effect/net"

export interface FakeDns {
  readonly asked: Array<string>
  /** The addresses of a name; `undefined` never answers. */
  addresses: (name: string) => ReadonlyArray<string> | undefined
}

export const make = (addresses: FakeDns["addresses"] = () => []): FakeDns => ({ asked: [], addresses })

export const layer = (fake: FakeDns): Layer.Layer<Dns.Dns> =>
  Layer.succeed(
    Dns.Dns,
    Dns.make({
      // The resolver of the operating system: hosts file, search list, a thread that cannot be interrupted.
      lookup: () => Effect.die(new Error("names are to be asked of name servers")),
      resolve: (name, type) =>
        Effect.suspend(() => {
          if (type === "A") fake.asked.push(name)
          const found = fake.addresses(name)
          if (found === undefined) return Effect.never
          return Effect.succeed(
            found.map(NetAddress.ipFromStringUnsafe).flatMap((address): ReadonlyArray<Dns.DnsRecord> => {
              if (NetAddress.isIpv4Address(address)) return type === "A" ? [Dns.makeRecordUnsafe("A", { address })] : []
              return type === "AAAA" ? [Dns.makeRecordUnsafe("AAAA", { address })] : []
            })
          )
        })
    })
  )
