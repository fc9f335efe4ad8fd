/** The last calls of an account: a table, what it is filtered by, and the way to older ones. */
import type { CallerId, NamedCaller } from "../../../services/access/CallerNames.ts"
import type { CallChoices, CallsPage, RecordedCall } from "../../../services/access/CallHistory.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import type { Locale } from "../shared/Locale.ts"
import { select } from "../shared/Select.ts"
import * as UsageAddress from "./UsageAddress.ts"
import type { UsageView } from "./UsageAddress.ts"
import type { UsageText } from "./UsageText.ts"

/** Where the links and the form of this part lead back to. */
const anchor = "calls"

export const addressOf = (view: UsageView): string => `${UsageAddress.format(view)}#${anchor}`

const nameOf = ({ id, kind, name }: NamedCaller, text: UsageText): string =>
  name ?? (kind === "api_key" ? text.unnamedKey(id) : text.unnamedApp(id))

/** The name, and the last characters that tell a key from others of the same name. Names of apps are third-party text. */
export const labelOf = (caller: NamedCaller, text: UsageText): Html =>
  html`<bdi>${nameOf(caller, text)}</bdi>${caller.lastFour !== null && html` <small>…${caller.lastFour}</small>`}`

interface Choice {
  readonly value: string
  readonly label: string
}

const filter = (
  options: {
    readonly name: string
    readonly label: string
    readonly choices: ReadonlyArray<Choice>
    /** One that is not among the choices is shown as well: the page is filtered by it all the same. */
    readonly chosen: Choice | undefined
  },
  text: UsageText
): Html => {
  const { choices, chosen, label, name } = options
  const isKnown = chosen === undefined || choices.some(({ value }) => value === chosen.value)
  const shown = isKnown ? choices : [chosen, ...choices]
  return select({
    id: `calls-${name}`,
    name,
    label,
    chosen: chosen?.value,
    options: [{ value: "", label: text.any }, ...shown]
  })
}

const same = (value: string): Choice => ({ value, label: value })

const filterForm = (view: UsageView, choices: CallChoices, text: UsageText): Html => {
  const { caller, outcome, tool } = view.filter
  const callers = choices.callers.map((each) => ({
    value: UsageAddress.wordOf(each),
    label: each.lastFour === null ? nameOf(each, text) : `${nameOf(each, text)} …${each.lastFour}`
  }))
  const chosen = (id: CallerId): Choice => ({
    value: UsageAddress.wordOf(id),
    label: nameOf({ ...id, name: null, lastFour: null, isEnded: true }, text)
  })
  return html`<form class="call-filter" method="get" action="${UsageAddress.usagePath}#${anchor}">
    ${view.span !== UsageAddress.usualSpan && html`<input type="hidden" name="span" value="${view.span}" />`}
    ${filter(
      {
        name: "tool",
        label: text.tool,
        choices: choices.tools.map(same),
        chosen: tool === undefined ? undefined : same(tool)
      },
      text
    )}
    ${filter(
      {
        name: "outcome",
        label: text.outcome,
        choices: choices.outcomes.map(same),
        chosen: outcome === undefined ? undefined : same(outcome)
      },
      text
    )}
    ${filter(
      { name: "who", label: text.who, choices: callers, chosen: caller === undefined ? undefined : chosen(caller) },
      text
    )}
    <button type="submit" class="secondary">${text.filter}</button>
  </form>`
}

const row = (call: RecordedCall, locale: Locale, text: UsageText): Html =>
  html`<tr>
    <td class="moment">${locale.dateTime(call.at)}</td>
    <td><code>${call.tool}</code></td>
    <td>${labelOf(call.caller, text)}</td>
    <td><span class="badge ${call.outcome === "ok" ? "good" : "bad"}">${call.outcome}</span></td>
    <td class="figure">${locale.number(call.credits)}</td>
    <td class="figure">${text.milliseconds(locale.number(call.durationMillis))}</td>
    <td><code class="request">${call.requestId}</code></td>
  </tr>`

const table = (calls: ReadonlyArray<RecordedCall>, locale: Locale, text: UsageText): Html =>
  html`<div class="table" role="region" aria-label="${text.lastCalls}" tabindex="0">
    <table class="calls">
      <thead>
        <tr>
          <th scope="col">${text.time}</th>
          <th scope="col">${text.tool}</th>
          <th scope="col">${text.who}</th>
          <th scope="col">${text.outcome}</th>
          <th scope="col" class="figure">${text.credits}</th>
          <th scope="col" class="figure">${text.duration}</th>
          <th scope="col">${text.requestId}</th>
        </tr>
      </thead>
      <tbody>
        ${calls.map((call) => row(call, locale, text))}
      </tbody>
    </table>
  </div>`

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
  locale: Locale,
  text: UsageText
): Html => {
  const isFiltered = UsageAddress.isFiltered(view.filter)
  const nothing = view.before === undefined ? text.noMatch : text.noneOlder
  const ways = [
    ...(view.before === undefined
      ? []
      : [html`<a href="${addressOf({ ...view, before: undefined })}">${text.newer}</a>`]),
    ...(older === undefined
      ? []
      : [html`<a href="${addressOf({ ...view, before: older })}" rel="next">${text.older}</a>`])
  ]
  return html`<section class="panel" id="${anchor}">
    <h2>${view.before === undefined ? text.lastCalls : text.olderCalls}</h2>
    ${filterForm(view, choices, text)}
    ${isFiltered && html`<p><a href="${addressOf({ ...view, filter: {}, before: undefined })}">${text.clear}</a></p>`}
    ${calls.length === 0 ? html`<p class="empty">${nothing}</p>` : table(calls, locale, text)}
    ${ways.length > 0 && html`<p class="beside">${ways}</p>`}
    <p class="aside">${text.kept(keptDays)}</p>
  </section>`
}
