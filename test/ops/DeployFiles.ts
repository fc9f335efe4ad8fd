/** Reads the files in ops/deploy as the programs do that they are for. */
import * as fs from "node:fs"
import { fileURLToPath } from "node:url"
import { parse } from "yaml"

export const project = new URL("../../", import.meta.url)
export const folder = new URL("ops/deploy/", project)

const read = (name: string) => fs.readFileSync(new URL(name, folder), "utf8")

export const exists = (path: string) => fs.existsSync(new URL(path, project))

type Pairs = ReadonlyArray<readonly [name: string, value: string]>

const pairsOf = (lines: ReadonlyArray<string>): Pairs =>
  lines.flatMap((line) => {
    const [, name, value = ""] = /^([A-Za-z_]\w*)=(.*)$/u.exec(line) ?? []
    return name === undefined ? [] : [[name, value.trim()] as const]
  })

/** A file of settings: `NAME=value` on each line. */
export const environmentFile = (name: string): Readonly<Record<string, string>> =>
  Object.fromEntries(pairsOf(read(name).split("\n")))

/** The settings of a line: `NAME=value`, separated by blanks. */
export const environmentLine = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(pairsOf(text.split(" ")))

/** The settings of a unit; one that is there more than once has a value for each. */
export const unit = (): ReadonlyMap<string, ReadonlyArray<string>> => {
  const settings = new Map<string, Array<string>>()
  for (const [name, value] of pairsOf(read("discovery.service").split("\n"))) {
    settings.set(name, [...(settings.get(name) ?? []), value])
  }
  return settings
}

/** The unit for an install in the folder of the project. */
export const unitHere = (): string =>
  read("discovery.service").replaceAll("/opt/discovery", fileURLToPath(project).replace(/\/$/u, ""))

export interface Instruction {
  readonly name: string
  readonly text: string
}

/** The instructions of each stage of the Dockerfile. */
export const stages = (): ReadonlyArray<ReadonlyArray<Instruction>> => {
  const lines = read("Dockerfile")
    .replaceAll(/^#.*\n/gmu, "")
    .replaceAll(/\\\n\s*/gu, "")
    .split("\n")
    .flatMap((line) => {
      const [, name, text = ""] = /^([A-Z]+) (.+)$/u.exec(line) ?? []
      return name === undefined ? [] : [{ name, text }]
    })
  const found: Array<Array<Instruction>> = []
  for (const line of lines) {
    if (line.name === "FROM") found.push([])
    found.at(-1)?.push(line)
  }
  return found
}

/** What is copied from the repository into the image, without what another stage has made. */
export const copied = (instructions: ReadonlyArray<Instruction>): ReadonlyArray<string> =>
  instructions.flatMap(({ name, text }) =>
    name === "COPY" && !text.startsWith("--from") ? text.split(" ").slice(0, -1) : []
  )

type Networks = Readonly<Record<string, { readonly ipv4_address?: string }>>

export interface Service {
  readonly image: string
  readonly build?: { readonly context: string; readonly dockerfile: string }
  readonly environment?: Readonly<Record<string, string>>
  readonly networks: Networks | ReadonlyArray<string>
  readonly ports?: ReadonlyArray<string>
  readonly read_only?: boolean
  readonly stop_grace_period?: string
  readonly volumes: ReadonlyArray<string>
  readonly healthcheck?: { readonly test: ReadonlyArray<string> }
  readonly logging?: { readonly options?: Readonly<Record<string, string>> }
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>
  readonly networks: Readonly<
    Record<
      string,
      {
        readonly internal?: boolean
        readonly ipam?: { readonly config: ReadonlyArray<{ subnet: string; gateway: string; ip_range: string }> }
      }
    >
  >
  readonly volumes: Readonly<Record<string, unknown>>
}

const isList = (networks: Service["networks"]): networks is ReadonlyArray<string> => Array.isArray(networks)

/** The networks of a service, with its address where it has a fixed one. */
export const networksOf = ({ networks }: Service): Networks =>
  isList(networks) ? Object.fromEntries(networks.map((name) => [name, {}])) : networks

/** With the values of `settings` for `${NAME:?}`, which have to be there, and for `${NAME:-}`. */
export const compose = (settings: Readonly<Record<string, string>>): Compose => {
  const filled = (text: string) =>
    text.replaceAll(/\$\{(\w+):[?-]\}/gu, (_, name: string) => {
      const value = settings[name]
      if (value === undefined) throw new Error(`compose.yaml uses ${name}, which compose.env does not have`)
      return value
    })
  return parse(read("compose.yaml"), (_, value: unknown) => (typeof value === "string" ? filled(value) : value), {
    merge: true
  })
}

export const caddyfile = () => read("Caddyfile").replaceAll(/^\s*#.*\n/gmu, "")

/** The arguments of a directive of the Caddyfile, wherever it is. */
export const directive = (name: string): ReadonlyArray<string> => {
  const [, args] = new RegExp(`^\\s*${name} (.+?)(?: \\{)?$`, "mu").exec(caddyfile()) ?? []
  return args?.split(" ") ?? []
}

const units = { ms: 1, s: 1_000, m: 60_000 } as const

/** Of Caddy and Compose, such as `100ms`, `5s` and `2m`. */
export const millis = (text = ""): number => {
  const [, amount, unit = ""] = /^(\d+)(ms|s|m)$/u.exec(text) ?? []
  return Number(amount) * (unit === "ms" || unit === "s" || unit === "m" ? units[unit] : Number.NaN)
}

/** The statements of database.sql, with a password as psql would fill it in. */
export const databaseStatements = (password: string): ReadonlyArray<string> =>
  read("database.sql")
    .replaceAll(/^(?:--|\\).*\n/gmu, "")
    .replaceAll(":'password'", `'${password}'`)
    .split(";\n")
    .filter((statement) => statement.trim() !== "")
