/**
 * Reads files that are needed as a whole: regular files alone, and never more than a limit. A device or a pipe in the place of one
 * has no end, or makes its reader wait; its size says nothing.
 */
import { Effect, Schema } from "effect"
import { constants } from "node:fs"
import * as fs from "node:fs/promises"

export class UnreadableFile extends Schema.TaggedError<UnreadableFile>()("UnreadableFile", {
  /** Names the file and the reason, without a full stop. */
  message: Schema.String,
  isMissing: Schema.Boolean,
  cause: Schema.optionalKey(Schema.Defect())
}) {}

/** Opening a pipe does not wait for its writer. */
const flags = constants.O_RDONLY | constants.O_NONBLOCK

/** Opens a regular file, or what a link leads to if that is one. */
export const openRegular = async (file: string): Promise<fs.FileHandle> => {
  const handle = await fs.open(file, flags)
  const isRegular = await handle.stat().then(
    (stat) => stat.isFile(),
    () => false
  )
  if (isRegular) return handle
  await handle.close()
  throw new UnreadableFile({ message: `${file} is no regular file`, isMissing: false })
}

const read = async (file: string, maxBytes: number): Promise<Buffer> => {
  const handle = await openRegular(file)
  try {
    const parts: Array<Buffer> = []
    let bytes = 0
    while (bytes <= maxBytes) {
      const part = Buffer.alloc(Math.min(2 ** 16, maxBytes + 1 - bytes))
      const { bytesRead } = await handle.read(part, 0, part.length)
      if (bytesRead === 0) return Buffer.concat(parts)
      bytes += bytesRead
      parts.push(part.subarray(0, bytesRead))
    }
    throw new UnreadableFile({ message: `${file} is larger than ${maxBytes} bytes`, isMissing: false })
  } finally {
    await handle.close()
  }
}

const unreadable = (file: string, cause: unknown): UnreadableFile => {
  if (cause instanceof UnreadableFile) return cause
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown"
  const isMissing = code === "ENOENT"
  return new UnreadableFile({
    message: isMissing ? `${file} does not exist` : `${file} cannot be read (${code})`,
    isMissing,
    cause
  })
}

export const bytes = (file: string, maxBytes: number): Effect.Effect<Buffer, UnreadableFile> =>
  Effect.tryPromise({ try: () => read(file, maxBytes), catch: (cause) => unreadable(file, cause) })

/** As {@link bytes}, of a file that may be missing. */
export const bytesIfThere = (file: string, maxBytes: number): Effect.Effect<Buffer | undefined, UnreadableFile> =>
  Effect.catchIf(
    bytes(file, maxBytes),
    ({ isMissing }) => isMissing,
    () => Effect.succeed(undefined)
  )

export const text = (file: string, maxBytes: number): Effect.Effect<string, UnreadableFile> =>
  Effect.map(bytes(file, maxBytes), (found) => found.toString("utf8"))
