/**
 * Security headers of every page (R30): content only from this origin, except images on pages of the catalog; only our
 * script; no framing, no referrer, no caching. There are no CORS headers, so other origins cannot read pages (R22).
 */

export interface PagePolicy {
  /**
   * A form of the page may redirect to another origin. Chromium and Safari apply `form-action` to the whole chain of
   * redirects and would silently block it, so the directive is left out.
   */
  readonly formsLeave?: boolean
  /** The page displays images of the catalog, from the stores' servers. */
  readonly images?: boolean
  /** The page runs our script. */
  readonly scripts?: boolean
  /** Our script asks this origin for the results of a search (D119). */
  readonly searches?: boolean
  /** The page runs our script of passkeys, which asks this origin for challenges. */
  readonly passkeys?: boolean
}

const contentSecurityPolicy = ({
  formsLeave = false,
  images = false,
  passkeys = false,
  scripts = false,
  searches = false
}: PagePolicy): string =>
  [
    "default-src 'none'",
    "style-src 'self'",
    ...(scripts || passkeys ? ["script-src 'self'"] : []),
    ...(passkeys || searches ? ["connect-src 'self'"] : []),
    // The style sheet contains the marks of check boxes and invalid fields as `data:` images.
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
  // Left out before the sign-in and for consent: apps open these pages in a window and must be able to see that it is closed.
  ...(policy.scripts === true && { "cross-origin-opener-policy": "same-origin" })
})
