/**
 * The leaky buckets of rate limits as one server knows them: the level that each had in the database at its last report, and the
 * requests that were admitted since and are still to be reported . SharedRates.ts reports them and asks for more.
 *
 * `unreported` requests become `reporting` when a report begins. They count in any case, so both add to the level. A lease is the
 * opposite: requests that a report counted in advance, so that `unreported` is below 0 until they are made, given back, or expire.
 *
 * Cost: constant for each request and bucket. All times are milliseconds since 1970.
 */
import * as LeakyBucket from "./LeakyBucket.ts"
import { remember } from "./RecentlyUsed.ts"

/** How far a server may be ahead of the database. */
export const maxUnreported = ({ limit }: LeakyBucket.Allowance): number => Math.floor(limit / 100)

/** Sooner when requests might have to wait. */
export const reportMillis = 500
/** Longer than the time between reports, which give back what is left. Later, as much of it expires as has drained since. */
export const leaseMillis = 1_000
/** Requests of a lease, as a multiple of {@link maxUnreported}, and the least number of servers that can have as many. */
export const leaseTimes = 5
const leaseShares = 4

/** Buckets that are remembered; a forgotten one is taken for empty until its next report. */
const maxBuckets = 100_000
/** Buckets with something to report. Requests for others wait. */
const maxUnreportedBuckets = 10_000

export interface Bucket extends LeakyBucket.Limit {
  /** The level after the last report, and when that was sent. */
  used: number
  at: number
  /** Whether requests may be admitted before they are reported. */
  isOpen: boolean
  /** Requests that were admitted and not reported; below 0, that were counted and are still to come. */
  unreported: number
  /** How many requests the last report counted in advance, and how many of them have expired. */
  leased: number
  expired: number
  /** The part of `unreported` that was moved into the report that is being sent. */
  reporting: number
}

/** What a report says of a bucket. */
export interface Use {
  /** Requests that were admitted already. */
  readonly used: number
  /** Requests that ask to be admitted, and those of a lease. */
  readonly wanted: number
}

/** A clock that was set back counts from here, so that a full bucket does not stay full until it has caught up. */
const sinceReport = (bucket: Bucket, now: number): number => {
  bucket.at = Math.min(bucket.at, now)
  return now - bucket.at
}

export const levelOf = (bucket: Bucket, now: number): number => {
  const drained = LeakyBucket.drained(bucket.allowance, bucket.used, sinceReport(bucket, now))
  return Math.max(0, drained + bucket.unreported + bucket.reporting)
}

/** Seconds until the bucket takes a request. The level in the database is at least as high. */
export const waitSeconds = (bucket: Bucket, now: number): number =>
  LeakyBucket.waitSeconds(bucket.allowance, levelOf(bucket, now))

/**
 * Whether a bucket is in such use that its next report is sent at once instead of after {@link reportMillis}, and that a report
 * leases requests. With a lease: fewer than {@link maxUnreported} requests of it are left (`unreported` is below 0 while there are
 * some). Without one: at least half of {@link maxUnreported} are unreported.
 */
const isBusy = ({ allowance, leased }: Bucket, unreported: number): boolean =>
  leased > 0 ? unreported > -maxUnreported(allowance) : unreported > 0 && unreported >= maxUnreported(allowance) / 2

const leaseOf = (bucket: Bucket, waiting: number, now: number): number => {
  if (!bucket.isOpen || (waiting === 0 && !isBusy(bucket, bucket.reporting))) return 0
  const room = Math.floor((bucket.allowance.limit - levelOf(bucket, now)) / leaseShares)
  return Math.max(0, Math.min(leaseTimes * maxUnreported(bucket.allowance), room))
}

export class RateBuckets {
  readonly #buckets = new Map<string, Bucket>()
  readonly #unreported = new Set<Bucket>()
  readonly #onUnreported: (isBusy: boolean) => void

  /** `onUnreported` is called for each bucket that gets something to report. */
  constructor(onUnreported: (isBusy: boolean) => void) {
    this.#onUnreported = onUnreported
  }

  /** Number of buckets with something to report. */
  get unreportedBuckets(): number {
    return this.#unreported.size
  }

  /** Whether so many buckets have something to report that it should not wait. */
  get isCrowded(): boolean {
    return this.#unreported.size >= maxUnreportedBuckets / 2
  }

  of(limit: LeakyBucket.Limit): Bucket {
    const isOpen = maxUnreported(limit.allowance) > 0
    const bucket = this.#buckets.get(limit.key) ?? {
      ...limit,
      used: 0,
      at: 0,
      isOpen,
      unreported: 0,
      leased: 0,
      expired: 0,
      reporting: 0
    }
    remember(this.#buckets, maxBuckets, limit.key, bucket)
    return bucket
  }

  /** Whether a request may be admitted without asking the database. */
  hasRoom(bucket: Bucket): boolean {
    if (this.#unreported.size >= maxUnreportedBuckets && !this.#unreported.has(bucket)) return false
    const ahead = bucket.isOpen ? maxUnreported(bucket.allowance) : 0
    return ahead - bucket.unreported - Math.max(0, bucket.reporting) > 0
  }

  /** Adds requests to report; below 0, requests that were counted and are still to come. */
  addUnreported(bucket: Bucket, requests: number): void {
    bucket.unreported += requests
    if (bucket.unreported === 0) return void this.#unreported.delete(bucket)
    this.#unreported.add(bucket)
    this.#onUnreported(isBusy(bucket, bucket.unreported))
  }

  /**
   * What has expired is not given back: it stays counted, and drains like requests that were made. Given back after it has drained, it
   * would take requests of others out of the bucket.
   */
  expire(bucket: Bucket, now: number): void {
    const { limit, windowMillis } = bucket.allowance
    const drained = Math.ceil(((sinceReport(bucket, now) - leaseMillis) * limit) / windowMillis)
    const expired = Math.min(drained - bucket.expired, -bucket.unreported)
    if (expired <= 0) return
    bucket.expired += expired
    this.addUnreported(bucket, expired)
  }

  /** Buckets to report now, at most so many: leases that are in use wait for {@link reportMillis}, unless `isWhole`. */
  due(now: number, isWhole: boolean, most: number): ReadonlyArray<Bucket> {
    return Array.from(this.#unreported)
      .filter(
        (bucket) =>
          isWhole ||
          bucket.unreported > 0 ||
          isBusy(bucket, bucket.unreported) ||
          sinceReport(bucket, now) >= reportMillis
      )
      .slice(0, most)
  }

  /** Moves what the bucket has not reported into a report. `waiting` is the number of requests that wait for its answer. */
  beginReport(bucket: Bucket, waiting: number, now: number, mayLease: boolean): Use {
    this.expire(bucket, now)
    bucket.reporting = bucket.unreported
    bucket.unreported = 0
    this.#unreported.delete(bucket)
    return { used: bucket.reporting, wanted: waiting + (mayLease ? leaseOf(bucket, waiting, now) : 0) }
  }

  /** The database has counted the report that began at `now`. `level`: that of the bucket after it. */
  endReport(bucket: Bucket, level: number, now: number): void {
    const ahead = maxUnreported(bucket.allowance)
    bucket.reporting = 0
    bucket.used = level
    bucket.at = now
    bucket.expired = 0
    bucket.isOpen = ahead > 0 && level <= bucket.allowance.limit - ahead
  }

  /** `left`: requests that the report counted and that nobody waits for. */
  lease(bucket: Bucket, left: number): void {
    bucket.leased = left
    if (left > 0) this.addUnreported(bucket, -left)
  }

  /**
   * The database may have counted a report that failed. Requests are reported again, and may then count twice. What is left of a
   * lease is not: given back twice, it would admit more requests than the limit.
   */
  failReport(bucket: Bucket): void {
    const { reporting } = bucket
    bucket.reporting = 0
    if (reporting > 0) this.addUnreported(bucket, reporting)
  }
}
