/** A self-signed certificate for one test, so that the repository has no private key. */
import { generateKeyPairSync, sign } from "node:crypto"
import { isIPv4 } from "node:net"

const der = (tag: number, ...contents: ReadonlyArray<Uint8Array>): Buffer => {
  const content = Buffer.concat(contents)
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

const sequence = (...contents: ReadonlyArray<Uint8Array>) => der(0x30, ...contents)
const oid = (...bytes: ReadonlyArray<number>) => der(0x06, Buffer.from(bytes))
const time = (text: string) => der(0x17, Buffer.from(text))

const ecdsaWithSha256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02))

/** PEM texts for a host name or an IPv4 address. Valid from 2020 to 2049. */
export const make = (name: string): { readonly cert: string; readonly key: string } => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const subject = sequence(der(0x31, sequence(oid(0x55, 0x04, 0x03), der(0x0c, Buffer.from(name)))))
  const names = sequence(
    isIPv4(name) ? der(0x87, Buffer.from(name.split(".").map(Number))) : der(0x82, Buffer.from(name))
  )
  const extensions = sequence(
    sequence(oid(0x55, 0x1d, 0x11), der(0x04, names)),
    sequence(oid(0x55, 0x1d, 0x13), der(0x01, Buffer.from([0xff])), der(0x04, sequence(der(0x01, Buffer.from([0xff])))))
  )
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    ecdsaWithSha256,
    subject,
    sequence(time("200101000000Z"), time("491231235959Z")),
    subject,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, extensions)
  )
  const signature = der(0x03, Buffer.from([0]), sign("sha256", body, privateKey))
  const base64 = sequence(body, ecdsaWithSha256, signature).toString("base64")
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${base64.replaceAll(/.{64}/g, "$&\n")}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" })
  }
}
