import Foundation

/// A payment that an app requests, with the id that the device gave it.
///
/// If an id is sent again, the store compares the whole value, its texts as bytes. Any difference is a conflict.
public struct PaymentRequest: Hashable, Codable, Sendable {
  public let paymentID: PaymentID
  public let productID: ProductID
  /// 1 to 10. More than 1 is allowed for consumables only.
  public let quantity: Int
  /// If it is a UUID, it becomes the transaction's `appAccountToken`.
  public let applicationUsername: String?
  /// Whether the payment needs a parent's approval (Ask to Buy). Sandbox only. Nil means no.
  public let simulatesAskToBuyInSandbox: Bool?
  /// The offer that the payment requests; nil for none.
  public let offer: PaymentOffer?
  /// The developer's signed statement whether the customer may have the introductory offer, as a compact JWS. It replaces
  /// the store's own rule. Nil if the app gives none, as with StoreKit 1.
  public let introductoryEligibility: String?

  public static let quantityRange = 1...10

  public init(
    paymentID: PaymentID, productID: ProductID, quantity: Int = 1, applicationUsername: String? = nil,
    simulatesAskToBuyInSandbox: Bool? = nil, offer: PaymentOffer? = nil, introductoryEligibility: String? = nil
  ) {
    self.paymentID = paymentID
    self.productID = productID
    self.quantity = quantity
    self.applicationUsername = applicationUsername
    self.simulatesAskToBuyInSandbox = simulatesAskToBuyInSandbox
    self.offer = offer
    self.introductoryEligibility = introductoryEligibility
  }
}

extension PaymentRequest {
  /// Whether both have the same content, with texts compared as bytes. In contrast, `==` considers canonically equivalent texts equal.
  package func hasContent(of other: PaymentRequest) -> Bool {
    self == other && (applicationUsername ?? "").hasBytes(of: other.applicationUsername ?? "")
      && (offer?.identifier ?? "").hasBytes(of: other.offer?.identifier ?? "")
  }
}
