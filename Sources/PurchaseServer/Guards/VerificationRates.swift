import PurchaseLedger
import StoreModel

/// How often the store is asked for one customer, and for one address, so that no caller uses up what it answers for all.
///
/// A customer's rate is small, but an anonymous caller can register more customers. So the customers of one address have a
/// rate together, which counts for proofs whose signature is not good: many customers may share an address.
struct VerificationRates: Sendable {
  private let customers: RateLimiter
  private let addresses: RateLimiter

  /// How many times a customer's rate an address has.
  private static let addressShare = 4.0

  /// - Parameters:
  ///   - perMinute: of each customer, in the long run, and as many at once after a pause.
  init(perMinute: Double, clock: any MachineClock) {
    func limiter(_ share: Double) -> RateLimiter {
      RateLimiter(
        .init(perSecond: perMinute * share / 60, burst: max(1, perMinute * share)), clock: clock)
    }
    customers = limiter(1)
    addresses = limiter(Self.addressShare)
  }

  /// Admits a question, or returns how many seconds to wait: at least 1.
  ///
  /// - Parameter isGenuine: whether the proof's signature is good; asked only where it decides.
  func admit(
    _ customer: CustomerID, from address: CallerAddress, isGenuine: () async -> Bool
  ) async -> Int? {
    if let seconds = customers.admit("\(customer)") { return seconds }
    guard let seconds = addresses.admit(address.key) else { return nil }
    return await isGenuine() ? nil : seconds
  }
}
