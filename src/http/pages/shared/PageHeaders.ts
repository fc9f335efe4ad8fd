/**
 * The headers of every page (R30): nothing is loaded from elsewhere but images where a page shows the catalog's,
 * no script runs but ours, nobody frames the page, nobody is told its address, nobody keeps it. No CORS, so that no other
 * origin reads it (R22).
 */

export interface PagePolicy {
  /**
   * A form of the page may end, by redirects, at another origin. `form-action` covers the whole chain of redirects in
   * Chromium and Safari, so it cannot be said then: the click would do nothing.
   */
  readonly formsLeave?: boolean
  /** The page shows images of the catalog, which are the stores' own. */
  readonly images?: boolean
  /** Our own script may run. */
  readonly scripts?: boolean
}

const contentSecurityPolicy = ({ formsLeave = false, images = false, scripts = false }: PagePolicy): string =>
  [
    "default-src 'none'",
    "style-src 'self'",
    ...(scripts ? ["script-src 'self'"] : []),
    // The marks of check boxes and of invalid fields are images within the style sheet.
    images ? "img-src 'self' data: https:" : "img-src 'self' data:",
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
  "cache-control": "no-store",
  // Pages that apps open in a window of theirs are left in touch with it: they show when it is closed.
  ...(policy.scripts === true && { "cross-origin-opener-policy": "same-origin" })
})
