/**
 * `npm run bench:languages -- <file>...`: what real text of one language costs the index, and how long words of it are
 * searched. Each file is UTF-8 text of one language, one phrase a line, such as the messages of a program's translation.
 * A title is one phrase; an ad has a page name, a headline and three to eight phrases of text; all are drawn by a seed.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { byField } from "../src/domain/catalog/Figures.ts"
import { queryWords } from "../src/domain/search/SearchText.ts"
import { wantedWords } from "../src/domain/search/WantedWords.ts"
import { Prng } from "../demo/Prng.ts"
import { SegmentBuilder } from "../src/services/search/index/Build.ts"
import { Spellings } from "../src/services/search/index/IndexedRecords.ts"
import type { IndexedStore } from "../src/services/search/index/IndexedRecords.ts"
import { search } from "../src/services/search/index/Search.ts"
import type { SegmentView } from "../src/services/search/index/Segment.ts"
import { arraysOf } from "../src/services/search/runtime/SegmentArrays.ts"
import { quantile } from "./search/Summary.ts"

const stores = 40_000
const productsOfStore = 25
const adsOfStore = 10
const queriesOfKind = 200
const warmUp = 50
const day = 20_000

type Phrase = (random: Prng) => string

const storeOf = (id: number, random: Prng): IndexedStore => ({
  ...byField(() => null),
  changes: null,
  id,
  name: `Store ${id}`,
  domain: `store${id}.example`,
  extension: ".example",
  country: "DE",
  currency: null,
  niche_id: null,
  languages: [],
  pixels: [],
  social_networks: [],
  apps: [],
  theme: null,
  created_day: null,
  visits: [random.int(0, 1_000_000)]
})

const build = (phrase: Phrase): SegmentView => {
  const random = new Prng("languages", "records")
  const builder = new SegmentBuilder(new Spellings())
  const phrases = (count: number) => Array.from({ length: count }, () => phrase(random)).join(" ")
  for (let id = 1; id <= stores; id++) {
    builder.addStore({
      store: storeOf(id, random),
      products: Array.from({ length: productsOfStore }, (_, at) => ({
        id: id * productsOfStore + at,
        title: phrase(random),
        price: random.int(1, 500),
        createdAt: random.int(0, day) * 86_400_000,
        firstSeen: 0
      })),
      ads: Array.from({ length: adsOfStore }, (_, at) => ({
        id: id * adsOfStore + at,
        isActive: random.chance(0.5),
        mediaType: "image",
        cta: null,
        isPartnership: false,
        startedDay: random.int(day - 1000, day),
        pageName: phrase(random),
        headline: phrase(random),
        adText: phrases(random.int(3, 8))
      }))
    })
  }
  return builder.finish()
}

/** What a person types of a phrase: some of its characters from its start, or from the start of a part between blanks. */
const typed = (phrase: string, characters: number, random: Prng): string => {
  const parts = phrase.split(/\s+/u).filter((part) => queryWords(part).length > 0)
  const part = parts[random.int(0, parts.length - 1)] ?? phrase
  return Array.from(part).slice(0, characters).join("")
}

const kinds: Readonly<Record<string, (phrase: Phrase, random: Prng) => string>> = {
  "1 character": (phrase, random) => typed(phrase(random), 1, random),
  "2 characters": (phrase, random) => typed(phrase(random), 2, random),
  "5 characters": (phrase, random) => typed(phrase(random), 5, random),
  "a phrase": (phrase, random) => phrase(random)
}

/** Of this thread, in steps of some milliseconds: other work of the machine does not count. */
const cpuMillis = () => process.threadCpuUsage().user / 1000

const megabytes = (bytes: number) => (bytes / 1e6).toFixed(1)

const bytesOf = (view: SegmentView, kind: "products" | "ads") =>
  arraysOf(view)
    .filter(({ name }) => name.startsWith(`segment.${kind}.words.`))
    .reduce((sum, { array }) => sum + array.byteLength, 0)

const measure = (file: string): void => {
  const lines = fs.readFileSync(file, "utf8").split("\n")
  const known = lines.filter((line) => queryWords(line).length > 0)
  const phrase: Phrase = (random) => known[random.int(0, known.length - 1)] ?? ""
  const start = cpuMillis()
  const view = build(phrase)
  const seconds = (cpuMillis() - start) / 1000
  console.log(
    `${path.parse(file).name}: ${known.length} phrases; built in ${seconds.toFixed(1)} s; ` +
      (["products", "ads"] as const)
        .map((kind) => {
          const { words } = view.segment[kind]
          return `words of ${kind} ${megabytes(bytesOf(view, kind))} MB, ${words.starts.length - 1} distinct`
        })
        .join("; ")
  )
  for (const subject of ["products", "ads"] as const) {
    for (const [kind, text] of Object.entries(kinds)) {
      const random = new Prng("languages", kind)
      const order = {
        _tag: "ByItem",
        column: subject === "products" ? "score" : "started",
        isDescending: true
      } as const
      const times: Array<number> = []
      let matches = 0
      let cpuBefore = 0
      for (let at = 0; at < queriesOfKind + warmUp; at++) {
        const words = wantedWords(text(phrase, random))
        if (at === warmUp) cpuBefore = cpuMillis()
        const before = performance.now()
        const { total } = search(
          [view],
          { subject, stores: [], words, order, offset: 0, limit: 25 },
          { check: () => {} }
        )
        if (at < warmUp) continue
        times.push(performance.now() - before)
        matches += total
      }
      console.log(
        `  ${subject}, ${kind}: ${Math.round(matches / queriesOfKind)} matches; ` +
          `CPU of a search ${((cpuMillis() - cpuBefore) / queriesOfKind).toFixed(2)} ms; ` +
          `p50 ${quantile(times, 0.5).toFixed(1)} ms, p95 ${quantile(times, 0.95).toFixed(1)}, max ${quantile(times, 1).toFixed(1)}`
      )
    }
  }
}

for (const file of process.argv.slice(2)) measure(file)
