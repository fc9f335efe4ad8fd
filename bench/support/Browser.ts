/** A visitor of the pages, who signs in by their forms and keeps cookies. */
import { Authenticator } from "../../test/support/Authenticator.ts"

export class Browser {
  readonly #url: string
  readonly #cookies = new Map<string, string>()
  #token = ""

  constructor(url: string) {
    this.#url = url
  }

  get headers() {
    const cookie = Array.from(this.#cookies, ([name, value]) => `${name}=${value}`).join("; ")
    return { cookie, "sec-fetch-site": "same-origin" }
  }

  /** The body of a form, with the CSRF token of the last page. */
  formOf(fields: string): string {
    return `form_token=${encodeURIComponent(this.#token)}&${fields}`
  }

  async open(path: string): Promise<void> {
    await this.#keep(await fetch(this.#url + path, { redirect: "manual", headers: this.headers }))
  }

  async signIn(email: string, password: string): Promise<void> {
    await this.open("/sign-in")
    await this.submit("/sign-in", { email, password }, 303)
    // A page with a form, for the CSRF token of the new session.
    await this.open("/dashboard/account/password")
  }

  /** Adds the first passkey of an operator by an enrollment code, and confirms the session by it. */
  async usePasskey(code: string): Promise<void> {
    const authenticator = new Authenticator(this.#url)
    const account = "/dashboard/account"
    const creation = await this.submit(`${account}/passkeys/challenge`, { code }, 200)
    const credential = authenticator.create(creation)
    await this.submit(`${account}/passkeys`, { name: "bench", credential, code }, 303)
    const request = await this.submit(`${account}/confirm/passkey/challenge`, {}, 200)
    await this.submit(`${account}/confirm/passkey`, { credential: authenticator.answer(request) }, 303)
  }

  /** Sends a form, and returns the body of its answer, which must have this status. */
  async submit(path: string, fields: Readonly<Record<string, string>>, status: number): Promise<string> {
    const response = await fetch(this.#url + path, {
      method: "POST",
      redirect: "manual",
      headers: { ...this.headers, "content-type": "application/x-www-form-urlencoded" },
      body: this.formOf(new URLSearchParams(fields).toString())
    })
    if (response.status !== status) throw new Error(`${path}: ${response.status}`)
    return this.#keep(response)
  }

  async #keep(response: Response): Promise<string> {
    for (const line of response.headers.getSetCookie()) {
      const [pair = "", ...attributes] = line.split(/;\s*/u)
      const [name = "", value = ""] = pair.split("=")
      if (attributes.includes("Max-Age=0")) this.#cookies.delete(name)
      else this.#cookies.set(name, value)
    }
    const text = await response.text()
    this.#token = /name="form_token" value="([^"]*)"/u.exec(text)?.[1] ?? this.#token
    return text
  }
}
