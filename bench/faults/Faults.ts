/** What the harness does to servers, database, imports, disk, clock and connections. */
import { Effect } from "effect"
import type { Prng } from "../../demo/Prng.ts"
import type { Cluster } from "./Cluster.ts"
import type { Imports } from "./Imports.ts"
import type { Server, Servers } from "./Servers.ts"

export interface World {
  readonly cluster: Cluster
  readonly servers: Servers
  readonly imports: Imports
}

/** What the harness itself can fail with. */
type Trouble = Effect.Error<Cluster["failOver"]> | Effect.Error<ReturnType<Cluster["replace"]>>

/** What is left to do once calls succeed again, such as a new standby. */
type Repair = Effect.Effect<void, Trouble>

export interface Fault {
  readonly name: string
  /** For the page. */
  readonly what: string
  /** `server`: no call may fail. `failover`: and calls must succeed again within {@link failoverSeconds}. */
  readonly goal?: "server" | "failover"
  /** Returns when the fault is over, or when the part that it hit is there again. */
  readonly strike: (world: World, prng: Prng) => Effect.Effect<Repair | void, Trouble>
}

export const failoverSeconds = 5

const one = ({ servers }: World, prng: Prng): Effect.Effect<Server> => Effect.sync(() => prng.pick(servers.all))
const seconds = (prng: Prng, from: number, to: number) => Effect.sleep(1000 * (from + prng.unit() * (to - from)))

export const faults: ReadonlyArray<Fault> = [
  {
    name: "server killed",
    what: "SIGKILL for one of the servers; the service manager starts it again",
    goal: "server",
    strike: (world, prng) => Effect.flatMap(one(world, prng), ({ end, start }) => Effect.andThen(end("SIGKILL"), start))
  },
  {
    name: "server frozen",
    what: "SIGSTOP for one of the servers, SIGCONT 5 to 9 seconds later",
    goal: "server",
    strike: (world, prng) =>
      Effect.flatMap(one(world, prng), ({ freeze, thaw }) =>
        freeze.pipe(Effect.andThen(seconds(prng, 5, 9)), Effect.andThen(thaw))
      )
  },
  {
    name: "server restarted",
    what: "SIGTERM for one of the servers, as at an update; started again when it has ended",
    goal: "server",
    strike: (world, prng) => Effect.flatMap(one(world, prng), ({ end, start }) => Effect.andThen(end("SIGTERM"), start))
  },
  {
    name: "clients cut",
    what: "20 answers of the servers are cut half-way by the load balancer",
    goal: "server",
    strike: ({ servers }) => cutting(servers.relay, 20)
  },
  {
    name: "all clients reset",
    what: "the load balancer resets every connection at once",
    goal: "server",
    strike: ({ servers }) => Effect.sync(() => void servers.relay.cut())
  },
  {
    name: "load balancer restarted",
    what: "the load balancer closes its port and every connection, and opens the port again 0.5 to 2 seconds later",
    goal: "server",
    strike: ({ servers: { relay } }, prng) =>
      relay.stop.pipe(Effect.andThen(seconds(prng, 0.5, 2)), Effect.ensuring(relay.start))
  },
  {
    name: "clock ahead",
    what: "the clock of one of the servers is 10 minutes ahead for 10 to 15 seconds",
    goal: "server",
    strike: (world, prng) => moving(world, prng, 600_000)
  },
  {
    name: "clock behind",
    what: "the clock of one of the servers is 10 minutes behind for 10 to 15 seconds",
    goal: "server",
    strike: (world, prng) => moving(world, prng, -600_000)
  },
  {
    name: "import killed",
    what: "SIGKILL for an import, up to 4 seconds after its start; it is run again",
    goal: "server",
    strike: ({ imports }, prng) => Effect.promise(() => imports.kill(prng.unit() * 4000))
  },
  {
    name: "import frozen",
    what: "SIGSTOP for an import, up to 4 seconds after its start, with whatever it has locked; SIGCONT 5 to 9 seconds later",
    goal: "server",
    strike: ({ imports }, prng) =>
      Effect.acquireUseRelease(
        Effect.promise(() => imports.freeze(prng.unit() * 4000)),
        () => seconds(prng, 5, 9),
        (thaw) => Effect.sync(thaw)
      )
  },
  {
    name: "database killed",
    what: "SIGKILL for PostgreSQL's postmaster; started again at once, with its recovery",
    strike: ({ cluster }) => Effect.andThen(cluster.killPrimary, cluster.startPrimary)
  },
  {
    name: "backend killed",
    what: "SIGKILL for one of PostgreSQL's processes; it ends all connections and recovers",
    strike: ({ cluster }) => cluster.killBackend
  },
  {
    name: "database restarted",
    what: "PostgreSQL is stopped in order and started again",
    strike: ({ cluster }) => Effect.andThen(cluster.stopPrimary, cluster.startPrimary)
  },
  {
    name: "database frozen",
    what: "SIGSTOP for all of PostgreSQL's processes, SIGCONT 2 to 4 seconds later",
    strike: ({ cluster }, prng) =>
      Effect.flatMap(cluster.freezePrimary, (thaw) => Effect.andThen(seconds(prng, 2, 4), thaw))
  },
  {
    name: "database cut",
    what: "20 answers of the database are cut half-way",
    strike: ({ cluster }) => cutting(cluster.relay, 20)
  },
  {
    name: "standby killed",
    what: "SIGKILL for the standby; after a second the manager lets commits go on without it",
    goal: "failover",
    strike: ({ cluster }) => Effect.as(cluster.killStandby, cluster.startStandby)
  },
  {
    name: "standby frozen",
    what: "SIGSTOP for all processes of the standby, SIGCONT 5 to 9 seconds later; commits wait until the manager, after a second, lets them go on without it, and wait for it again when it has caught up",
    goal: "failover",
    strike: ({ cluster }, prng) =>
      Effect.as(
        Effect.acquireUseRelease(
          cluster.freezeStandby,
          () => Effect.andThen(cluster.dropStandby, seconds(prng, 4, 8)),
          (thaw) => thaw
        ),
        cluster.readmitStandby
      )
  },
  {
    name: "standby restarted",
    what: "the standby is stopped in order and started again; the manager lets commits go on without it when it is not back after a second",
    goal: "failover",
    strike: ({ cluster }) => Effect.as(cluster.restartStandby, cluster.readmitStandby)
  },
  {
    name: "primary killed",
    what: "SIGKILL for the primary; the manager notices after a second, promotes the standby and moves the virtual address",
    goal: "failover",
    strike: ({ cluster }) => Effect.map(cluster.failOver, cluster.replace)
  },
  {
    name: "primary hangs",
    what: "SIGSTOP for all processes of the primary; after a second the manager ends it and promotes the standby",
    goal: "failover",
    strike: ({ cluster }) => Effect.map(cluster.failOverFrozen, cluster.replace)
  },
  {
    name: "switchover",
    what: "planned: the primary is stopped in order, the standby promoted",
    goal: "failover",
    strike: ({ cluster }) => Effect.map(cluster.switchOver, cluster.replace)
  },
  {
    name: "primary and server killed",
    what: "the primary and one of the servers at the same time",
    goal: "failover",
    strike: (world, prng) =>
      Effect.gen(function* () {
        const { end, start } = yield* one(world, prng)
        const [old] = yield* Effect.all([world.cluster.failOver, Effect.andThen(end("SIGKILL"), start)], {
          concurrency: 2
        })
        return world.cluster.replace(old)
      })
  },
  {
    name: "disk full",
    what: "the disk of the primary is full for 6 to 9 seconds",
    strike: ({ cluster }, prng) =>
      cluster.fillDisk.pipe(
        Effect.andThen(seconds(prng, 6, 9)),
        Effect.andThen(cluster.freeDisk),
        // PostgreSQL ends when it cannot write its log.
        Effect.andThen(cluster.startPrimary)
      )
  }
]

/** Returns when all of them were cut. */
const cutting = (relay: World["servers"]["relay"], count: number) =>
  Effect.gen(function* () {
    relay.cutAnswers(count)
    while (relay.toCut() > 0) yield* Effect.sleep("50 millis")
  })

const moving = (world: World, prng: Prng, millis: number) =>
  Effect.gen(function* () {
    const { moveClock } = yield* one(world, prng)
    yield* moveClock(millis)
    yield* seconds(prng, 10, 15)
    yield* moveClock(0)
  })
