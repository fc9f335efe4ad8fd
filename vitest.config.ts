import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

// As src/main.ts does: processes of tests load the same packages again.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL("node_modules/.cache/node-compile", import.meta.url))

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/globalSetup.ts"],
    pool: "forks",
    // Files of a worker share the modules, which took a tenth of the time of all tests. A file that replaces one loads it itself.
    isolate: false,
    maxWorkers: 2,
    // Only for what hangs: how long work takes is the machine's affair, and one that is busy fails no test.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    teardownTimeout: 60_000,
    coverage: { include: ["src/**/*.ts", "demo/**/*.ts", "migrations/**/*.ts"], reporter: ["text-summary", "html"] }
  }
})
