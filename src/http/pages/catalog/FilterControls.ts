/** The fields of a search's form, each as its argument is written (domain/search/SearchAddress.ts). */
import { defaults } from "../../../domain/search/Arguments.ts"
import type { Kind } from "../../../domain/search/SearchAddress.ts"
import type { Popular } from "../../../services/search/Vocabulary.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import { counted, hintOf, labelOf, noticeOf } from "./FilterField.ts"
import type { ArgumentName, Context, Named } from "./FilterField.ts"
import { list } from "./FilterList.ts"

/** Line breaks are lost in a field of one line, and with them where one word ends. */
const oneLine = (text: string): string => text.replaceAll(/[\r\n]+/gu, " ")

/** The id of the text that says what is searched. */
export const aboutWordsId = "query-about"

export const words = (context: Context): Html => {
  const { attributes, error } = noticeOf(context, "query")
  return html`<div>
    <label for="query" class="unseen">${context.locale.text("filter.names.query")}</label>
    ${error}
    <input
      type="search"
      id="query"
      name="query"
      autocomplete="off"
      value="${oneLine(context.typed.value("query") ?? "")}"
      ${attributes ?? html`aria-describedby="${aboutWordsId}"`}
    />
    <button
      type="button"
      class="key"
      hidden
      data-key="query"
      aria-label="${context.locale.text("search.key")}"
      title="${context.locale.text("search.key")}"
    >
      /
    </button>
  </div>`
}

/** The choices for numbers. */
const numbers: Readonly<Partial<Record<ArgumentName, ReadonlyArray<string>>>> = {
  per_page: ["10", "12", "18", "24"],
  niche_level: ["1", "2", "3", "4"],
  limit: ["10", "20", "50"]
}

const absent: Readonly<Partial<Record<ArgumentName, string>>> = {
  status: defaults.status,
  sort_by: defaults.sort_by,
  sort_order: defaults.sort_order,
  change_over: defaults.change_over
}

/** A choice among a few values. Another value of the address is an option too, so that sending the form does not lose it. */
export const choice = (context: Named): Html => {
  const { counts, kind, locale, name, typed } = context
  const { attributes, error } = noticeOf(context, name)
  const withCount = (value: string) => {
    const count = counts?.(name, value)
    return `${labelOf(locale, name, value)}${count === undefined ? "" : ` (${locale.number(count)})`}`
  }
  const values = kind._tag === "Choice" ? kind.values : (numbers[name] ?? [])
  const chosen = typed.value(name) ?? absent[name] ?? ""
  const all = values.includes(chosen) ? values : [...values, chosen]
  return html`<div>
    <label for="${name}">${locale.text(`filter.names.${name}`)}</label>
    ${error}
    <select id="${name}" name="${name}" ${attributes}>
      ${all.map((value) => html`<option value="${value}" ${value === chosen && html` selected`}>${withCount(value)}</option>`)}
    </select>
  </div>`
}

const part = (context: Named, field: string, label: string, type: "Text" | "Number"): Html => {
  const { name, typed } = context
  const { attributes } = noticeOf(context, field)
  const value = html`id="${field}" name="${field}" value="${typed.value(field) ?? ""}" autocomplete="off"${attributes}`
  if (type === "Text") {
    // A date field drops an invalid text, so that nobody would see what was typed.
    const isDay = attributes === undefined
    return html`<label>${label}<input type="${isDay ? "date" : "text"}" ${value} /></label>`
  }
  // Not of the type "number", for the same reason.
  const mode = name !== "traffic_growth_pct" && html` inputmode="decimal"`
  return html`<label
    ><span class="unseen">${label}</span><input type="text" placeholder="${label}" ${mode} ${value}
  /></label>`
}

const parts = (context: Named, kind: Extract<Kind, { readonly _tag: "Parts" }>, isAlone: boolean): Html => {
  const { locale, name } = context
  const { text } = locale
  const names = Object.entries(kind.parts)
  return html`<fieldset id="${name}">
    <legend${isAlone && html` class="unseen"`}>${text(`filter.names.${name}`)}</legend>
    ${hintOf(context)}${noticeOf(context, name).error}${names.map(([each]) => noticeOf(context, `${name}.${each}`).error).filter((error) => error !== undefined)}
    <div class="pair${names.some(([, type]) => type === "Text") && " days"}">
      ${names.map(([each, type], index) => part(context, `${name}.${each}`, index === 0 ? text("filter.from") : text("filter.to"), type))}
    </div>
  </fieldset>`
}

const flag = (context: Named): Html => {
  const { counts, locale, name, typed } = context
  const { attributes, error } = noticeOf(context, name)
  const checked = (typed.value(name) === "true" || error !== undefined) && html` checked`
  const input = html`<input type="checkbox" id="${name}" name="${name}" value="true" ${checked}${attributes} />`
  return html`<fieldset>
    ${error}
    <div class="options">
      <label>${input}${locale.text(`filter.names.${name}`)}${counted(counts?.(name, "true"), locale)}</label>
    </div>
  </fieldset>`
}

/** The field or fields of an argument; `isAlone` when what is around it has its name already. */
export const control = (context: Named & { readonly popular: Popular; readonly isAlone: boolean }): Html => {
  const { isAlone, kind } = context
  switch (kind._tag) {
    case "List":
      return list(context, isAlone)
    case "Parts":
      return parts(context, kind, isAlone)
    case "Flag":
      return flag(context)
    case "Text":
    case "Number":
    case "Choice":
      return choice(context)
  }
}
