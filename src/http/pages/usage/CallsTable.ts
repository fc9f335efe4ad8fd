/** The latest calls of an account: a table, its filters, and the link to older calls. */
import type { CallerId, NamedCaller } from "../../../services/credits/CallerNames.ts"
import type { CallChoices, CallsPage, RecordedCall } from "../../../services/credits/CallHistory.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import type { Locale } from "../shared/Locale.ts"
import { select } from "../shared/Select.ts"
import { tableOf } from "../shared/Table.ts"
import * as UsageAddress from "./UsageAddress.ts"
import type { UsageView } from "./UsageAddress.ts"

/** The fragment that the links and the form of this part return to. */
const anchor = "calls"

export const addressOf = (view: UsageView): string => `${UsageAddress.format(view)}#${anchor}`

const nameOf = ({ id, kind, name }: NamedCaller, locale: Locale): string =>
  name ?? (kind === "api_key" ? locale.text("usage.unnamedKey", { id }) : locale.text("usage.unnamedApp", { id }))

/** The name, and for a key its last characters, because names are not unique. Names of apps are third-party text. */
export const labelOf = (caller: NamedCaller, locale: Locale): Html =>
  html`<bdi>${nameOf(caller, locale)}</bdi>${caller.lastFour !== null && html` <small>…${caller.lastFour}</small>`}`

interface Choice {
  readonly value: string
  readonly label: string
}

const same = (value: string): Choice => ({ value, label: value })

const filterForm = (view: UsageView, choices: CallChoices, locale: Locale): Html => {
  const { caller, outcome, tool } = view.filter
  const callers = choices.callers.map((each) => ({
    value: UsageAddress.wordOf(each),
    label: each.lastFour === null ? nameOf(each, locale) : `${nameOf(each, locale)} …${each.lastFour}`
  }))
  const callerOf = (id: CallerId): Choice => ({
    value: UsageAddress.wordOf(id),
    label: nameOf({ ...id, name: null, lastFour: null, isEnded: true }, locale)
  })
  /** `chosen` is displayed even if it is not among the choices, because the filter is active. */
  const filter = (name: "tool" | "outcome" | "who", all: ReadonlyArray<Choice>, chosen: Choice | undefined) => {
    const isKnown = chosen === undefined || all.some(({ value }) => value === chosen.value)
    const any = { value: "", label: locale.text("usage.any") }
    return select({
      id: `calls-${name}`,
      name,
      label: locale.text(`usage.${name}`),
      chosen: chosen?.value,
      options: [any, ...(isKnown ? [] : [chosen]), ...all]
    })
  }
  return html`<form class="call-filter" method="get" action="${UsageAddress.usagePath}#${anchor}">
    ${view.span !== UsageAddress.usualSpan && html`<input type="hidden" name="span" value="${view.span}" />`}
    ${filter("tool", choices.tools.map(same), tool === undefined ? undefined : same(tool))}
    ${filter("outcome", choices.outcomes.map(same), outcome === undefined ? undefined : same(outcome))}
    ${filter("who", callers, caller === undefined ? undefined : callerOf(caller))}
    <button type="submit" class="secondary">${locale.text("usage.filter")}</button>
  </form>`
}

export const outcomeBadge = ({ outcome }: RecordedCall): Html =>
  html`<span class="badge ${outcome === "ok" ? "good" : "bad"}">${outcome}</span>`

const callsTable = (calls: ReadonlyArray<RecordedCall>, locale: Locale): Html => {
  const { dateTime, number, text } = locale
  return tableOf<RecordedCall>({
    label: text("usage.lastCalls"),
    kind: "calls",
    items: calls,
    columns: [
      [text("usage.time"), ({ at }) => dateTime(at), "moment"],
      [text("usage.tool"), ({ tool }) => html`<code>${tool}</code>`],
      [text("usage.who"), ({ caller }) => labelOf(caller, locale)],
      [text("usage.outcome"), outcomeBadge],
      [text("usage.credits"), ({ credits }) => number(credits), "figure"],
      [text("usage.duration"), ({ durationMillis: count }) => text("usage.milliseconds", { count }), "figure"],
      [text("usage.requestId"), ({ requestId }) => html`<code class="request">${requestId}</code>`]
    ]
  })
}

export const lastCalls = (
  {
    calls: { calls, older },
    choices,
    keptDays,
    view
  }: {
    readonly calls: CallsPage
    readonly choices: CallChoices
    readonly keptDays: number
    readonly view: UsageView
  },
  locale: Locale
): Html => {
  const isFiltered = UsageAddress.isFiltered(view.filter)
  const nothing = view.before === undefined ? locale.text("usage.noMatch") : locale.text("usage.noneOlder")
  const ways = [
    ...(view.before === undefined
      ? []
      : [html`<a href="${addressOf({ ...view, before: undefined })}">${locale.text("usage.newer")}</a>`]),
    ...(older === undefined
      ? []
      : [html`<a href="${addressOf({ ...view, before: older })}" rel="next">${locale.text("usage.older")}</a>`])
  ]
  return html`<section class="panel" id="${anchor}">
    <h2>${view.before === undefined ? locale.text("usage.lastCalls") : locale.text("usage.olderCalls")}</h2>
    ${filterForm(view, choices, locale)}
    ${isFiltered && html`<p><a href="${addressOf({ ...view, filter: {}, before: undefined })}">${locale.text("usage.clear")}</a></p>`}
    ${calls.length === 0 ? html`<p class="empty">${nothing}</p>` : callsTable(calls, locale)}
    ${ways.length > 0 && html`<p class="beside">${ways}</p>`}
    <p class="aside">${locale.text("usage.kept", { days: keptDays })}</p>
  </section>`
}
