import Foundation

/// What an app asks to pay for, under the id the device gave it.
///
/// The whole value is what the store compares when an id is sent again: the same id with anything changed
/// is a conflict.
public struct PaymentRequest: Hashable, Codable, Sendable {
  public let paymentID: PaymentID
  public let productID: ProductID
  /// 1 to 10; above 1 for consumables only.
  public let quantity: Int
  /// A UUID becomes the transaction's `appAccountToken`.
  public let applicationUsername: String?
  /// Whether somebody else has to approve the payment, as for a child of the family. In the sandbox only. Nil is no.
  public let simulatesAskToBuyInSandbox: Bool?

  public static let quantityRange = 1...10

  public init(
    paymentID: PaymentID, productID: ProductID, quantity: Int = 1, applicationUsername: String? = nil,
    simulatesAskToBuyInSandbox: Bool? = nil
  ) {
    self.paymentID = paymentID
    self.productID = productID
    self.quantity = quantity
    self.applicationUsername = applicationUsername
    self.simulatesAskToBuyInSandbox = simulatesAskToBuyInSandbox
  }
}
