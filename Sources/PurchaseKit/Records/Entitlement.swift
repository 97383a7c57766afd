import Foundation

/// What a customer owns, or owned, by one original transaction.
public struct Entitlement: Hashable, Codable, Sendable {
  /// What it is keyed on.
  public let originalTransactionIdentifier: String
  public internal(set) var productIdentifier: String
  public internal(set) var purchaseDate: Date
  /// When it ends; nil for what was bought for ever.
  public internal(set) var expirationDate: Date?
  /// When it was refunded or otherwise taken back; nil while it stands.
  public internal(set) var revocationDate: Date?
  /// The date of the statement its state comes from; nil for what only a transaction said.
  public internal(set) var asOf: Date?

  /// Whether it stands at that time.
  public func isActive(at date: Date) -> Bool {
    revocationDate == nil && expirationDate.map { $0 > date } ?? true
  }

  /// What a statement of the store makes of it. The order in which statements arrive does not matter.
  func merged(with statement: Entitlement) -> Entitlement {
    guard let asOf else { return statement }
    guard let newer = statement.asOf, newer >= asOf else { return self }
    if newer > asOf { return statement }
    // Two of the same second: what ends something counts, and of two ends the later one.
    switch (revocationDate, statement.revocationDate) {
    case (let mine?, let other?): return mine >= other ? self : statement
    case (_?, nil): return self
    case (nil, _?): return statement
    case (nil, nil):
      return (expirationDate ?? .distantFuture) >= (statement.expirationDate ?? .distantFuture) ? self : statement
    }
  }
}
