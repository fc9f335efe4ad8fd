/**
 * The only scope (S3, S92). It is granted whatever is asked for: scopes that do not exist are left out, at `/authorize`, at
 * `/token` and at `/register` alike (R15). Every answer names the granted scope, as it may differ (RFC 6749, 3.3).
 */
export const scope = "discovery:read"
