import APIDescription
import AppStoreEmulator
import Foundation
import StoreModel

/// A purchase on a customer's behalf.
package struct PurchaseRequest: APIObject {
  package static let schemaName = "Purchase"

  package let bundleId: BundleID
  package let environment: StoreEnvironment
  package let customer: AccountName
  package let productId: ProductID
  package let quantity: Int?
  package let applicationUsername: String?
  package let installationId: InstallationID?
  package let paymentId: PaymentID?
  package let offerType: SubscriptionOffer.Kind?
  package let offerId: String?

  package static let notes: [String: MemberNote] = [
    "quantity": .init(minimum: 1, maximum: 10, defaultValue: .integer(1)),
    "installationId": "The installation that receives the purchase. By default the first that asks.",
    "paymentId": .init(
      """
      Identifies the purchase: 1 to 200 bytes. The same request with the same id is the same purchase: charged once, and answered with \
      the transaction as it is by then. The id with another purchase is refused (409). Without an id each request is a purchase of its own.
      """, minLength: 1, maxLength: 200),
    "offerType": "The kind of the offer with which a subscription is bought. Requires offerId.",
    "offerId": "The developer's identifier of the offer; for an offer code its reference name.",
  ]

  package init(
    bundleId: BundleID, environment: StoreEnvironment, customer: AccountName, productId: ProductID,
    quantity: Int? = nil,
    applicationUsername: String? = nil, installationId: InstallationID? = nil, paymentId: PaymentID? = nil,
    offerType: SubscriptionOffer.Kind? = nil, offerId: String? = nil
  ) {
    self.bundleId = bundleId
    self.environment = environment
    self.customer = customer
    self.productId = productId
    self.quantity = quantity
    self.applicationUsername = applicationUsername
    self.installationId = installationId
    self.paymentId = paymentId
    self.offerType = offerType
    self.offerId = offerId
  }

  /// The requested offer; nil unless both members are present.
  package var offer: PaymentOffer? {
    guard let offerType, let offerId else { return nil }
    return PaymentOffer(kind: offerType, identifier: offerId)
  }
}
