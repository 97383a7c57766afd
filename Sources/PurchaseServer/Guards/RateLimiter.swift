import Foundation
import StoreModel

/// Limits the requests of each caller, with a token bucket.
final class RateLimiter: Sendable {
  /// The rate of one caller.
  struct Rate: Hashable, Sendable {
    /// The number of requests per second in the long run.
    var perSecond: Double
    /// The maximum number of requests at once, after a pause.
    var burst: Double
  }

  private struct Bucket: Sendable {
    var tokens: Double
    var at: Int64
  }

  private let rate: Rate
  private let mostCallers: Int
  private let clock: any MachineClock
  private let buckets = LockedValue<[String: Bucket]>([:])

  /// - Parameters:
  ///   - mostCallers: the maximum number of callers that are counted. When it is reached, the limiter forgets callers
  ///     who may send their whole burst again. If too many callers are left, it forgets more of them.
  init(_ rate: Rate, mostCallers: Int = 100_000, clock: any MachineClock) {
    self.rate = rate
    self.mostCallers = mostCallers
    self.clock = clock
  }

  /// The number of callers that are counted now.
  var callerCount: Int { buckets.withLock { $0.count } }

  /// Admits a request, or returns the seconds to wait: at least 1.
  ///
  /// - Parameter cost: the number of requests that the request counts as. Values above the burst
  ///   are reduced to the burst.
  func admit(_ caller: String, cost: Double = 1) -> Int? {
    let cost = min(cost, rate.burst)
    return buckets.withLock { buckets in
      let now = clock.nanoseconds
      var bucket = buckets[caller] ?? Bucket(tokens: rate.burst, at: now)
      bucket.tokens = tokens(in: bucket, at: now)
      bucket.at = now
      let isAdmitted = bucket.tokens >= cost
      if isAdmitted { bucket.tokens -= cost }
      if buckets[caller] == nil, buckets.count >= mostCallers { forget(now, &buckets) }
      buckets[caller] = bucket
      return isAdmitted ? nil : max(1, Int(((cost - bucket.tokens) / rate.perSecond).rounded(.up)))
    }
  }

  /// Counts a request whose cost was not known when it was admitted. It may use up more than there is, up to one burst:
  /// then the caller's next requests wait longer.
  func charge(_ caller: String, cost: Double = 1) {
    buckets.withLock { buckets in
      let now = clock.nanoseconds
      let bucket = buckets[caller] ?? Bucket(tokens: rate.burst, at: now)
      if buckets[caller] == nil, buckets.count >= mostCallers { forget(now, &buckets) }
      buckets[caller] = Bucket(tokens: max(-rate.burst, tokens(in: bucket, at: now) - cost), at: now)
    }
  }

  private func tokens(in bucket: Bucket, at now: Int64) -> Double {
    min(rate.burst, bucket.tokens + Double(now - bucket.at) / 1e9 * rate.perSecond)
  }

  private func forget(_ now: Int64, _ buckets: inout [String: Bucket]) {
    buckets = buckets.filter { tokens(in: $0.value, at: now) < rate.burst }
    guard buckets.count > mostCallers / 2 else { return }
    // Too many callers are active. Only callers that have to wait are kept. If they are more than half of the maximum,
    // all callers are removed. Otherwise this function would run again for each new caller.
    buckets = buckets.filter { tokens(in: $0.value, at: now) < 1 }
    if buckets.count > mostCallers / 2 { buckets.removeAll() }
  }
}
