/**
 * Addresses of pages of the stores of the demo data (D61). The domains of these stores may belong to somebody, so their pages
 * are under a host that cannot exist (RFC 2606), below the domain of the store.
 */
const host = "shops.discovery.example"

/** Of the home page of a store, without a slash at its end. */
export const addressOf = (domain: string): string => `https://${host}/${domain}`

/** The domain of the store in an address of {@link addressOf} or below it. */
export const domainOf = ({ hostname, pathname }: Pick<URL, "hostname" | "pathname">): string | undefined => {
  const [, domain = ""] = pathname.split("/", 2)
  return hostname === host && domain !== "" ? domain : undefined
}
