// The form of a search applies itself (D119). Without this script its buttons do.

/**
 * Replaces the results, and the numbers beside the fields. The fields stay the same elements in the same order: what has the focus keeps
 * it, nothing moves, and input that came meanwhile is not lost.
 */
const follow = (form) => {
  const results = document.querySelector(".results")
  if (results === null) return
  const told = document.createElement("p")
  told.className = "unseen"
  told.setAttribute("role", "status")
  let shown = location.pathname + location.search
  let timer
  let asking

  const address = () => {
    const fields = Array.from(new FormData(form)).filter(([, value]) => value !== "")
    return `${form.getAttribute("action")}?${new URLSearchParams(fields)}`
  }

  const renumber = (next) => {
    const keyOf = (input) => `${input.name} ${input.value}`
    const numbers = new Map()
    for (const input of next.querySelectorAll(".options input")) numbers.set(keyOf(input), input.parentElement)
    for (const input of form.querySelectorAll(".options input")) {
      const number = numbers.get(keyOf(input))?.querySelector("span")?.textContent
      const own = input.parentElement.querySelector("span")
      if (number !== undefined && own !== null) own.textContent = number
    }
    const texts = (root) => Array.from(root.querySelectorAll("option, summary"))
    const latest = texts(next)
    const own = texts(form)
    if (latest.length !== own.length) return
    for (const [at, each] of own.entries()) each.replaceChildren(...latest[at].childNodes)
  }

  const show = (page) => {
    const next = page.querySelector(".results")
    const nextForm = page.querySelector("form[data-apply]")
    const href = results.contains(document.activeElement) ? document.activeElement.getAttribute("href") : undefined
    results.replaceChildren(...next.childNodes)
    renumber(nextForm)
    if (href !== undefined) {
      const same = Array.from(results.querySelectorAll("a")).find((link) => link.getAttribute("href") === href)
      const place = same ?? document.getElementById("main")
      place.focus({ preventScroll: true })
    }
    results.dispatchEvent(new Event("replaced", { bubbles: true }))
    form.append(told)
    told.textContent = results.querySelector(".total")?.textContent ?? ""
  }

  const apply = async (wanted) => {
    asking?.abort()
    const request = new AbortController()
    asking = request
    results.dataset.state = "old"
    try {
      const answer = await fetch(wanted, { signal: request.signal })
      const page = new DOMParser().parseFromString(await answer.text(), "text/html")
      request.signal.throwIfAborted()
      const isSearch = page.querySelector(".results") !== null && page.querySelector("form[data-apply]") !== null
      // A search that is refused, or the end of a session, is a page of its own.
      if (!answer.ok || !isSearch || document.querySelector(".problems") !== null) throw new Error("another page")
      const { pathname, search } = new URL(answer.url)
      if (pathname + search !== shown) history.pushState(null, "", pathname + search)
      shown = pathname + search
      show(page)
    } catch {
      if (!request.signal.aborted) location.assign(wanted)
      return
    }
    delete results.dataset.state
  }

  form.dataset.apply = "on"
  form.addEventListener("change", ({ target }) => {
    // The field that looks for a value in a list is no filter.
    if (target.name === "") return
    clearTimeout(timer)
    // Of now: what is typed next is not complete when the time is over.
    timer = setTimeout((wanted) => void apply(wanted), 300, address())
  })
  form.addEventListener("submit", () => {
    clearTimeout(timer)
    asking?.abort()
  })
  addEventListener("popstate", () => {
    if (location.pathname + location.search !== shown) location.reload()
  })
}

for (const form of document.querySelectorAll("form[data-apply]")) follow(form)

/** The key / moves to the search; its button turns that off for the page (WCAG 2.1.4: who speaks to a computer may say a slash). */
for (const button of document.querySelectorAll("button[data-key]")) {
  const field = document.getElementById(button.dataset.key)
  if (field === null) continue
  let isOn = true
  const set = (on) => {
    isOn = on
    button.setAttribute("aria-pressed", String(on))
    if (on) field.setAttribute("aria-keyshortcuts", "/")
    else field.removeAttribute("aria-keyshortcuts")
  }
  set(true)
  button.hidden = false
  button.addEventListener("click", () => set(!isOn))
  document.addEventListener("keydown", (event) => {
    const { altKey, ctrlKey, key, metaKey, target } = event
    if (key !== "/" || altKey || ctrlKey || metaKey || !isOn) return
    if (target instanceof Element && target.closest("input, select, textarea, [contenteditable]") !== null) return
    event.preventDefault()
    field.focus()
    field.select()
  })
}
