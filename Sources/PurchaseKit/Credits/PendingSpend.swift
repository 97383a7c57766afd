import Foundation

/// A spend of which the server has not said how it ended.
public struct PendingSpend: Hashable, Sendable {
  public let key: UUID
  public let credits: Int
  /// Who began it.
  public let customer: UUID
  public let date: Date
}
