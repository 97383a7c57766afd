import StoreModel

/// Limits the number of wrong tokens: ten at once, and one more every six seconds.
struct SignInAllowance: Sendable {
  static let largest: Int64 = 10
  static let millisecondsForOne: Int64 = 6_000

  private var spent: Int64 = 0
  private var since: StoreDate

  init(now: StoreDate) { since = now }

  /// The number of seconds until the next attempt is allowed; 0 if it is allowed now.
  mutating func secondsToWait(now: StoreDate) -> Int64 {
    recover(now: now)
    guard spent >= Self.largest else { return 0 }
    let elapsed = now.millisecondsSince1970 - since.millisecondsSince1970
    return (Self.millisecondsForOne - elapsed + 999) / 1000
  }

  mutating func spend(now: StoreDate) {
    recover(now: now)
    spent += 1
  }

  /// Whether all attempts are available.
  func isWhole(now: StoreDate) -> Bool {
    var copy = self
    copy.recover(now: now)
    return copy.spent == 0
  }

  private mutating func recover(now: StoreDate) {
    // If the clock was set back, recovery starts again at the current date.
    guard spent > 0, now >= since else { return since = now }
    let elapsed = now.millisecondsSince1970 - since.millisecondsSince1970
    let recovered = min(spent, elapsed / Self.millisecondsForOne)
    spent -= recovered
    since = spent == 0 ? now : since.adding(milliseconds: recovered * Self.millisecondsForOne)
  }
}
