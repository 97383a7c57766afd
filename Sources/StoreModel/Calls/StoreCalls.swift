import Foundation

// The calls a device can make. What each means is said at AppStoreDesk.

public struct RegisterCall: StoreCall {
  public static let verb = DeviceDoor.Verb.register
  public let registration: InstallationRegistration
  public init(registration: InstallationRegistration) { self.registration = registration }

  public func answer(at desk: some AppStoreDesk, from installation: InstallationID) async throws -> StoreGreeting {
    guard installation == registration.installationID else {
      throw StoreRefusal(.malformedRequest, "An installation can only register itself.")
    }
    return try await desk.register(registration)
  }
}

public struct SignInCall: StoreCall {
  public static let verb = DeviceDoor.Verb.signIn
  public let credentials: SignInCredentials
  public init(credentials: SignInCredentials) { self.credentials = credentials }

  public func answer(at desk: some AppStoreDesk, from installation: InstallationID) async throws -> SignedInAccount {
    try await desk.signIn(credentials, from: installation)
  }
}

public struct SignOutCall: StoreCall {
  public static let verb = DeviceDoor.Verb.signOut
  public init() {}

  public func answer(at desk: some AppStoreDesk, from installation: InstallationID) async throws -> EmptyAnswer {
    try await desk.signOut(from: installation)
    return EmptyAnswer()
  }
}

public struct ProductsCall: StoreCall {
  public static let verb = DeviceDoor.Verb.products
  public let productIDs: [ProductID]
  public init(productIDs: [ProductID]) { self.productIDs = productIDs }

  public func answer(at desk: some AppStoreDesk, from installation: InstallationID) async throws -> ProductList {
    try await desk.products(productIDs, from: installation)
  }
}

public struct QuoteCall: StoreCall {
  public static let verb = DeviceDoor.Verb.quote
  public let payment: PaymentRequest
  public init(payment: PaymentRequest) { self.payment = payment }

  public func answer(at desk: some AppStoreDesk, from installation: InstallationID) async throws -> PaymentQuote {
    try await desk.quote(payment, from: installation)
  }
}

public struct ConfirmCall: StoreCall {
  public static let verb = DeviceDoor.Verb.confirm
  public let quote: PaymentQuote
  public init(quote: PaymentQuote) { self.quote = quote }

  public func answer(
    at desk: some AppStoreDesk, from installation: InstallationID
  ) async throws -> ConfirmationResult {
    try await desk.confirm(quote, from: installation)
  }
}

public struct UnfinishedCall: StoreCall {
  public static let verb = DeviceDoor.Verb.unfinished
  public init() {}

  public func answer(at desk: some AppStoreDesk, from installation: InstallationID) async throws -> DeliveryBatch {
    try await desk.unfinished(from: installation)
  }
}

public struct FinishCall: StoreCall {
  public static let verb = DeviceDoor.Verb.finish
  public let transactionID: TransactionID
  public init(transactionID: TransactionID) { self.transactionID = transactionID }

  public func answer(at desk: some AppStoreDesk, from installation: InstallationID) async throws -> EmptyAnswer {
    try await desk.finish(transactionID, from: installation)
    return EmptyAnswer()
  }
}

public struct RestoreCall: StoreCall {
  public static let verb = DeviceDoor.Verb.restore
  /// The last page's; nil for the first page.
  public let after: RestoreCursor?
  /// For restored payments whose purchase had none.
  public let applicationUsername: String?

  public init(after: RestoreCursor?, applicationUsername: String?) {
    self.after = after
    self.applicationUsername = applicationUsername
  }

  public func answer(at desk: some AppStoreDesk, from installation: InstallationID) async throws -> RestoredPage {
    try await desk.restore(after: after, applicationUsername: applicationUsername, from: installation)
  }
}

public struct RefreshReceiptCall: StoreCall {
  public static let verb = DeviceDoor.Verb.refreshReceipt
  public init() {}

  public struct Answer: Hashable, Codable, Sendable {
    /// The app receipt (DER).
    public let receipt: Data
    public init(receipt: Data) { self.receipt = receipt }
  }

  public func answer(at desk: some AppStoreDesk, from installation: InstallationID) async throws -> Answer {
    Answer(receipt: try await desk.refreshReceipt(from: installation))
  }
}

public struct ChangesCall: StoreCall {
  public static let verb = DeviceDoor.Verb.changes
  public let after: ChangeCursor
  /// How long the caller is ready to wait for something to happen; 0 to 60.
  public let waitSeconds: Double

  public init(after: ChangeCursor, waitSeconds: Double) {
    self.after = after
    self.waitSeconds = waitSeconds
  }

  public func answer(at desk: some AppStoreDesk, from installation: InstallationID) async throws -> DeviceChanges {
    try await desk.changes(after: after, waitSeconds: waitSeconds, from: installation)
  }
}

/// Where there is nothing to say.
public struct EmptyAnswer: Hashable, Codable, Sendable {
  public init() {}
}
