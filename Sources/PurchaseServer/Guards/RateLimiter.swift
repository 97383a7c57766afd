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

  /// Lets a caller in, or says how many seconds to wait: at least 1.
  func admit(_ caller: String) -> Int? {
    lock.withLock {
      let now = nanoseconds()
      var bucket = buckets[caller] ?? Bucket(tokens: rate.burst, at: now)
      bucket.tokens = min(rate.burst, bucket.tokens + Double(now - bucket.at) / 1e9 * rate.perSecond)
      bucket.at = now
      defer {
        if buckets[caller] == nil, buckets.count >= mostCallers { forget(now) }
        buckets[caller] = bucket
      }
      guard bucket.tokens >= 1 else { return max(1, Int(((1 - bucket.tokens) / rate.perSecond).rounded(.up))) }
      bucket.tokens -= 1
      return nil
    }
  }

  private func forget(_ now: Int64) {
    let full = Int64(rate.burst / rate.perSecond * 1e9)
    buckets = buckets.filter { now - $0.value.at < full }
    // All are busy: somebody has to go, and gets a full bucket.
    if buckets.count >= mostCallers { buckets.removeAll() }
  }
}
