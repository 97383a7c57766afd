import Foundation

/// A product that a customer owns, or owned, by one original transaction.
public struct Entitlement: Hashable, Codable, Sendable {
  /// The key of the entitlement.
  public let originalTransactionIdentifier: String
  public internal(set) var productIdentifier: String
  public internal(set) var purchaseDate: Date
  /// The end of the access; nil if it has no end.
  public internal(set) var expirationDate: Date?
  /// When the purchase was refunded or revoked; nil if it was not.
  public internal(set) var revocationDate: Date?
  /// The date of the newest receipt on which this state is based; nil if it is based on no receipt.
  public internal(set) var asOf: Date?

  /// Returns whether the customer has access at `date`.
  public func isActive(at date: Date) -> Bool {
    revocationDate == nil && expirationDate.map { $0 > date } ?? true
  }

  /// Returns the newer of this state and `other`. States from receipts may arrive in any order. A state from a receipt
  /// replaces one from a transaction.
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
      return (expirationDate ?? .distantFuture) >= (other.expirationDate ?? .distantFuture) ? self : other
    }
  }
}
