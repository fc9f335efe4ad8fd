/** The data folder of the embedded PostgreSQL: its owner, its checks, its creation. */
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { mkdtempSync } from "node:fs"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { hasEnded } from "../ProcessId.ts"
import * as WholeFile from "../WholeFile.ts"
import { EmbeddedPostgresError } from "./EmbeddedPostgresError.ts"
import * as PostgresBinaries from "./PostgresBinaries.ts"
import * as PostgresProcess from "./PostgresProcess.ts"

/**
 * PostgreSQL refuses to run as root. Root therefore runs it as `nobody` in a user namespace, where files remain root's. Where
 * namespaces are forbidden (many containers), or the data belongs to another user, it runs as that user.
 */
export type RunAs =
  | { readonly _tag: "Self" }
  | { readonly _tag: "Namespace" }
  | { readonly _tag: "User"; readonly uid: number; readonly gid: number }

const nobody = { _tag: "User", uid: 65534, gid: 65534 } as const
const namespacePrefix = ["unshare", "--user", "--map-user=65534", "--map-group=65534", "--"] as const

const isCode = (cause: unknown, ...codes: ReadonlyArray<string>): boolean =>
  cause instanceof Error && "code" in cause && codes.includes(String(cause.code))

const attempt = <A>(message: string, run: () => Promise<A>): Effect.Effect<A, EmbeddedPostgresError> =>
  Effect.tryPromise({ try: run, catch: (cause) => new EmbeddedPostgresError({ message, cause }) })

/** Files of some lines. */
const maxFileBytes = 4_096

/** `initdb` removes its files before it ends. */
const initdbStopSeconds = 10

/** The command line that runs `command` as `runAs`. */
export const commandFor = (runAs: RunAs, command: ReadonlyArray<string>): ReadonlyArray<string> =>
  runAs._tag === "Namespace" ? [...namespacePrefix, ...command] : command

/**
 * The path of the data folder for a PostgreSQL that is started inside `folder`. Another user may have no access to the folders
 * above (a project in /root). This process enters the folder as root, and the child keeps it as its working folder.
 */
export const pathFor = (runAs: RunAs, folder: string): string =>
  runAs._tag === "User" && process.platform === "linux" ? "/proc/self/cwd" : folder

export const userIds = (runAs: RunAs): PostgresProcess.UserIds | undefined =>
  runAs._tag === "User" ? { uid: runAs.uid, gid: runAs.gid } : undefined

const rootRunsAs = (): RunAs => {
  const [command, ...rest] = namespacePrefix
  const allowed = spawnSync(command, [...rest, "true"], { stdio: "ignore" }).status === 0
  return allowed ? { _tag: "Namespace" } : nobody
}

/** Reads, without changing the folder, which user has to run PostgreSQL on it and whether it is empty. */
export const inspect = (
  folder: string
): Effect.Effect<{ readonly runAs: RunAs; readonly isNew: boolean }, EmbeddedPostgresError> =>
  Effect.gen(function* () {
    const self = process.geteuid?.() ?? 0
    const stat = yield* attempt(
      `The data folder ${folder} cannot be reached by this user (uid ${self}). Start as the user who made it, or give another data folder.`,
      () =>
        fs.stat(folder).catch((cause: unknown) => {
          if (isCode(cause, "ENOENT")) return undefined
          throw cause
        })
    )
    if (stat === undefined) return { runAs: self === 0 ? rootRunsAs() : { _tag: "Self" }, isNew: true }
    if (!stat.isDirectory()) {
      return yield* new EmbeddedPostgresError({
        message: `${folder} is a file, but should be the data folder. Move it away, or give another data folder.`
      })
    }
    if (self !== 0 && stat.uid !== self) {
      return yield* new EmbeddedPostgresError({
        message:
          `The data folder ${folder} belongs to ${stat.uid === 0 ? "root" : `the user with uid ${stat.uid}`}, but this process runs as uid ${self}. ` +
          `Start as that user, or run \`sudo chown -R ${self} ${folder}\`, or give another data folder.`
      })
    }
    const isNew = yield* holdsNothing(folder)
    if (self !== 0) return { runAs: { _tag: "Self" }, isNew }
    if (stat.uid !== 0) return { runAs: { _tag: "User", uid: stat.uid, gid: stat.gid }, isNew }
    const runAs = rootRunsAs()
    if (isNew || runAs._tag === "Namespace") return { runAs, isNew }
    return yield* new EmbeddedPostgresError({
      message:
        `The data folder ${folder} belongs to root, and PostgreSQL does not run as root (user namespaces are not allowed here). ` +
        `Run \`chown -R ${nobody.uid} ${folder}\`, or give another data folder.`
    })
  })

/** Fails unless the folder is empty or holds a cluster of this major version. */
const holdsNothing = (folder: string): Effect.Effect<boolean, EmbeddedPostgresError> =>
  Effect.gen(function* () {
    const entries = yield* attempt(`The data folder ${folder} cannot be read.`, () => fs.readdir(folder))
    if (entries.length === 0) return true
    if (!entries.includes("PG_VERSION")) {
      return yield* new EmbeddedPostgresError({
        message: `${folder} holds files that are not PostgreSQL's. Move them away, or give another data folder.`
      })
    }
    const version = yield* Effect.mapError(
      WholeFile.text(path.join(folder, "PG_VERSION"), maxFileBytes),
      (cause) => new EmbeddedPostgresError({ message: `The data folder ${folder} cannot be read.`, cause })
    )
    if (version.trim() === PostgresBinaries.majorVersion) return false
    return yield* new EmbeddedPostgresError({
      message:
        `The data folder ${folder} was written by PostgreSQL ${version.trim()}, but this is ${PostgresBinaries.majorVersion}. ` +
        `Export it with the old version (pg_dump), or give another data folder to start afresh.`
    })
  })

/**
 * Creates a cluster in a folder beside and renames it, so that a killed start leaves no partial cluster. When two processes do
 * so at once, both use the cluster of the first to finish.
 */
export const initialize = (options: {
  readonly folder: string
  readonly native: string
  readonly runAs: RunAs
  readonly runtimeFolder: string
}): Effect.Effect<void, EmbeddedPostgresError> =>
  Effect.gen(function* () {
    const { folder, native, runAs, runtimeFolder } = options
    const parent = path.dirname(folder)
    const prefix = `${path.basename(folder)}.init-`
    const draft = yield* Effect.acquireRelease(
      attempt(
        `No folder can be made in ${parent}. Give this user write access to it, or give another data folder.`,
        async () => {
          await fs.mkdir(parent, { recursive: true })
          await removeAbandonedDrafts(parent, prefix)
          const made = mkdtempSync(path.join(parent, `${prefix}${process.pid}-`))
          ownDrafts.add(made)
          if (runAs._tag === "User") await fs.chown(made, runAs.uid, runAs.gid)
          return made
        }
      ),
      (made) => Effect.promise(() => fs.rm(made, { recursive: true, force: true }).catch(() => undefined))
    )
    const initdb = yield* Effect.acquireRelease(
      PostgresProcess.launch({
        command: commandFor(runAs, [
          path.join(native, "bin", "initdb"),
          `--pgdata=${pathFor(runAs, draft)}`,
          "--username=postgres",
          // The socket is in a folder that only this user can read.
          "--auth=trust",
          "--encoding=UTF8",
          // The same character classes and order on every machine.
          "--locale=C",
          "--locale-provider=builtin",
          "--builtin-locale=C.UTF-8",
          "--no-sync",
          "--no-instructions"
        ]),
        folder: runtimeFolder,
        workingFolder: draft,
        user: userIds(runAs)
      }),
      (running) => running.stop(`${initdbStopSeconds} seconds`)
    )
    const exitCode = yield* initdb.exited
    if (exitCode !== 0) {
      return yield* new EmbeddedPostgresError({
        message:
          `The database could not be created in ${folder}: ${yield* initdb.output}\n` +
          `Give another data folder that this user can write to, or set DATABASE_URL to a PostgreSQL of your own (15 or newer).`
      })
    }
    yield* attempt(
      `The new database could not be moved to ${folder}. If that is a mount point, give a folder inside it.`,
      () =>
        fs.rename(draft, folder).catch((cause: unknown) => {
          if (!isCode(cause, "ENOTEMPTY", "EEXIST")) throw cause
        })
    )
  }).pipe(Effect.scoped)

/** Made by this process, and noted in the same step: two starts at once do not remove each other's. */
const ownDrafts = new Set<string>()

/** Removes drafts of processes that no longer run. */
const removeAbandonedDrafts = async (parent: string, prefix: string): Promise<void> => {
  for (const entry of await fs.readdir(parent)) {
    if (!entry.startsWith(prefix)) continue
    const processId = Number.parseInt(entry.slice(prefix.length), 10)
    const draft = path.join(parent, entry)
    if (hasEnded(processId, ownDrafts.has(draft))) await fs.rm(draft, { recursive: true, force: true })
  }
}

/**
 * PostgreSQL removes the lock of a killed server, unless an unrelated process has got its id, as happens after a restart of a
 * container. On Linux that lock is removed here.
 */
export const removeStaleLock = (folder: string): Effect.Effect<void, EmbeddedPostgresError> =>
  Effect.gen(function* () {
    const lock = path.join(folder, "postmaster.pid")
    const text = yield* WholeFile.bytesIfThere(lock, maxFileBytes)
    const processId = Number.parseInt(text?.toString("utf8") ?? "", 10)
    if (process.platform !== "linux" || !(processId > 0)) return
    const name = yield* WholeFile.text(`/proc/${processId}/comm`, maxFileBytes).pipe(
      Effect.orElseSucceed(() => undefined)
    )
    if (name !== undefined && name.trim() !== "postgres") yield* Effect.tryPromise(() => fs.rm(lock, { force: true }))
  }).pipe(
    Effect.mapError(
      (cause) =>
        new EmbeddedPostgresError({
          message: `The lock file of the data folder ${folder} cannot be read or removed.`,
          cause
        })
    )
  )
