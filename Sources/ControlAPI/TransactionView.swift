import APIDescription
import AppStoreEmulator
import StoreModel

/// A transaction: the members of Apple's signed transactions, and the store's own records of it.
///
/// A new member needs a property here and its value in ``init(_:)``. To appear in the console and the command line, it
/// also needs a line in ``TransactionView/properties``.
package struct TransactionView: APIObject, Hashable {
  package let sequence: Int64
  package let state: TransactionState
  package let transactionId: TransactionID
  package let originalTransactionId: TransactionID
  package let bundleId: BundleID
  package let environment: StoreEnvironment
  package let productId: ProductID
  package let type: ProductType
  package let transactionReason: TransactionReason
  package let quantity: Int
  package let price: Milliunits
  package let currency: String
  package let storefront: String
  package let purchaseDate: StoreDate
  package let originalPurchaseDate: StoreDate
  package let appAccountToken: String?
  package let applicationUsername: String?
  package let customer: AccountName
  package let installationId: InstallationID?
  package let paymentId: PaymentID?
  package let finishedDate: StoreDate?
  package let inAppOwnershipType: OwnershipType
  package let sharedTransactionId: TransactionID?
  package let subscriptionGroupIdentifier: SubscriptionGroupID?
  package let webOrderLineItemId: String?
  package let offerType: SubscriptionOffer.Kind?
  package let offerId: String?
  package let expiresDate: StoreDate?
  package let upgradeDate: StoreDate?
  package let revocationDate: StoreDate?
  package let revocationReason: RevocationReason?
  package let revocationType: RevocationType?
  package let revocationPercentage: Int?

  package static let notes: [String: MemberNote] = [
    "sequence": "The transaction's number in the list of all transactions.",
    "price": "In thousandths of the currency's unit, quantity and offer included.",
    "installationId": "The installation that the transaction is delivered to.",
    "paymentId": "The payment that bought it.",
    "sharedTransactionId": "The purchase of a family member that this transaction shares.",
    "offerId": "The developer's identifier of the offer. Missing for introductory offers.",
    "upgradeDate": "When the customer upgraded from this subscription period to another plan.",
    "revocationPercentage": .init("In thousandths of a percent.", minimum: 1, maximum: 100_000),
  ]

  package init(_ stored: StoredTransaction) {
    let record = stored.record
    sequence = stored.sequence
    state = stored.state
    transactionId = record.transactionID
    originalTransactionId = record.originalTransactionID
    bundleId = record.bundleID
    environment = record.environment
    productId = record.productID
    type = record.type
    transactionReason = record.reason
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
    paymentId = stored.paymentID
    finishedDate = stored.finishedDate
    inAppOwnershipType = record.ownership
    sharedTransactionId = stored.sharedTransactionID
    subscriptionGroupIdentifier = record.subscriptionGroupID
    webOrderLineItemId = record.webOrderLineItemID
    offerType = record.offerType.map(SubscriptionOffer.Kind.init)
    offerId = record.offerIdentifier
    expiresDate = record.expiresDate
    upgradeDate = record.upgradeDate
    revocationDate = record.revocationDate
    revocationReason = record.revocationReason
    revocationType = record.revocationType
    revocationPercentage = record.revocationPercentage
  }
}

extension TransactionState: APIValue {}
extension TransactionReason: APIValue {}

extension SubscriptionOffer.Kind {
  fileprivate init(_ type: TransactionOfferType) {
    self =
      switch type {
      case .introductory: .introductory
      case .promotional: .promotional
      case .offerCode: .offerCode
      case .winBack: .winBack
      }
  }
}

extension TransactionView {
  /// The properties that the console and the command line show, in this order. A property without a value is not shown.
  package var properties: [DisplayProperty] {
    [
      DisplayProperty("Transaction", .identifier(transactionId.rawValue)),
      DisplayProperty(
        "Original", originalTransactionId == transactionId ? nil : .transaction(originalTransactionId)),
      DisplayProperty("State", .text(state.rawValue)),
      DisplayProperty("Product", .product(productId, bundleId)),
      DisplayProperty("Type", .text(type.rawValue)),
      DisplayProperty("Reason", .text(transactionReason.rawValue)),
      DisplayProperty("Quantity", .text("\(quantity)")),
      DisplayProperty("Price", .money(price, currency)),
      DisplayProperty("Customer", .customer(customer, environment)),
      DisplayProperty("Environment", .text(environment.rawValue)),
      DisplayProperty("App", .name(bundleId.rawValue)),
      DisplayProperty("Storefront", .storefront(storefront)),
      DisplayProperty("Purchase date", .date(purchaseDate)),
      DisplayProperty("Finished", finishedDate.map { .date($0) }),
      DisplayProperty("Expires", expiresDate.map { .date($0) }),
      DisplayProperty(
        "Offer", offerType.map { .text([$0.rawValue, offerId].compactMap(\.self).joined(separator: " ")) }),
      DisplayProperty("Upgraded", upgradeDate.map { .date($0) }),
      DisplayProperty("Revocation date", revocationDate.map { .date($0) }),
      DisplayProperty(
        "Revocation reason",
        revocationReason.map { .text($0 == .issueWithApp ? "an issue with the app" : "another reason") }),
      DisplayProperty("Revocation type", revocationType.map { .text($0.rawValue) }),
      DisplayProperty("Refunded share", revocationPercentage.map { .text(Percentage.text($0)) }),
      DisplayProperty("Shared purchase", sharedTransactionId.map { .transaction($0) }),
      DisplayProperty("Installation", installationId.map { .name($0.rawValue) }),
      DisplayProperty("Payment", paymentId.map { .name($0.rawValue) }),
      DisplayProperty("Application username", applicationUsername.map { .name($0) }),
      DisplayProperty("App account token", appAccountToken.map { .identifier($0) }),
      DisplayProperty("Subscription group", subscriptionGroupIdentifier.map { .name($0.rawValue) }),
      DisplayProperty("Web order line item", webOrderLineItemId.map { .identifier($0) }),
    ]
  }
}
