import Foundation

/// How many requests each caller may make: a bucket of tokens that fills again.
final class RateLimiter: @unchecked Sendable {
  /// What each caller may do.
  struct Rate: Hashable, Sendable {
    /// In the long run.
    var perSecond: Double
    /// At once, after a pause.
    var burst: Double
  }

  private struct Bucket {
    var tokens: Double
    var at: Int64
  }

  private let rate: Rate
  private let mostCallers: Int
  private let nanoseconds: @Sendable () -> Int64
  private let lock = NSLock()
  private var buckets: [String: Bucket] = [:]

  /// - Parameters:
  ///   - mostCallers: of how many callers it keeps count; beyond that, those who have been away long enough for a full
  ///     bucket are forgotten.
  ///   - nanoseconds: a clock that never goes back.
  init(_ rate: Rate, mostCallers: Int = 100_000, nanoseconds: @escaping @Sendable () -> Int64) {
    self.rate = rate
    self.mostCallers = mostCallers
    self.nanoseconds = nanoseconds
  }

  /// Of how many callers it keeps count now.
  var callerCount: Int { lock.withLock { buckets.count } }

  /// Lets a caller in, or says how many seconds to wait: at least 1.
  ///
  /// - Parameter cost: how many requests it counts for; not more than the burst.
  func admit(_ caller: String, cost: Double = 1) -> Int? {
    let cost = min(cost, rate.burst)
    return lock.withLock {
      let now = nanoseconds()
      var bucket = buckets[caller] ?? Bucket(tokens: rate.burst, at: now)
      bucket.tokens = tokens(in: bucket, at: now)
      bucket.at = now
      let isAdmitted = bucket.tokens >= cost
      if isAdmitted { bucket.tokens -= cost }
      if buckets[caller] == nil, buckets.count >= mostCallers { forget(now) }
      buckets[caller] = bucket
      return isAdmitted ? nil : max(1, Int(((cost - bucket.tokens) / rate.perSecond).rounded(.up)))
    }
  }

  private func tokens(in bucket: Bucket, at now: Int64) -> Double {
    min(rate.burst, bucket.tokens + Double(now - bucket.at) / 1e9 * rate.perSecond)
  }

  private func forget(_ now: Int64) {
    buckets = buckets.filter { tokens(in: $0.value, at: now) < rate.burst }
    guard buckets.count > mostCallers / 2 else { return }
    // Too many are busy. Those who wait stay, if there is room; half of it has to be free, so that this is not done again
    // for each.
    buckets = buckets.filter { tokens(in: $0.value, at: now) < 1 }
    if buckets.count > mostCallers / 2 { buckets.removeAll() }
  }
}
