import Foundation

// The calls that a device can make. Each has its name, its type, and its function on a connection.

extension DeviceAPI.Verb { public static let register: Self = "register" }

/// Registers the installation. A device sends it before all other calls, and again after `unknownInstallation`.
public struct RegisterCall: StoreCall {
  public typealias Answer = StoreGreeting
  public static let verb = DeviceAPI.Verb.register
  public let registration: InstallationRegistration
  public init(registration: InstallationRegistration) { self.registration = registration }

  public var subject: CallSubject {
    CallSubject(environment: registration.environment, bundleID: registration.bundleID)
  }
}

extension AppStoreConnection {
  public func register(_ registration: InstallationRegistration) async throws -> StoreGreeting {
    try await send(RegisterCall(registration: registration), for: registration.installationID)
  }
}

extension DeviceAPI.Verb { public static let signIn: Self = "signIn" }

/// Signs a customer in on the installation. A customer who was signed in before is signed out.
public struct SignInCall: StoreCall {
  public typealias Answer = SignedInAccount
  public static let verb = DeviceAPI.Verb.signIn
  public let credentials: SignInCredentials
  public init(credentials: SignInCredentials) { self.credentials = credentials }

  public var subject: CallSubject { CallSubject(account: credentials.account) }
}

extension AppStoreConnection {
  public func signIn(
    _ credentials: SignInCredentials, on installation: InstallationID
  ) async throws -> SignedInAccount {
    try await send(SignInCall(credentials: credentials), for: installation)
  }
}

extension DeviceAPI.Verb { public static let signOut: Self = "signOut" }

/// Signs the customer out on the installation.
public struct SignOutCall: StoreCall {
  public typealias Answer = EmptyAnswer
  public static let verb = DeviceAPI.Verb.signOut
  public init() {}
}

extension AppStoreConnection {
  public func signOut(on installation: InstallationID) async throws {
    _ = try await send(SignOutCall(), for: installation)
  }
}

extension DeviceAPI.Verb { public static let products: Self = "products" }

/// Lists the requested products, and those of a subscription group, in the language and currency of the installation's
/// storefront.
public struct ProductsCall: StoreCall {
  public typealias Answer = ProductList
  public static let verb = DeviceAPI.Verb.products
  public let productIDs: [ProductID]
  /// A subscription group, of which all products on sale are listed, too; nil for none.
  public let groupID: SubscriptionGroupID?

  public init(productIDs: [ProductID], groupID: SubscriptionGroupID? = nil) {
    self.productIDs = productIDs
    self.groupID = groupID
  }

  public var subject: CallSubject { CallSubject(productIDs: productIDs) }
  public static var hasProducts: Bool { true }
  public static var hasLongRequest: Bool { true }
  public var listedBytes: Int { productIDs.reduce(0) { $0 + $1.rawValue.utf8.count } }
  /// A product has texts, prices and offers of about a kilobyte.
  public static func listedBytes(of answer: ProductList) -> Int { answer.products.count << 10 }
}

extension AppStoreConnection {
  public func products(
    _ identifiers: [ProductID], group: SubscriptionGroupID? = nil, for installation: InstallationID
  ) async throws -> ProductList {
    try await send(ProductsCall(productIDs: identifiers, groupID: group), for: installation)
  }
}

extension DeviceAPI.Verb { public static let quote: Self = "quote" }

/// Returns the price of a payment for the signed-in customer. Changes nothing in the store.
public struct QuoteCall: StoreCall {
  public typealias Answer = PaymentQuote
  public static let verb = DeviceAPI.Verb.quote
  public let payment: PaymentRequest
  public init(payment: PaymentRequest) { self.payment = payment }

  public var subject: CallSubject {
    CallSubject(productIDs: [payment.productID], paymentID: payment.paymentID)
  }
  public static var hasProducts: Bool { true }
}

extension AppStoreConnection {
  public func quote(_ payment: PaymentRequest, for installation: InstallationID) async throws -> PaymentQuote {
    try await send(QuoteCall(payment: payment), for: installation)
  }
}

extension DeviceAPI.Verb { public static let confirm: Self = "confirm" }

/// Charges the customer for a confirmed quote. If the store has already decided on the payment, it returns the same
/// answer again.
public struct ConfirmCall: StoreCall {
  public typealias Answer = ConfirmationResult
  public static let verb = DeviceAPI.Verb.confirm
  public let quote: PaymentQuote
  public init(quote: PaymentQuote) { self.quote = quote }

  public var subject: CallSubject {
    CallSubject(
      account: quote.account, productIDs: [quote.payment.productID], paymentID: quote.payment.paymentID)
  }
  public static var hasProducts: Bool { true }

  public static func listedBytes(of answer: ConfirmationResult) -> Int {
    if case .purchased(let batch) = answer { batch.listedBytes } else { 0 }
  }
}

extension AppStoreConnection {
  public func confirm(_ quote: PaymentQuote, for installation: InstallationID) async throws -> ConfirmationResult {
    try await send(ConfirmCall(quote: quote), for: installation)
  }
}

extension DeviceAPI.Verb { public static let unfinished: Self = "unfinished" }

/// Lists the transactions that the installation has not finished, one page at a time, oldest first.
public struct UnfinishedCall: StoreCall {
  public typealias Answer = DeliveryBatch
  public static let verb = DeviceAPI.Verb.unfinished
  /// ``DeliveryBatch/next`` of the previous page; nil for the first page.
  public let after: UnfinishedCursor?
  public init(after: UnfinishedCursor? = nil) { self.after = after }

  public static func listedBytes(of answer: DeliveryBatch) -> Int { answer.listedBytes }
}

extension AppStoreConnection {
  public func unfinished(
    after: UnfinishedCursor? = nil, for installation: InstallationID
  ) async throws -> DeliveryBatch {
    try await send(UnfinishedCall(after: after), for: installation)
  }
}

extension DeviceAPI.Verb { public static let finish: Self = "finish" }

/// Finishes a transaction.
///
/// Finishing it again changes nothing. A transaction that was not delivered to the installation is refused.
public struct FinishCall: StoreCall {
  public typealias Answer = EmptyAnswer
  public static let verb = DeviceAPI.Verb.finish
  public let transactionID: TransactionID
  public init(transactionID: TransactionID) { self.transactionID = transactionID }

  public var subject: CallSubject { CallSubject(transactionID: transactionID) }
}

extension AppStoreConnection {
  public func finish(_ transaction: TransactionID, for installation: InstallationID) async throws {
    _ = try await send(FinishCall(transactionID: transaction), for: installation)
  }
}

extension DeviceAPI.Verb { public static let transactions: Self = "transactions" }

/// Lists the transactions of the signed-in customer in the app that changed after a revision, one page at a time.
///
/// A revision of another epoch is refused with `epochEnded`; the device then begins again without a revision.
public struct TransactionsCall: StoreCall {
  public typealias Answer = TransactionChanges
  public static let verb = DeviceAPI.Verb.transactions
  /// ``TransactionChanges/revision`` of the previous page; nil for all transactions.
  public let after: StoreRevision?
  /// The maximum number of transactions in the page; nil for that of the store, which is also the largest.
  public let limit: Int?
  /// Whether the last page has the statuses of the customer's subscriptions. Nil means no.
  public let withStatuses: Bool?

  public init(after: StoreRevision?, limit: Int? = nil, withStatuses: Bool? = nil) {
    self.after = after
    self.limit = limit
    self.withStatuses = withStatuses
  }

  public static func listedBytes(of answer: TransactionChanges) -> Int {
    let statuses = (answer.statuses ?? []).reduce(0) {
      $0 + $1.signedTransaction.utf8.count + $1.signedRenewalInfo.utf8.count
    }
    return answer.transactions.reduce(statuses) { $0 + $1.signedTransaction.utf8.count }
  }
}

extension AppStoreConnection {
  public func transactions(
    after revision: StoreRevision?, limit: Int? = nil, withStatuses: Bool? = nil, for installation: InstallationID
  ) async throws -> TransactionChanges {
    try await send(TransactionsCall(after: revision, limit: limit, withStatuses: withStatuses), for: installation)
  }
}

extension DeviceAPI.Verb { public static let restore: Self = "restore" }

/// Redelivers the purchases of the signed-in customer, one page at a time, oldest first. Each call delivers them with
/// new transaction ids.
public struct RestoreCall: StoreCall {
  public typealias Answer = RestoredPage
  public static let verb = DeviceAPI.Verb.restore
  /// The cursor of the previous page; nil for the first page.
  public let after: RestoreCursor?
  /// The username that a restored transaction gets if its purchase has none.
  public let applicationUsername: String?

  public init(after: RestoreCursor?, applicationUsername: String?) {
    self.after = after
    self.applicationUsername = applicationUsername
  }

  public static func listedBytes(of answer: RestoredPage) -> Int { answer.batch.listedBytes }
}

extension AppStoreConnection {
  public func restore(
    after cursor: RestoreCursor?, applicationUsername: String? = nil, for installation: InstallationID
  ) async throws -> RestoredPage {
    try await send(RestoreCall(after: cursor, applicationUsername: applicationUsername), for: installation)
  }
}

extension DeviceAPI.Verb { public static let refreshReceipt: Self = "refreshReceipt" }

/// Returns the current app receipt of the installation, even if the customer has bought nothing.
public struct RefreshReceiptCall: StoreCall {
  public static let verb = DeviceAPI.Verb.refreshReceipt
  public init() {}

  public struct Answer: Hashable, Codable, Sendable {
    /// The app receipt (DER).
    public let receipt: Data
    public init(receipt: Data) { self.receipt = receipt }
  }

  public static func listedBytes(of answer: Answer) -> Int { answer.receipt.count }
}

extension AppStoreConnection {
  public func refreshReceipt(for installation: InstallationID) async throws -> Data {
    try await send(RefreshReceiptCall(), for: installation).receipt
  }
}

extension DeviceAPI.Verb { public static let changes: Self = "changes" }

/// Lists the changes for the installation after a cursor. If there is no change, waits up to `waitSeconds` for one. If it
/// follows the customer's records, a change of them ends the wait, too.
public struct ChangesCall: StoreCall {
  public typealias Answer = DeviceChanges
  public static let verb = DeviceAPI.Verb.changes
  public let after: ChangeCursor
  /// The maximum time to wait, in seconds: 0 to 60.
  public let waitSeconds: Double
  /// The customer's records to follow; nil to wait for changes of the installation only.
  public let follows: TransactionFollowing?

  public init(after: ChangeCursor, waitSeconds: Double, follows: TransactionFollowing? = nil) {
    self.after = after
    self.waitSeconds = waitSeconds
    self.follows = follows
  }

  public static func isWithoutNews(_ answer: DeviceChanges) -> Bool {
    answer.changes.isEmpty && answer.transactionsHaveChanged != true
  }
}

/// Asks the store to answer as soon as the customer's records have changed after a revision.
public struct TransactionFollowing: Hashable, Codable, Sendable {
  /// ``TransactionChanges/revision`` of the last page. Nil, or a revision of another epoch, counts as changed.
  public let after: StoreRevision?
  public init(after: StoreRevision?) { self.after = after }
}

extension AppStoreConnection {
  public func changes(
    after cursor: ChangeCursor, waitSeconds: Double, follows: TransactionFollowing? = nil,
    for installation: InstallationID
  ) async throws -> DeviceChanges {
    try await send(ChangesCall(after: cursor, waitSeconds: waitSeconds, follows: follows), for: installation)
  }
}

extension DeviceAPI.Verb { public static let subscriptions: Self = "subscriptions" }

/// Lists the subscriptions of the signed-in customer in the app.
public struct SubscriptionsCall: StoreCall {
  public typealias Answer = SubscriptionOverview
  public static let verb = DeviceAPI.Verb.subscriptions
  public init() {}
}

extension AppStoreConnection {
  public func subscriptions(for installation: InstallationID) async throws -> SubscriptionOverview {
    try await send(SubscriptionsCall(), for: installation)
  }
}

extension DeviceAPI.Verb { public static let changeSubscription: Self = "changeSubscription" }

/// Changes a subscription of the signed-in customer, as in the device's settings.
public struct ChangeSubscriptionCall: StoreCall {
  public typealias Answer = EmptyAnswer
  public static let verb = DeviceAPI.Verb.changeSubscription
  public let originalTransactionID: TransactionID
  public let setting: SubscriptionSetting

  public init(originalTransactionID: TransactionID, setting: SubscriptionSetting) {
    self.originalTransactionID = originalTransactionID
    self.setting = setting
  }

  public var subject: CallSubject { CallSubject(transactionID: originalTransactionID) }
}

extension AppStoreConnection {
  public func changeSubscription(
    _ original: TransactionID, _ setting: SubscriptionSetting, for installation: InstallationID
  ) async throws {
    _ = try await send(ChangeSubscriptionCall(originalTransactionID: original, setting: setting), for: installation)
  }
}

extension DeviceAPI.Verb { public static let appTransaction: Self = "appTransaction" }

/// Returns the app transaction of the signed-in customer, signed for the installation's device.
public struct AppTransactionCall: StoreCall {
  public static let verb = DeviceAPI.Verb.appTransaction
  public init() {}

  public struct Answer: Hashable, Codable, Sendable {
    /// The app transaction as a compact JWS.
    public let signedAppTransaction: String
    public init(signedAppTransaction: String) { self.signedAppTransaction = signedAppTransaction }
  }

  public static func listedBytes(of answer: Answer) -> Int { answer.signedAppTransaction.utf8.count }
}

extension AppStoreConnection {
  public func appTransaction(for installation: InstallationID) async throws -> String {
    try await send(AppTransactionCall(), for: installation).signedAppTransaction
  }
}

extension DeviceAPI.Verb { public static let requestRefund: Self = "requestRefund" }

/// Records the signed-in customer's request for a refund. The store decides later.
///
/// Refused with `refundNotPossible` if the purchase cannot be refunded, and with `refundRequested` while a request for it
/// is not decided.
public struct RequestRefundCall: StoreCall {
  public typealias Answer = EmptyAnswer
  public static let verb = DeviceAPI.Verb.requestRefund
  public let transactionID: TransactionID
  public let reason: RefundReason

  public init(transactionID: TransactionID, reason: RefundReason) {
    self.transactionID = transactionID
    self.reason = reason
  }

  public var subject: CallSubject { CallSubject(transactionID: transactionID) }
}

/// The reason that a customer gives for a refund request.
public enum RefundReason: String, Hashable, Codable, Sendable, CaseIterable {
  case unintendedPurchase, fulfillmentIssue, unsatisfiedWithPurchase, legal, other
}

extension AppStoreConnection {
  public func requestRefund(
    of transaction: TransactionID, reason: RefundReason, for installation: InstallationID
  ) async throws {
    _ = try await send(RequestRefundCall(transactionID: transaction, reason: reason), for: installation)
  }
}

extension DeliveryBatch {
  fileprivate var listedBytes: Int {
    deliveries.reduce(receipt?.count ?? 0) { size, delivery in
      size + delivery.signedTransaction.utf8.count + (delivery.transactionReceipt?.count ?? 0)
        + (delivery.redelivery?.originalReceipt?.count ?? 0)
    }
  }
}
