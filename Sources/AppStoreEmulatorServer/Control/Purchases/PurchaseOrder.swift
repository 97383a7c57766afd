import AppStoreEmulator
import Foundation
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
}
