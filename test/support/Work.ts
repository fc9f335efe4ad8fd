/** Counts work in steps that do not depend on the speed of the machine. */
import { vi } from "@effect/vitest"

/** Every text that is normalized during `run`. */
export const normalizedBy = (run: () => unknown): ReadonlyArray<string> => {
  const spy = vi.spyOn(String.prototype, "normalize")
  try {
    run()
    return spy.mock.contexts.map(String)
  } finally {
    spy.mockRestore()
  }
}

/** Number of texts that are made lower case during `run`: one for each compared name. */
export const foldedBy = (run: () => unknown): number => {
  const spy = vi.spyOn(String.prototype, "toLowerCase")
  try {
    run()
    return spy.mock.calls.length
  } finally {
    spy.mockRestore()
  }
}

/** Counts characters that are normalized or made lower case, and characters that are parsed as JSON. */
export const watchWork = () => {
  const spies = [vi.spyOn(String.prototype, "normalize"), vi.spyOn(String.prototype, "toLowerCase")]
  const parsed = vi.spyOn(JSON, "parse")
  const sum = (texts: ReadonlyArray<unknown>) => texts.reduce<number>((total, text) => total + String(text).length, 0)
  return {
    folded: () => spies.reduce((total, spy) => total + sum(spy.mock.contexts), 0),
    parsed: () => sum(parsed.mock.calls.map(([text]) => text)),
    end: () => {
      for (const spy of [...spies, parsed]) spy.mockRestore()
    }
  }
}

/** Counts turns of the event loop, and how far `steps` rises in each of them. */
export const watchTurns = (steps: () => number) => {
  let [turns, before, most] = [0, steps(), 0]
  const close = () => {
    const now = steps()
    most = Math.max(most, now - before)
    before = now
  }
  const next = (): NodeJS.Immediate =>
    setImmediate(() => {
      turns++
      close()
      pending = next()
    })
  let pending = next()
  return {
    turns: () => turns,
    /** Steps of the turn that had most. */
    most: () => most,
    end: () => {
      clearImmediate(pending)
      close()
    }
  }
}

/** Counts characters that are normalized or made lower case, in all and in one turn of the event loop. */
export const watchFolding = () => {
  const spies = [vi.spyOn(String.prototype, "normalize"), vi.spyOn(String.prototype, "toLowerCase")]
  let total = 0
  const counted = () => {
    for (const spy of spies) {
      for (const text of spy.mock.contexts) total += String(text).length
      spy.mockClear()
    }
    return total
  }
  const { end, most, turns } = watchTurns(counted)
  return {
    total: () => total,
    most,
    turns,
    end: () => {
      end()
      for (const spy of spies) spy.mockRestore()
    }
  }
}
