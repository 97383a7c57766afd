/// How often a transaction is tried, and how long is waited in between.
struct RetryPolicy: Sendable {
  /// How many attempts are made in all. The pauses below come to one to two seconds in all, in which a server
  /// restarts; an attempt that waits for locks or a standby takes longer by that.
  var attempts = 8
  var firstPauseMilliseconds = 20
  var longestPauseMilliseconds = 1_000

  /// The pauses double. Up to half of each is left to chance, so that those who met do not meet again.
  ///
  /// - Parameter attempt: how many were made, 1 or more.
  func pauseMilliseconds(after attempt: Int, using generator: inout some RandomNumberGenerator) -> Int {
    let doubled = firstPauseMilliseconds << min(attempt - 1, 16)
    let longest = min(doubled, longestPauseMilliseconds)
    return Int.random(in: longest / 2...longest, using: &generator)
  }
}
