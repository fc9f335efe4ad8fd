/** Form parts: a labeled field with its error and hint, and the summary of errors. */
import { html } from "./Html.ts"
import type { Html } from "./Html.ts"
import type { Locale } from "./Locale.ts"

export interface Field {
  readonly name: string
  readonly label: string
  readonly type: "text" | "email" | "password" | "url"
  /** As in the HTML standard, such as `current-password`. */
  readonly autocomplete: string
  readonly value?: string
  readonly hint?: string
  readonly error?: string | undefined
  readonly minLength?: number
  /** For the first field of a page without an introduction. */
  readonly autofocus?: boolean
}

export const field = (options: Field): Html => {
  const { error, hint, name } = options
  const described = [hint === undefined ? [] : `${name}-hint`, error === undefined ? [] : `${name}-error`].flat()
  return html` <div class="field">
    <label for="${name}">${options.label}</label>
    ${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`}
    ${error !== undefined && html`<p class="error" id="${name}-error">${error}</p>`}
    <input
      id="${name}"
      name="${name}"
      type="${options.type}"
      autocomplete="${options.autocomplete}"
      ${options.value !== undefined && html`value="${options.value}"`}
      ${options.minLength !== undefined && html`minlength="${options.minLength}"`}
      ${described.length > 0 && html`aria-describedby="${described.join(" ")}"`}
      ${error !== undefined && html`aria-invalid="true"`}
      ${options.type === "email" && html`autocapitalize="none" spellcheck="false"`}
      ${options.autofocus === true && html`autofocus`}
      required
    />
  </div>`
}

export interface Problem {
  readonly message: string
  /** The name of the field with the problem. */
  readonly field?: string
}

/**
 * The summary above a form. It takes the focus when the page opens, so that screen readers read it first even without
 * scripts.
 */
export const problemSummary = (problems: ReadonlyArray<Problem> = []): Html | undefined =>
  problems.length === 0
    ? undefined
    : html` <div class="problems" role="alert" tabindex="-1" autofocus>
        ${problems.map(({ field, message }) => html`<p>${field === undefined ? message : html`<a href="#${field}">${message}</a>`}</p>`)}
      </div>`

/** The error of one field, as {@link field} takes it. */
export const problemOf = (refused: Refusal | undefined, name: string): string | undefined =>
  refused?.problems.find((problem) => problem.field === name)?.message

/** The address by which an account is known at the sign-in. */
export const emailField = (
  { text }: Locale,
  refused: Refusal | undefined,
  more: Pick<Field, "value" | "hint" | "autofocus">
): Html =>
  field({
    name: "email",
    label: text("signIn.email"),
    type: "email",
    autocomplete: "username",
    error: problemOf(refused, "email"),
    ...more
  })

/** The current password. The hidden e-mail address lets password managers recognize the account. */
export const ownPassword = (options: {
  readonly name: string
  readonly label: string
  readonly email: string
  readonly refused: Refusal | undefined
}): Html => {
  const { email, refused, ...rest } = options
  const error = problemOf(refused, rest.name)
  return html`<input type="text" name="username" autocomplete="username" value="${email}" hidden />
    ${field({ ...rest, type: "password", autocomplete: "current-password", error })}`
}

/** A form that was not accepted: what is wrong, and how the response says so. */
export interface Refusal {
  readonly problems: ReadonlyArray<Problem>
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
}

export const refusal = (status: number, ...problems: ReadonlyArray<Problem>): Refusal => ({ problems, status })

/** `key` is the message, which says in how many minutes the form may be sent again. */
export const tooMany = (
  { retryAfterSeconds }: { readonly retryAfterSeconds: number },
  key: "mailLink.tooMany" | "password.tooMany" | "signIn.tooMany",
  { text }: Locale
): Refusal => ({
  problems: [{ message: text(key, { minutes: Math.ceil(retryAfterSeconds / 60) }) }],
  status: 429,
  headers: { "retry-after": String(retryAfterSeconds) }
})
