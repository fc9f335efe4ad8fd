/** What a shell makes of a script of commands. */
import { execFileSync } from "node:child_process"

const end = "\u0001"

/** The words of each command, its name first, as the shell passes them. No command runs. */
export const commandsOf = (script: string): ReadonlyArray<ReadonlyArray<string>> => {
  const names = new Set(Array.from(script.matchAll(/^([a-z]+) /gmu), ([, name = ""]) => name))
  const stubs = Array.from(names, (name) => `${name}() { printf '%s\\0' ${name} "$@" '${end}'; }`)
  const printed = execFileSync("/bin/sh", ["-euc", [...stubs, script].join("\n")], {
    encoding: "utf8",
    env: { PATH: "/nowhere" }
  })
  return printed
    .split(`${end}\0`)
    .slice(0, -1)
    .map((command) => command.split("\0").slice(0, -1))
}
