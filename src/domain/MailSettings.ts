/** What the server needs to send mails. */
import { Schema } from "effect"

/** Links with secrets are sent there. Settings besides host, port and password are the server's own. */
export const MailServer = Schema.String.check(
  Schema.makeFilter(
    (text: string) => {
      const url = URL.parse(text)
      return (
        url !== null &&
        /^smtps?:$/u.test(url.protocol) &&
        url.hostname !== "" &&
        /^\/?$/u.test(url.pathname) &&
        url.search === "" &&
        url.hash === ""
      )
    },
    { expected: "an address such as smtps://user:password@mail.example.com:465, without path and query" }
  )
)

/** What a mail says who it is from. */
export interface Sender {
  readonly name: string
  readonly address: string
}

export const senderOf = (text: string): Sender | undefined => {
  const [, name = "", inBrackets, alone] =
    /^(?:([^<>@"\p{Cc}]{0,100})<([^\s<>@,;:"]+@[^\s<>@,;:"]+)>|([^\s<>@,;:"]+@[^\s<>@,;:"]+))$/u.exec(text.trim()) ?? []
  const address = inBrackets ?? alone
  return address === undefined ? undefined : { name: name.trim() === "" ? "Discovery" : name.trim(), address }
}

export const MailSender = Schema.String.check(
  Schema.makeFilter((text: string) => senderOf(text) !== undefined, {
    expected: "an e-mail address, or a name and an address such as Discovery <no-reply@example.com>"
  })
)
