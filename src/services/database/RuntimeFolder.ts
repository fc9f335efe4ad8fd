/**
 * The private folder of PostgreSQL's socket. It is removed by this process, or by PostgresProcess if this process is killed. If
 * both are killed, the next start removes it.
 */
import { Effect } from "effect"
import type { Scope } from "effect"
import { mkdtempSync } from "node:fs"
import * as fs from "node:fs/promises"
import { createConnection } from "node:net"
import * as os from "node:os"
import * as path from "node:path"
import type * as DataFolder from "./DataFolder.ts"
import { hasEnded } from "../ProcessId.ts"
import { EmbeddedPostgresError } from "./EmbeddedPostgresError.ts"

/** A Unix socket's path has at most 103 bytes on every system that we run on. */
const maxSocketPathBytes = 103
const socketName = ".s.PGSQL.5432"
/** Contains the id of its process. */
const name = /^discovery-(\d+)-[A-Za-z0-9]{6}$/

/** Made by this process, and noted in the same step. */
const ownFolders = new Set<string>()

export const make = (runAs: DataFolder.RunAs): Effect.Effect<string, EmbeddedPostgresError, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: async () => {
        const prefix = `discovery-${process.pid}-`
        const longest = maxSocketPathBytes - `/${prefix}XXXXXX/${socketName}`.length
        const base = Buffer.byteLength(os.tmpdir()) <= longest ? os.tmpdir() : "/tmp"
        await removeAbandoned(base)
        const folder = mkdtempSync(path.join(base, prefix))
        ownFolders.add(folder)
        if (runAs._tag === "User") await fs.chown(folder, runAs.uid, runAs.gid)
        return folder
      },
      catch: (cause) =>
        new EmbeddedPostgresError({
          message: `The folder for PostgreSQL's socket cannot be created in ${os.tmpdir()}. Set TMPDIR to a folder that this user can write to.`,
          cause
        })
    }),
    (folder) => Effect.promise(() => remove(folder))
  )

const remove = (folder: string): Promise<void> => fs.rm(folder, { recursive: true, force: true }).catch(() => undefined)

/** Removes this user's folders whose process has ended and whose socket does not answer. */
const removeAbandoned = async (base: string): Promise<void> => {
  const entries = await fs.readdir(base).catch((): Array<string> => [])
  for (const entry of entries) {
    const owner = name.exec(entry)?.[1]
    if (owner === undefined) continue
    const folder = path.join(base, entry)
    if (!hasEnded(Number.parseInt(owner, 10), ownFolders.has(folder))) continue
    const stat = await fs.lstat(folder).catch(() => undefined)
    if (stat?.isDirectory() !== true || stat.uid !== process.geteuid?.()) continue
    if (await nobodyListens(path.join(folder, socketName))) await remove(folder)
  }
}

/** A process with an unknown id may run in another container that shares the folder, and then its socket answers. */
const nobodyListens = (socket: string): Promise<boolean> =>
  new Promise((resolve) => {
    const connection = createConnection(socket)
    const done = (isNobody: boolean) => {
      connection.destroy()
      resolve(isNobody)
    }
    connection.once("connect", () => done(false))
    connection.once("error", (error: NodeJS.ErrnoException) =>
      done(error.code === "ENOENT" || error.code === "ECONNREFUSED")
    )
  })
