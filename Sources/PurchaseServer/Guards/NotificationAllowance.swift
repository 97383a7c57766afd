import StoreModel

/// Limits the notifications from one address that are refused or were received before. New genuine notifications are not limited:
/// after a mass extension, the App Store may send thousands from one address.
///
/// An address whose refused notifications have used up its rate waits, also with genuine ones. Each address has a rate of its own,
/// so a sender of forged notifications cannot delay those of the App Store.
struct NotificationAllowance: Sendable {
  private let refused: RateLimiter

  init(_ rate: RateLimiter.Rate, clock: any MachineClock) { refused = RateLimiter(rate, clock: clock) }

  /// Admits a request, or returns the seconds to wait: at least 1.
  func admit(from caller: CallerAddress) -> Int? { refused.admit(caller.key, cost: 0) }

  /// Counts a request that has brought nothing new.
  func charge(_ caller: CallerAddress) { refused.charge(caller.key) }
}
