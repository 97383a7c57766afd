import Foundation

/// What came of a redemption or a restore. Repeated, it is the same.
public struct ServerRedemption: Hashable, Decodable, Sendable {
  /// Whose the goods are.
  public let customer: UUID
  /// `Production` or `Sandbox`.
  public let environment: String
  public let purchases: [Purchase]

  /// What came of one purchase: either `given` or `refusal`.
  public struct Purchase: Hashable, Decodable, Sendable {
    public let transactionId: String
    public let productId: String?
    public let given: Goods?
    public let refusal: Refusal?
  }

  /// What a purchase gave.
  public struct Goods: Hashable, Decodable, Sendable {
    /// The transaction id for a consumable, the original one's for what lasts.
    public let claim: String
    /// When it was first redeemed.
    public let claimed: Date
    public let credits: Credits?
    public let entitlement: ServerEntitlement?
    /// Nil for a product without files.
    public let delivery: ContentDelivery?
  }

  /// Credits that a purchase gave.
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
