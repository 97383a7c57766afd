import AppStoreEmulator
import Foundation
import HTTPDoors
import StoreModel

/// A purchase on a customer's behalf.
struct PurchaseOrder: Decodable, Sendable {
  let bundleId: BundleID
  let environment: StoreEnvironment
  let customer: AccountName
  let productId: ProductID
  let quantity: Int?
  let applicationUsername: String?
  let installationId: InstallationID?
  /// Names the purchase, so that the same request again is the same purchase. Without it each request is one of its own.
  let paymentId: PaymentID?

  /// - Throws: ``DoorRefusal``.
  func check() throws(DoorRefusal) {
    guard let text = paymentId?.rawValue else { return }
    guard (1...200).contains(text.utf8.count), !text.utf8.contains(0) else {
      throw DoorRefusal(.badRequest, "malformedRequest", "paymentId is 1 to 200 bytes of text; a UUID will do.")
    }
  }
}
