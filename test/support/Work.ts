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
