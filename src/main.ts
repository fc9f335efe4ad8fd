#!/usr/bin/env node
/**
 * The entry point. It keeps compiled code between starts, which takes half of the CPU time of a start away, and runs the
 * command line, from the bundle if there is one. Without a folder that it may write, it starts all the same.
 */
import { enableCompileCache } from "node:module"
import { fileURLToPath } from "node:url"
import { setFlagsFromString } from "node:v8"
import * as Bundle from "./Bundle.ts"

// The first is for Memory.ts. With the second, V8's middle compiler does not inline the loops of searches into functions that are called
// too seldom to reach the optimizing one, where the loops took five times as long (decision 9). Both are set before any module is
// compiled: V8 refuses cached code that was compiled with other flags.
for (const flag of ["--expose-gc", "--no-maglev-inlining"]) setFlagsFromString(flag)
// The variable is for the threads of the index. Node has enabled the cache itself if the operator has set it.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL("../node_modules/.cache/node-compile", import.meta.url))
enableCompileCache(process.env.NODE_COMPILE_CACHE)
const bundle = Bundle.entry()
await (bundle === undefined ? import("./cli/CommandLine.ts") : import(bundle.href))
