/**
 * The headers of every page (oauth.md 30): nothing is loaded from elsewhere, no script runs, nobody frames the page, nobody
 * is told its address, nobody keeps it. No CORS, so that no other origin reads it (22).
 */

export interface PagePolicy {
  /**
   * A form of the page may end, by redirects, at another origin. `form-action` covers the whole chain of redirects in
   * Chromium and Safari, so it cannot be said then: the click would do nothing.
   */
  readonly formsLeave?: boolean
}

const contentSecurityPolicy = ({ formsLeave = false }: PagePolicy): string =>
  [
    "default-src 'none'",
    "style-src 'self'",
    // The marks of check boxes and of invalid fields are images within the style sheet.
    "img-src 'self' data:",
    ...(formsLeave ? [] : ["form-action 'self'"]),
    "base-uri 'none'",
    "frame-ancestors 'none'"
  ].join("; ")

export const of = (policy: PagePolicy = {}): Readonly<Record<string, string>> => ({
  "content-security-policy": contentSecurityPolicy(policy),
  "x-frame-options": "DENY",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store"
})
