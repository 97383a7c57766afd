import Foundation

/// A product that a customer owns, or owned, by one original transaction.
public struct Entitlement: Hashable, Codable, Sendable {
  /// The key of the entitlement.
  public let originalTransactionIdentifier: String
  public internal(set) var productIdentifier: String
  public internal(set) var purchaseDate: Date
  /// The end of the paid access; nil if it has no end.
  public internal(set) var expirationDate: Date?
  /// The end of the access after a failed renewal; nil if the subscription is in no grace period. Only signed transactions
  /// of StoreKit 2 prove it.
  public internal(set) var gracePeriodExpirationDate: Date?
  /// When the purchase was refunded or revoked; nil if it was not.
  public internal(set) var revocationDate: Date?
  /// The date of the newest proof on which this state is based: a receipt, or a signed transaction. Nil if it is based on
  /// none.
  public internal(set) var asOf: Date?

  /// The end of the access, unless it was revoked; nil if it has no end.
  var accessEnd: Date? {
    expirationDate.map { expiration in gracePeriodExpirationDate.map { max($0, expiration) } ?? expiration }
  }

  /// Returns whether the customer has access at `date`.
  public func isActive(at date: Date) -> Bool { revocationDate == nil && accessEnd.map { $0 > date } ?? true }

  /// Returns the newer of this state and `other`. Proven states may arrive in any order. A proven state replaces one that
  /// is based on a delivery alone.
  func merged(with other: Entitlement) -> Entitlement {
    guard let asOf else { return other }
    guard let newer = other.asOf, newer >= asOf else { return self }
    if newer > asOf { return other }
    // Both states are of the same second. A revoked state is preferred; otherwise the later revocation or expiration
    // date.
    switch (revocationDate, other.revocationDate) {
    case (let mine?, let others?): return mine >= others ? self : other
    case (_?, nil): return self
    case (nil, _?): return other
    case (nil, nil):
      return (accessEnd ?? .distantFuture) >= (other.accessEnd ?? .distantFuture) ? self : other
    }
  }
}
