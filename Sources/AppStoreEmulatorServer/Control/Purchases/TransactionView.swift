import AppStoreEmulator
import Foundation
import StoreModel

/// A transaction: the names of signed transactions for the record, and what the store keeps beside it.
struct TransactionView: Encodable, Sendable {
  /// Its place in the list of all transactions.
  let sequence: Int64
  let state: TransactionState
  let transactionId: TransactionID
  let originalTransactionId: TransactionID
  let bundleId: BundleID
  let environment: StoreEnvironment
  let productId: ProductID
  let type: ProductType
  let quantity: Int
  /// In thousandths of the currency: quantity and offer included.
  let price: Milliunits
  let currency: String
  let storefront: String
  /// UNIX milliseconds.
  let purchaseDate: StoreDate
  let originalPurchaseDate: StoreDate
  let appAccountToken: String?
  let applicationUsername: String?
  let customer: AccountName
  let installationId: InstallationID?
  let finishedDate: StoreDate?
  let inAppOwnershipType: OwnershipType
  /// Whose purchase of the family is shared.
  let sharedTransactionId: TransactionID?
  let subscriptionGroupIdentifier: SubscriptionGroupID?
  let expiresDate: StoreDate?
  let revocationDate: StoreDate?
  let revocationReason: RevocationReason?
  let revocationType: RevocationType?
  let revocationPercentage: Int?

  init(_ stored: StoredTransaction) {
    let record = stored.record
    sequence = stored.sequence
    state = stored.state
    transactionId = record.transactionID
    originalTransactionId = record.originalTransactionID
    bundleId = record.bundleID
    environment = record.environment
    productId = record.productID
    type = record.type
    quantity = record.quantity
    price = record.price
    currency = record.currency
    storefront = record.storefrontCountryCode
    purchaseDate = record.purchaseDate
    originalPurchaseDate = record.originalPurchaseDate
    appAccountToken = record.appAccountToken?.uuidString.lowercased()
    applicationUsername = record.applicationUsername
    customer = stored.account
    installationId = stored.installationID
    finishedDate = stored.finishedDate
    inAppOwnershipType = record.ownership
    sharedTransactionId = stored.sharedTransactionID
    subscriptionGroupIdentifier = record.subscriptionGroupID
    expiresDate = record.expiresDate
    revocationDate = record.revocationDate
    revocationReason = record.revocationReason
    revocationType = record.revocationType
    revocationPercentage = record.revocationPercentage
  }
}
