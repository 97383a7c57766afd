import PurchaseLedger

/// How often the store is asked for one customer, and for one address: nobody alone uses up what it answers for all.
///
/// A customer's own is small, but whoever has none makes themselves another; so those of one address together have a rate,
/// too.
struct QuestionRates: Sendable {
  private let customers: RateLimiter
  private let addresses: RateLimiter

  /// How many times a customer's rate an address has.
  private static let addressShare = 4.0

  /// - Parameters:
  ///   - perMinute: of each customer, in the long run, and as many at once after a pause.
  ///   - nanoseconds: a clock that never goes back.
  init(perMinute: Double, nanoseconds: @escaping @Sendable () -> Int64) {
    func limiter(_ share: Double) -> RateLimiter {
      RateLimiter(
        .init(perSecond: perMinute * share / 60, burst: max(1, perMinute * share)), nanoseconds: nanoseconds)
    }
    customers = limiter(1)
    addresses = limiter(Self.addressShare)
  }

  /// Lets a question through, or says how many seconds to wait: at least 1.
  func admit(_ customer: CustomerID, from address: CallerAddress) -> Int? {
    customers.admit("\(customer)") ?? addresses.admit(address.key)
  }
}
