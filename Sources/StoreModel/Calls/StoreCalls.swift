import Foundation

// The calls that a device can make.

/// Registers the installation. It comes before every other call, and again after `unknownInstallation`.
public struct RegisterCall: StoreCall {
  public typealias Answer = StoreGreeting
  public static let verb = DeviceAPI.Verb.register
  public let registration: InstallationRegistration
  public init(registration: InstallationRegistration) { self.registration = registration }
}

/// Signs a customer in on the installation, in place of the one who was signed in.
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

/// Lists products in the language and currency of the installation's storefront.
public struct ProductsCall: StoreCall {
  public typealias Answer = ProductList
  public static let verb = DeviceAPI.Verb.products
  public let productIDs: [ProductID]
  public init(productIDs: [ProductID]) { self.productIDs = productIDs }
}

/// Quotes what a payment costs the signed-in customer. Changes nothing.
public struct QuoteCall: StoreCall {
  public typealias Answer = PaymentQuote
  public static let verb = DeviceAPI.Verb.quote
  public let payment: PaymentRequest
  public init(payment: PaymentRequest) { self.payment = payment }
}

/// Charges what the customer confirmed. A payment id that was decided before gets the same answer again.
public struct ConfirmCall: StoreCall {
  public typealias Answer = ConfirmationResult
  public static let verb = DeviceAPI.Verb.confirm
  public let quote: PaymentQuote
  public init(quote: PaymentQuote) { self.quote = quote }
}

/// Lists the transactions that the installation has not finished, oldest first.
public struct UnfinishedCall: StoreCall {
  public typealias Answer = DeliveryBatch
  public static let verb = DeviceAPI.Verb.unfinished
  public init() {}
}

/// Finishes a transaction. Finishing it again, or one that this store never made, is refused or ignored.
public struct FinishCall: StoreCall {
  public typealias Answer = EmptyAnswer
  public static let verb = DeviceAPI.Verb.finish
  public let transactionID: TransactionID
  public init(transactionID: TransactionID) { self.transactionID = transactionID }
}

/// Redelivers what the signed-in customer owns, one page at a time, oldest first. Each call delivers under new ids.
public struct RestoreCall: StoreCall {
  public typealias Answer = RestoredPage
  public static let verb = DeviceAPI.Verb.restore
  /// The last page's; nil for the first page.
  public let after: RestoreCursor?
  /// For restored payments whose purchase had none.
  public let applicationUsername: String?

  public init(after: RestoreCursor?, applicationUsername: String?) {
    self.after = after
    self.applicationUsername = applicationUsername
  }
}

/// Returns the installation's app receipt of now, also if nothing was bought yet.
public struct RefreshReceiptCall: StoreCall {
  public static let verb = DeviceAPI.Verb.refreshReceipt
  public init() {}

  public struct Answer: Hashable, Codable, Sendable {
    /// The app receipt (DER).
    public let receipt: Data
    public init(receipt: Data) { self.receipt = receipt }
  }
}

/// Lists the changes for the installation after a cursor. Waits for one, `waitSeconds` at most.
public struct ChangesCall: StoreCall {
  public typealias Answer = DeviceChanges
  public static let verb = DeviceAPI.Verb.changes
  public let after: ChangeCursor
  /// How long the caller is ready to wait for something to happen; 0 to 60.
  public let waitSeconds: Double

  public init(after: ChangeCursor, waitSeconds: Double) {
    self.after = after
    self.waitSeconds = waitSeconds
  }
}

/// Where there is nothing to say.
public struct EmptyAnswer: Hashable, Codable, Sendable {
  public init() {}
}
