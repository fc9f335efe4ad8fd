/**
 * Addresses of the pictures of the demo data (D61). A record has one under a host that cannot exist (RFC 2606). Answers and
 * pages have one under this server, which draws it: a catalog outlives the `BASE_URL` under which it was loaded. That of an ad
 * has only the ad's key, which answers have anyway, so that it costs agents fewer tokens.
 */
import type { MediaType } from "./Enumerations.ts"

/** The name of the demo data among the sources of the catalog. */
export const source = "demo"

export const kinds = ["products", "ads"] as const
export type Kind = (typeof kinds)[number]

/** What a picture of an ad is drawn with, besides its name. */
export interface AdWords {
  readonly headline: string | null
  readonly pageName: string
  readonly mediaType: MediaType
}

const host = "https://images.discovery.example"

/** Has the version of the drawings: browsers keep a picture for a year. */
export const root = "/demo/v1"

const pictures = /^\/demo\/v1\/(?:products\/[a-z0-9-]{1,80}|ads\/\d{1,20})\.svg$/u

/** How addresses of this kind begin in records. */
export const prefixOf = (kind: Kind): string => `${host}/${kind}/`

/** In a record. */
export const addressOf = (kind: Kind, name: string): string => `${prefixOf(kind)}${name}.svg`

/** The name in an address of {@link addressOf}. */
export const nameOf = (kind: Kind, address: string): string => address.slice(prefixOf(kind).length, -".svg".length)

/** The name of an ad's picture ends in the key of its record. */
const nameOfAd = /(?<=\/ads\/)[a-z0-9-]*-(?=\d+\.svg$)/u

/** In an answer: other addresses stay as they are. */
export const served =
  ({ baseUrl }: { readonly baseUrl: string }) =>
  (address: string): string =>
    address.startsWith(`${host}/`) ? baseUrl + root + address.slice(host.length).replace(nameOfAd, "") : address

/** As {@link served}, for the origins that a policy names. */
export const servedOrigin =
  ({ baseUrl }: { readonly baseUrl: string }) =>
  (origin: string): string =>
    origin === host ? baseUrl : origin

/** Whether the path of an address is one of a picture. */
export const isPath = (path: string): boolean => pictures.test(path)
