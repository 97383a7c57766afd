import Foundation

/// Sends a device's calls to a store: over HTTP, or to an emulator in the same process.
public protocol AppStoreConnection: Sendable {
  /// Sends `call` on behalf of an installation, and returns the store's answer.
  ///
  /// Every call may be sent again: no call charges a payment twice, or finishes a transaction twice. A repeated
  /// ``RestoreCall`` delivers the purchases again, with new transaction ids.
  ///
  /// - Throws: ``StoreRefusal`` if the store refuses the call, and ``StoreConnectionFailure`` if no valid answer
  ///   arrived.
  func send<Call: StoreCall>(_ call: Call, for installation: InstallationID) async throws -> Call.Answer
}

// The calls of a device, as functions.
extension AppStoreConnection {
  public func register(_ registration: InstallationRegistration) async throws -> StoreGreeting {
    try await send(RegisterCall(registration: registration), for: registration.installationID)
  }

  public func signIn(
    _ credentials: SignInCredentials, on installation: InstallationID
  ) async throws -> SignedInAccount {
    try await send(SignInCall(credentials: credentials), for: installation)
  }

  public func signOut(on installation: InstallationID) async throws {
    _ = try await send(SignOutCall(), for: installation)
  }

  public func products(_ identifiers: [ProductID], for installation: InstallationID) async throws -> ProductList {
    try await send(ProductsCall(productIDs: identifiers), for: installation)
  }

  public func quote(_ payment: PaymentRequest, for installation: InstallationID) async throws -> PaymentQuote {
    try await send(QuoteCall(payment: payment), for: installation)
  }

  public func confirm(_ quote: PaymentQuote, for installation: InstallationID) async throws -> ConfirmationResult {
    try await send(ConfirmCall(quote: quote), for: installation)
  }

  public func unfinished(
    after: UnfinishedCursor? = nil, for installation: InstallationID
  ) async throws -> DeliveryBatch {
    try await send(UnfinishedCall(after: after), for: installation)
  }

  public func finish(_ transaction: TransactionID, for installation: InstallationID) async throws {
    _ = try await send(FinishCall(transactionID: transaction), for: installation)
  }

  public func restore(
    after cursor: RestoreCursor?, applicationUsername: String? = nil, for installation: InstallationID
  ) async throws -> RestoredPage {
    try await send(RestoreCall(after: cursor, applicationUsername: applicationUsername), for: installation)
  }

  public func refreshReceipt(for installation: InstallationID) async throws -> Data {
    try await send(RefreshReceiptCall(), for: installation).receipt
  }

  public func subscriptions(for installation: InstallationID) async throws -> SubscriptionOverview {
    try await send(SubscriptionsCall(), for: installation)
  }

  public func changeSubscription(
    _ original: TransactionID, _ setting: SubscriptionSetting, for installation: InstallationID
  ) async throws {
    _ = try await send(ChangeSubscriptionCall(originalTransactionID: original, setting: setting), for: installation)
  }

  public func changes(
    after cursor: ChangeCursor, waitSeconds: Double, for installation: InstallationID
  ) async throws -> DeviceChanges {
    try await send(ChangesCall(after: cursor, waitSeconds: waitSeconds), for: installation)
  }
}

/// Thrown when the device received no valid answer from the store.
public enum StoreConnectionFailure: DescribedError {
  /// The device could not connect. Nothing was sent.
  case unreachable(reason: String)
  /// The request may have arrived, but no answer came.
  case noAnswer(reason: String)
  /// The answer does not follow the protocol of ``DeviceAPI``.
  case unintelligible(reason: String)

  public var description: String {
    switch self {
    case .unreachable(let reason): "Cannot reach the store: \(reason)"
    case .noAnswer(let reason): "The store did not answer: \(reason)"
    case .unintelligible(let reason): "What answered is not a store this app understands: \(reason)"
    }
  }
}
