import Foundation

// The calls that a device can make.

/// Registers the installation. A device sends it before all other calls, and again after `unknownInstallation`.
public struct RegisterCall: StoreCall {
  public typealias Answer = StoreGreeting
  public static let verb = DeviceAPI.Verb.register
  public let registration: InstallationRegistration
  public init(registration: InstallationRegistration) { self.registration = registration }
}

/// Signs a customer in on the installation. A customer who was signed in before is signed out.
public struct SignInCall: StoreCall {
  public typealias Answer = SignedInAccount
  public static let verb = DeviceAPI.Verb.signIn
  public let credentials: SignInCredentials
  public init(credentials: SignInCredentials) { self.credentials = credentials }
}

/// Signs the customer out on the installation.
public struct SignOutCall: StoreCall {
  public typealias Answer = EmptyAnswer
  public static let verb = DeviceAPI.Verb.signOut
  public init() {}
}

/// Lists the requested products, in the language and currency of the installation's storefront.
public struct ProductsCall: StoreCall {
  public typealias Answer = ProductList
  public static let verb = DeviceAPI.Verb.products
  public let productIDs: [ProductID]
  public init(productIDs: [ProductID]) { self.productIDs = productIDs }
}

/// Returns the price of a payment for the signed-in customer. Changes nothing in the store.
public struct QuoteCall: StoreCall {
  public typealias Answer = PaymentQuote
  public static let verb = DeviceAPI.Verb.quote
  public let payment: PaymentRequest
  public init(payment: PaymentRequest) { self.payment = payment }
}

/// Charges the customer for a confirmed quote. If the store has already decided on the payment, it returns the same
/// answer again.
public struct ConfirmCall: StoreCall {
  public typealias Answer = ConfirmationResult
  public static let verb = DeviceAPI.Verb.confirm
  public let quote: PaymentQuote
  public init(quote: PaymentQuote) { self.quote = quote }
}

/// Lists the transactions that the installation has not finished, one page at a time, oldest first.
public struct UnfinishedCall: StoreCall {
  public typealias Answer = DeliveryBatch
  public static let verb = DeviceAPI.Verb.unfinished
  /// ``DeliveryBatch/next`` of the previous page; nil for the first page.
  public let after: UnfinishedCursor?
  public init(after: UnfinishedCursor? = nil) { self.after = after }
}

/// Finishes a transaction.
///
/// Finishing it again changes nothing. A transaction that was not delivered to the installation is refused.
public struct FinishCall: StoreCall {
  public typealias Answer = EmptyAnswer
  public static let verb = DeviceAPI.Verb.finish
  public let transactionID: TransactionID
  public init(transactionID: TransactionID) { self.transactionID = transactionID }
}

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
}

/// Returns the current app receipt of the installation, even if the customer has bought nothing.
public struct RefreshReceiptCall: StoreCall {
  public static let verb = DeviceAPI.Verb.refreshReceipt
  public init() {}

  public struct Answer: Hashable, Codable, Sendable {
    /// The app receipt (DER).
    public let receipt: Data
    public init(receipt: Data) { self.receipt = receipt }
  }
}

/// Lists the changes for the installation after a cursor. If there is no change, waits up to `waitSeconds` for one.
public struct ChangesCall: StoreCall {
  public typealias Answer = DeviceChanges
  public static let verb = DeviceAPI.Verb.changes
  public let after: ChangeCursor
  /// The maximum time to wait, in seconds: 0 to 60.
  public let waitSeconds: Double

  public init(after: ChangeCursor, waitSeconds: Double) {
    self.after = after
    self.waitSeconds = waitSeconds
  }
}

/// Lists the subscriptions of the signed-in customer in the app.
public struct SubscriptionsCall: StoreCall {
  public typealias Answer = SubscriptionOverview
  public static let verb = DeviceAPI.Verb.subscriptions
  public init() {}
}

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
}

/// The answer of calls that return no value.
public struct EmptyAnswer: Hashable, Codable, Sendable {
  public init() {}
}
