import Foundation

/// A spend whose outcome the server has not reported yet.
public struct PendingSpend: Hashable, Sendable {
  public let key: UUID
  public let credits: Int
  /// The customer who began the spend.
  public let customer: UUID
  public let date: Date
}
