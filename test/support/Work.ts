/** How much work was done, in steps that no clock and no other process can change. */
import { vi } from "@effect/vitest"

/** Every text that was normalized meanwhile. */
export const normalizedBy = (run: () => unknown): ReadonlyArray<string> => {
  const spy = vi.spyOn(String.prototype, "normalize")
  try {
    run()
    return spy.mock.contexts.map(String)
  } finally {
    spy.mockRestore()
  }
}

/** How often a text was made lower case meanwhile: once for each name that is compared. */
export const foldedBy = (run: () => unknown): number => {
  const spy = vi.spyOn(String.prototype, "toLowerCase")
  try {
    run()
    return spy.mock.calls.length
  } finally {
    spy.mockRestore()
  }
}
