import PurchaseLedger
import StoreModel

/// Limits the requests to the store for one customer and for one address, so that no caller uses up the store's limits.
///
/// Each customer has a small rate. An anonymous caller can register further customers, so all customers of an address share
/// a second rate. It applies only to proofs without a valid signature, because many customers may share an address.
struct VerificationRates: Sendable {
  private let customers: RateLimiter
  private let addresses: RateLimiter

  /// The rate of an address as a multiple of a customer's rate.
  private static let addressShare = 4.0

  /// - Parameters:
  ///   - perMinute: the number of requests of each customer per minute. After a pause, this number is admitted at once.
  init(perMinute: Double, clock: any MachineClock) {
    func limiter(_ share: Double) -> RateLimiter {
      RateLimiter(
        .init(perSecond: perMinute * share / 60, burst: max(1, perMinute * share)), clock: clock)
    }
    customers = limiter(1)
    addresses = limiter(Self.addressShare)
  }

  /// Admits a request to the store, or returns the seconds to wait: at least 1.
  ///
  /// - Parameter isGenuine: returns whether the proof's signature is valid. It is called only if the rate of the
  ///   address is used up.
  func admit(
    _ customer: CustomerID, from address: CallerAddress, isGenuine: () async -> Bool
  ) async -> Int? {
    if let seconds = customers.admit("\(customer)") { return seconds }
    guard let seconds = addresses.admit(address.key) else { return nil }
    return await isGenuine() ? nil : seconds
  }
}
