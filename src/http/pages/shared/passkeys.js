// Forms with `data-passkey` send what a passkey answers to a challenge of the server. They are hidden without this script, and in
// browsers without passkeys; what is shown instead has `data-no-passkeys`.

const passkeys = globalThis.PublicKeyCredential
const isSupported =
  typeof passkeys?.parseCreationOptionsFromJSON === "function" &&
  typeof passkeys.parseRequestOptionsFromJSON === "function"

const answerTo = (form, options) =>
  form.dataset.passkey === "create"
    ? navigator.credentials.create({ publicKey: passkeys.parseCreationOptionsFromJSON(options) })
    : navigator.credentials.get({ publicKey: passkeys.parseRequestOptionsFromJSON(options) })

const send = async (form) => {
  const body = new URLSearchParams(new FormData(form))
  const response = await fetch(form.dataset.challenge, { method: "POST", body })
  // The page says by a redirect that the password, or a sign-in, is needed first.
  if (response.redirected) return location.assign(response.url)
  if (!response.ok) throw new Error(`status ${response.status}`)
  form.elements.credential.value = JSON.stringify(await answerTo(form, await response.json()))
  // Without another event.
  form.submit()
}

for (const form of isSupported ? document.querySelectorAll("form[data-passkey]") : []) {
  const problem = form.querySelector("[role=alert]")
  const button = form.querySelector("button")
  form.hidden = false
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    problem.hidden = true
    button.disabled = true
    send(form).catch((error) => {
      button.disabled = false
      const { canceled, failed, known } = form.dataset
      problem.textContent =
        error.name === "NotAllowedError" ? canceled : error.name === "InvalidStateError" ? known : failed
      problem.hidden = false
    })
  })
}

for (const element of isSupported ? document.querySelectorAll("[data-no-passkeys]") : []) element.hidden = true
