/**
 * The userinfo of a URL: `user:password@`. People take `https://shop.example.com@evil.example/` for a URL of
 * shop.example.com, so no URL that is shown or followed may have one (RFC 9110, 4.2.4).
 */

/** Up to the first `@` of the authority, as browsers parse it: after any slashes and backslashes. */
const userInfo = /^https?:[/\\]*[^/\\?#]*@/iu

/** For an http(s) URL without blanks. An empty user and password count, too. */
export const hasUserInfo = (address: string): boolean => address.includes("@") && userInfo.test(address)
