/**
 * What may stand before the host of an address: `user:password@`. Whoever reads `https://shop.example.com@evil.example/` takes
 * it for the host, so no address that is shown or followed has any (RFC 9110, 4.2.4).
 */

/** Up to the first `@` of the authority, as browsers read it: any slashes and backslashes, then no other one. */
const userInfo = /^https?:[/\\]*[^/\\?#]*@/iu

/** Of an http(s) address without blanks; also if the user and the password are empty. */
export const hasUserInfo = (address: string): boolean => userInfo.test(address)
