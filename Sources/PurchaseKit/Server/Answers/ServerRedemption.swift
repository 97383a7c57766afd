import Foundation

/// The response to a redemption or a restore. A repeated request has the same result.
public struct ServerRedemption: Hashable, Decodable, Sendable {
  /// The customer who owns the purchases.
  public let customer: UUID
  /// `Production` or `Sandbox`.
  public let environment: String
  public let purchases: [Purchase]

  /// The result of one purchase: either `given` or `refusal`.
  public struct Purchase: Hashable, Decodable, Sendable {
    public let transactionId: String
    public let productId: String?
    public let given: Goods?
    public let refusal: Refusal?
  }

  /// The goods of a purchase.
  public struct Goods: Hashable, Decodable, Sendable {
    /// Identifies the claim: the transaction identifier of a consumable, otherwise the original transaction identifier.
    public let claim: String
    /// When the purchase was first redeemed.
    public let claimed: Date
    public let credits: Credits?
    public let entitlement: ServerEntitlement?
    /// Nil for a product without files.
    public let delivery: ContentDelivery?
  }

  /// The credits that a purchase gave.
  public struct Credits: Hashable, Decodable, Sendable {
    public let unit: String
    public let amount: Int64
  }

  /// Why a purchase gave nothing.
  public struct Refusal: Hashable, Decodable, Sendable {
    public let code: String
    public let message: String
  }
}
