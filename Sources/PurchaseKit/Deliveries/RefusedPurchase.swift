import Foundation

/// A purchase that gives nothing: the money went back, or it was only restored and is another customer's. Thrown by a
/// ``ProductDelivery``: the manager finishes the transaction, and posts *refused* with this.
public struct RefusedPurchase: LocalizedError, Hashable, Sendable, CustomStringConvertible {
  public let productIdentifier: String
  /// The server's words, or what the app receipt says in words like those.
  public let refusal: ServerRefusal

  public init(productIdentifier: String, refusal: ServerRefusal) {
    self.productIdentifier = productIdentifier
    self.refusal = refusal
  }

  public var description: String { refusal.message }
  public var errorDescription: String? { description }
}
