/** The niches that records of a batch may refer to. */
import type { NicheRecord } from "../../domain/catalog/Records.ts"
import { issueAt } from "../../domain/ArgumentIssue.ts"
import type { ArgumentIssue } from "../../domain/ArgumentIssue.ts"

type Niche = Omit<NicheRecord, "type">

export class NicheTree {
  readonly #niches = new Map<number, Niche>()
  /** By names in lower case, as the table's unique index has them. The form of searches, `foldName`, keeps some of these apart. */
  readonly #idOfName = new Map<string, number>()

  constructor(stored: Iterable<Niche>) {
    for (const niche of stored) this.#set(niche)
  }

  has(id: number): boolean {
    return this.#niches.has(id)
  }

  /** Adds or changes a niche. Its parent must be known and not below it, and its name unique. */
  add(niche: Niche): ArgumentIssue | undefined {
    const { id, name, parent_id } = niche
    if (parent_id !== null && !this.has(parent_id) && parent_id !== id) {
      return issueAt("parent_id", "niche_parent_unknown", { parent: parent_id })
    }
    if (parent_id !== null && this.#isAtOrBelow(parent_id, id)) {
      return issueAt("parent_id", "niche_cycle", { parent: parent_id, niche: id })
    }
    const namesake = this.#idOfName.get(name.toLowerCase())
    if (namesake !== undefined && namesake !== id) {
      return issueAt("name", "niche_name_taken", { other: namesake })
    }
    this.#set(niche)
    return undefined
  }

  #set(niche: Niche): void {
    const before = this.#niches.get(niche.id)
    if (before !== undefined) this.#idOfName.delete(before.name.toLowerCase())
    this.#niches.set(niche.id, niche)
    this.#idOfName.set(niche.name.toLowerCase(), niche.id)
  }

  #isAtOrBelow(id: number, ancestor: number): boolean {
    for (
      let at: number | null | undefined = id;
      at !== null && at !== undefined;
      at = this.#niches.get(at)?.parent_id
    ) {
      if (at === ancestor) return true
    }
    return false
  }
}
