/** The actions for a search that was made: saving it, and exporting its results. */
import { Option } from "effect"
import { ExportFormat } from "../../../services/search/ExportFile.ts"
import * as Page from "../../../domain/search/Page.ts"
import * as SearchAddress from "../../../domain/search/SearchAddress.ts"
import { maxNameCharacters } from "../../../domain/search/SavedSearch.ts"
import type { SearchSubject } from "../../../domain/search/SavedSearch.ts"
import type { SearchKey } from "../../../services/accounts/SavedSearches.ts"
import * as Csrf from "../shared/Csrf.ts"
import { field } from "../shared/Fields.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import { sections } from "../shared/Layout.ts"
import type { SignedIn } from "../shared/Visitors.ts"

export const searchesPath = sections.searches

export const searchPath = ({ query, subject }: SearchKey): string =>
  query === "" ? sections[subject] : `${sections[subject]}?${query}`

export const exportPath = (subject: SearchSubject, format: ExportFormat) =>
  `${sections[subject]}/export.${format}` as const

/** The address of a search's file, which has no pages. */
const fileHref = ({ query, subject }: SearchKey, format: ExportFormat): string => {
  const pairs = SearchAddress.parse(query).filter(([name]) => name !== "per_page")
  return `${exportPath(subject, format)}${pairs.length === 0 ? "" : `?${SearchAddress.toQuery(pairs)}`}`
}

export interface NameForm {
  readonly action: string
  readonly button: string
  readonly hidden?: Readonly<Record<string, string | number>>
  readonly name?: string
  readonly error?: string | undefined
}

/** Also used on the page that is shown when a name was refused. */
export const nameForm = (visitor: SignedIn, { action, button, error, hidden, name = "" }: NameForm): Html => {
  const { text } = visitor.locale
  return html`<form method="post" action="${action}" class="one-line">
    ${Csrf.hidden(visitor, hidden)}
    ${field({
      name: "name",
      label: text("saved.name"),
      hint: text("saved.nameHint", { most: maxNameCharacters }),
      type: "text",
      autocomplete: "off",
      value: name,
      error
    })}
    <button type="submit">${button}</button>
  </form>`
}

export const searchActions = (options: {
  readonly visitor: SignedIn
  readonly search: SearchKey
  /** The mark of the catalog when the search was made (NewResults). */
  readonly mark: number
  /** The name of the search, if it is saved. */
  readonly saved: Option.Option<string>
  readonly total: number
}): Html => {
  const { mark, saved, search, total, visitor } = options
  const { locale } = visitor
  const { text } = locale
  // A search that was just saved can be mailed from there.
  const all = html`<a href="${searchesPath}"
    >${text(Option.isSome(saved) ? "saved.headingAndAlerts" : "saved.heading")}</a
  >`
  return html`<div class="search-actions">
    <ul>
      ${
        Option.isSome(saved) &&
        html`<li class="saved-as">${locale.html("saved.savedAs", { name: html`<bdi>${saved.value}</bdi>` })}</li>`
      }
      <li>${all}</li>
      ${
        total > 0 &&
        html`<li>
          ${text("saved.export", { most: Page.lastPage * Page.maxPerPage })}
          ${ExportFormat.literals.map(
            (format) =>
              html`<a
                href="${fileHref(search, format)}"
                download
                aria-label="${text("saved.exportAs", { format: format.toUpperCase() })}"
                >${format.toUpperCase()}</a
              > `
          )}
        </li>`
      }
    </ul>
    ${
      Option.isNone(saved) &&
      html`<details class="save">
        <summary>${text("saved.save")}</summary>
        ${nameForm(visitor, { action: searchesPath, hidden: { ...search, mark }, button: text("saved.button") })}
      </details>`
    }
  </div>`
}
