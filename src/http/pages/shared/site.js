// Optional: every page works without scripts. Elements that need them are hidden until they run.

const copies = (button) => {
  const source = document.getElementById(button.dataset.copy)
  if (source === null) return
  const label = button.textContent
  let timer
  button.hidden = false
  const say = (text) => (button.textContent = text)
  const copy = async () => {
    clearTimeout(timer)
    try {
      // Exists only in secure contexts, and fails without permission.
      await navigator.clipboard.writeText(source.textContent)
      say(button.dataset.copied)
    } catch {
      getSelection().selectAllChildren(source)
      say(button.dataset.selected)
    }
    timer = setTimeout(say, 3000, label)
  }
  button.addEventListener("click", () => void copy())
}

for (const button of document.querySelectorAll("button[data-copy]")) copies(button)
// Of results that a search has put in place of others.
document.addEventListener("replaced", ({ target }) => {
  for (const button of target.querySelectorAll("button[data-copy]")) copies(button)
})

const folded = (text) => text.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase()

for (const input of document.querySelectorAll("input[data-filter]")) {
  const list = document.getElementById(input.dataset.filter)
  if (list === null) continue
  const items = Array.from(list.children, (item) => ({ item, text: folded(item.textContent) }))
  input.closest("[hidden]")?.removeAttribute("hidden")
  input.addEventListener("input", () => {
    const wanted = folded(input.value.trim())
    for (const { item, text } of items) item.hidden = !text.includes(wanted)
  })
  // Enter must not submit the surrounding form.
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") event.preventDefault()
  })
}

const moment = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" })

for (const time of document.querySelectorAll("time[data-local]")) {
  time.title = time.textContent
  time.textContent = moment.format(new Date(time.dateTime))
}
