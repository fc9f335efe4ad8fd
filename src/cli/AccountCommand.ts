/** `discovery account ...`: manages accounts (D8). */
import { Effect, Option, Redacted, Stdio, Stream } from "effect"
import { Argument, Command, Flag, Prompt } from "effect/cli"
import { AppConfig } from "../Config.ts"
import { plans, roles, subscriptionStatuses } from "../domain/access/Account.ts"
import { InvalidAccountDetail } from "../services/accounts/AccountDetails.ts"
import { AccountLinks } from "../services/accounts/AccountLinks.ts"
import { Accounts } from "../services/accounts/Accounts.ts"
import type { AccountRecord } from "../services/accounts/AccountRecord.ts"
import { Passwords } from "../services/sessions/Passwords.ts"
import { availableOnce } from "../services/database/Availability.ts"
import * as ServerAddress from "../services/database/ServerAddress.ts"
import { linkTo } from "../services/mail/Letter.ts"
import * as Output from "./Output.ts"
import { oneOf, withDefault } from "./CommandParameters.ts"
import { asUserError } from "./UserErrors.ts"
import type { CommandFailure } from "./UserErrors.ts"

export const email = Argument.String("email").pipe(Argument.withDescription("E-mail address of the account"))

export const accountOf = (email: string) => Effect.flatMap(Accounts, (accounts) => accounts.find(email))

/** Not an argument: other users of the machine and the shell history would see it. */
const passwordFrom = Flag.Literals("password", ["link", "prompt", "stdin"]).pipe(
  withDefault("Who sets the password: the owner by a link that is printed, or you here", "link")
)

/** Chunks of standard input that are read at most; the password is in the first. */
const maxParts = 64

const readPassword = Effect.fnUntraced(function* (from: "link" | "prompt" | "stdin") {
  // Nobody knows it.
  if (from === "link") return yield* Effect.flatMap(Passwords, ({ generate }) => generate)
  if (from === "prompt") {
    const first = yield* Prompt.run(Prompt.Password({ message: "New password" }))
    const second = yield* Prompt.run(Prompt.Password({ message: "The same again" }))
    return Redacted.value(first) === Redacted.value(second)
      ? first
      : yield* new InvalidAccountDetail({ message: "The two passwords differ. Nothing was changed." })
  }
  const stdio = yield* Stdio.Stdio
  const text = yield* stdio.stdin.pipe(Stream.decodeText(), Stream.take(maxParts), Stream.mkString)
  return Redacted.make(text.replace(/\r?\n$/u, ""))
})

/** As the mail of a password reset has it. */
const tellLink = Effect.fnUntraced(function* (from: "link" | "prompt" | "stdin", email: string) {
  if (from !== "link") return
  const config = yield* AppConfig
  const links = yield* AccountLinks
  const made = yield* availableOnce(links.make({ purpose: "reset", email }))
  if (Option.isNone(made)) return
  // The server may have its address from an environment that this command does not have.
  const server = config.hasBaseUrl ? Option.none() : yield* availableOnce(ServerAddress.last)
  const link = linkTo(
    Option.getOrElse(server, () => config.baseUrl),
    "reset",
    made.value.secret
  )
  yield* Output.line(`link  ${link}   (sets the password, once, within 30 minutes; shown this once)`)
})

/** Written with the change; no command waits for the mail server. */
const tellMail = (email: string) => Output.line(`mail  ${email} is told of it, by a server that runs or the next one`)

/** Such as `    7  ada@example.com  growth  active  12/2000 credits used until 2026-04-10`. */
const line = ({ credits, email, id, plan, role, status }: AccountRecord): string =>
  [
    String(id).padStart(5),
    email,
    plan,
    status,
    credits === null ? "no credits" : `${credits.used}/${credits.allowance} credits used until ${credits.periodEnd}`,
    ...(role === "customer" ? [] : [role])
  ].join("  ")

/** Prints the account as it is after the change. */
const change = <E extends CommandFailure>(run: (accounts: Accounts["Service"]) => Effect.Effect<AccountRecord, E>) =>
  Effect.flatMap(Accounts, run).pipe(
    Effect.flatMap((account) => Output.line(line(account))),
    asUserError
  )

const create = Command.make(
  "create",
  {
    email,
    plan: Flag.Literals("plan", plans).pipe(withDefault("The plan", "starter")),
    status: Flag.Literals("status", subscriptionStatuses).pipe(withDefault("Status of the subscription", "active")),
    beganOn: Flag.String("began-on").pipe(
      Flag.withDescription("Day that the subscription began, YYYY-MM-DD (UTC); default: today"),
      Flag.optional
    ),
    password: passwordFrom
  },
  (options) =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const password = yield* readPassword(options.password)
      const account = yield* accounts.create({
        email: options.email,
        plan: options.plan,
        status: options.status,
        password,
        ...(Option.isSome(options.beganOn) ? { beganOn: options.beganOn.value } : {})
      })
      yield* Output.line(line(account))
      yield* tellLink(options.password, account.email)
    }).pipe(asUserError)
).pipe(Command.withDescription("Make an account"))

const list = Command.make("list", {}, () =>
  Effect.flatMap(Accounts, (accounts) =>
    accounts.list.pipe(
      Stream.runForEach((account) => Output.line(line(account))),
      asUserError
    )
  )
).pipe(Command.withDescription("List the accounts"))

const setPlan = Command.make("set-plan", { email, plan: oneOf("plan", plans, "The plan") }, ({ email, plan }) =>
  change((accounts) => accounts.setPlan(email, plan))
).pipe(Command.withDescription("Change the plan; the allowance of the current period follows"))

const status = oneOf("status", subscriptionStatuses, "Status of the subscription")

const setStatus = Command.make("set-status", { email, status }, ({ email, status }) =>
  change((accounts) => accounts.setStatus(email, status))
).pipe(Command.withDescription("Change the status of the subscription; keys are kept"))

/** What an operator signs in with: a code for the first passkey, or the passkeys that were added by the password alone. */
const tellEnrollment = Effect.fnUntraced(function* (email: string) {
  const found = yield* Effect.flatMap(Accounts, (accounts) => accounts.enroll(email))
  yield* Output.line(
    typeof found === "number"
      ? `passkeys  ${found}   (they lead to operators' pages: ask the owner whether they are all known, or reset them)`
      : `code  ${Redacted.value(found)}   (for the first passkey, on the account page, within 30 minutes; shown this once)`
  )
})

const enroll = Command.make("enroll", { email }, ({ email }) => asUserError(tellEnrollment(email))).pipe(
  Command.withDescription("Make a code with which an operator adds the first passkey")
)

const setRole = Command.make(
  "set-role",
  {
    email,
    role: oneOf("role", roles, "operator: sees all accounts in the dashboard and sets their plan and status")
  },
  ({ email, role }) =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      yield* Output.line(line(yield* accounts.setRole(email, role)))
      if (role === "operator") yield* tellEnrollment(email)
    }).pipe(asUserError)
).pipe(Command.withDescription("Make an account an operator's, or a customer's again; at once"))

const grant = Command.make(
  "grant",
  {
    email,
    credits: Argument.Int("credits").pipe(Argument.withDescription("Credits to add to the current period, 1 or more")),
    note: Flag.String("note").pipe(Flag.withDescription("Why; kept in the ledger; default: no note"), Flag.optional)
  },
  ({ credits, email, note }) => change((accounts) => accounts.grant(email, credits, Option.getOrUndefined(note)))
).pipe(Command.withDescription("Grant credits"))

const resetPassword = Command.make("reset-password", { email, password: passwordFrom }, (options) =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const password = yield* readPassword(options.password)
    const account = yield* accounts.resetPassword(options.email, password)
    yield* Output.line(line(account))
    yield* tellLink(options.password, account.email)
    yield* tellMail(account.email)
  }).pipe(asUserError)
).pipe(Command.withDescription("Set a new password"))

const resetPasskeys = Command.make("reset-passkeys", { email }, ({ email }) =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const account = yield* accounts.resetPasskeys(email)
    yield* Output.line(line(account))
    yield* tellMail(account.email)
    if (account.role === "operator") yield* tellEnrollment(email)
  }).pipe(asUserError)
).pipe(
  Command.withDescription(
    "Remove passkeys, second step and recovery codes, for an owner who has lost them; ends all sessions"
  )
)

export const accountCommand = Command.make("account").pipe(
  Command.withDescription("Accounts: make, list and change them"),
  Command.withSubcommands([create, list, setPlan, setStatus, setRole, grant, resetPassword, resetPasskeys, enroll])
)
