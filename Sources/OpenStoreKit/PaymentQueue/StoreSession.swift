import Foundation
import SignedData
import StoreModel

/// This installation's standing with the store: registered, bound to the store's epoch and root, signed in.
actor StoreSession {
  private let connection: any AppStoreConnection
  private let registration: InstallationRegistration
  private let journal: PaymentJournal
  private let customer: any StoreCustomer
  private let tell: @Sendable (News) async -> Void
  nonisolated let storefront = KnownStorefront()
  private var greeting: Task<Standing, any Error>?

  /// What the session finds out about the store and others have to know.
  enum News: Sendable {
    /// The store began another epoch: what it holds now is to be asked for.
    case epochEnded
    case storefrontChanged
  }

  /// What registration gives.
  struct Standing: Sendable {
    let epoch: StoreEpoch
    let transactions: SignedDataVerifier
    let receipts: SignedDataVerifier
  }

  init(
    connection: any AppStoreConnection, registration: InstallationRegistration, journal: PaymentJournal,
    customer: any StoreCustomer, tell: @escaping @Sendable (News) async -> Void
  ) {
    self.connection = connection
    self.registration = registration
    self.journal = journal
    self.customer = customer
    self.tell = tell
  }

  /// Performs `operation` as a registered installation; registers (again) where the store asks for it.
  func perform<Answer: Sendable>(
    _ operation: @Sendable (any AppStoreConnection, InstallationID) async throws -> Answer
  ) async throws -> Answer {
    _ = try await standing()
    do {
      return try await operation(connection, registration.installationID)
    } catch let refusal as StoreRefusal where refusal.code == .unknownInstallation {
      greeting = nil
      _ = try await standing()
      return try await operation(connection, registration.installationID)
    }
  }

  /// Forgets the registration; the next call makes it again.
  func forgetStanding() { greeting = nil }

  /// Registers again, to hear what changed.
  func refreshStanding() async {
    greeting = nil
    // The next call tries again, and reports.
    _ = try? await standing()
  }

  /// From 1970 to the year 9999: what an app's calendar can be trusted with.
  private static let plausibleDates =
    StoreDate(millisecondsSince1970: 0)...StoreDate(millisecondsSince1970: 253_402_300_799_999)

  private static let signInAttempts = 3

  /// Asks the customer to sign in, until the store accepts, the customer gives up, or three attempts were refused.
  ///
  /// - Throws: ``PaymentFailure``: a cancellation where the customer cancels the first sheet, and
  ///   `SSServerErrorDomain` 5020 where no password was accepted.
  func signIn() async throws {
    var failure = PaymentFailure.cancelled
    var reason = SignInReason.notSignedIn
    for _ in 0..<Self.signInAttempts {
      guard case .credentials(let credentials) = await customer.signIn(reason) else { throw failure }
      do {
        return try await signIn(credentials)
      } catch let refusal as StoreRefusal where refusal.code == .signInRefused {
        reason = .refused(refusal)
        failure = .passwordRefused(refusal)
      }
    }
    throw failure
  }

  /// Signs in with `credentials`, in place of whoever was before.
  func signIn(_ credentials: SignInCredentials) async throws {
    let account = try await perform { try await $0.signIn(credentials, on: $1) }
    await see(storefront: account.storefrontCountryCode)
  }

  func signOut() async throws {
    try await perform { try await $0.signOut(on: $1) }
    await refreshStanding()
  }

  private func see(storefront countryCode: String) async {
    if storefront.see(Storefront(countryCode: countryCode)) { await tell(.storefrontChanged) }
  }

  /// Fetches the receipt as it is now, verifies and keeps it. Where the store wants a sign-in, the customer is asked,
  /// if `asksToSignIn`.
  ///
  /// - Throws: ``PaymentFailure`` where the customer would not sign in, ``StoreRefusal``, ``StoreConnectionFailure``, or
  ///   why the receipt cannot be believed.
  func refreshReceipt(asksToSignIn: Bool = true) async throws {
    var asked = journal.receiptOrder.requestBegins()
    let receipt: Data
    do {
      receipt = try await perform { try await $0.refreshReceipt(for: $1) }
    } catch let refusal as StoreRefusal where refusal.code == .signInRequired && asksToSignIn {
      try await signIn()
      asked = journal.receiptOrder.requestBegins()
      receipt = try await perform { try await $0.refreshReceipt(for: $1) }
    }
    try journal.keep(try await verify(receipt, askedAt: asked, try await standing()))
  }

  /// A page of what the account that is signed in owns. Where nobody is, the customer is asked.
  ///
  /// - Throws: ``PaymentFailure`` where the customer would not sign in, ``StoreRefusal``, ``StoreConnectionFailure``.
  func restoredPage(after cursor: RestoreCursor?, applicationUsername: String?) async throws -> RestoredPage {
    do {
      return try await perform {
        try await $0.restore(after: cursor, applicationUsername: applicationUsername, for: $1)
      }
    } catch let refusal as StoreRefusal where refusal.code == .signInRequired && cursor == nil {
      try await signIn()
      return try await perform {
        try await $0.restore(after: nil, applicationUsername: applicationUsername, for: $1)
      }
    }
  }

  /// What of a delivery can be believed, and why the rest cannot.
  struct VerifiedBatch: Sendable {
    var arrivals: [PaymentJournal.Arrival] = []
    var receipt: VerifiedReceipt?
    var problems: [any Error] = []
  }

  /// Checks what the store delivered, each transaction and the receipt by itself; only what is signed is believed.
  ///
  /// Which payment a transaction answers is not signed: its content is compared with the payment's.
  ///
  /// - Parameter asked: when the delivery was asked for.
  func verify(_ batch: DeliveryBatch, askedAt asked: ReceiptOrder.Moment) async throws -> VerifiedBatch {
    let standing = try await standing()
    var result = VerifiedBatch()
    for delivery in batch.deliveries {
      do {
        result.arrivals.append(try await verify(delivery, standing))
      } catch {
        result.problems.append(error)
      }
    }
    if let receipt = batch.receipt {
      do {
        result.receipt = try await verify(receipt, askedAt: asked, standing)
      } catch {
        result.problems.append(error)
      }
    }
    return result
  }

  private func verify(
    _ receipt: Data, askedAt asked: ReceiptOrder.Moment, _ standing: Standing
  ) async throws -> VerifiedReceipt {
    var expectation = expectation
    expectation.device = .vendorIdentifier(registration.deviceID)
    let verified = try await standing.receipts.verifyAppReceipt(receipt, expecting: expectation).value
    return VerifiedReceipt(
      data: receipt, creationDate: verified.creationDate,
      transactionIDs: Set(verified.inAppPurchases.map(\.transactionID)), askedAt: asked)
  }

  private func verify(
    _ delivery: TransactionDelivery, _ standing: Standing
  ) async throws -> PaymentJournal.Arrival {
    let transaction = try await standing.transactions.verifyTransaction(
      delivery.signedTransaction, expecting: expectation
    ).value
    guard Self.plausibleDates.contains(transaction.purchaseDate) else {
      throw StoreKitDeviceError.deliveryMismatch("a purchase on \(transaction.purchaseDate)")
    }
    let revocation = try Self.revocation(of: transaction)
    let redelivery = delivery.redelivery
    // A redelivery's id is not signed. For what is owned that does not matter, because it is known by its original; a
    // consumable would be given once more for each id somebody makes up.
    guard redelivery == nil || transaction.type?.isRestorable == true else {
      throw StoreKitDeviceError.deliveryMismatch("a \(transaction.productID) once more, which is not owned for ever")
    }
    if let redelivery, !Self.plausibleDates.contains(redelivery.date) {
      throw StoreKitDeviceError.deliveryMismatch("a delivery on \(redelivery.date)")
    }
    let isFirst = redelivery == nil && transaction.originalTransactionID == transaction.transactionID
    return PaymentJournal.Arrival(
      payment: delivery.paymentID,
      transaction: PurchasedTransaction(
        transactionID: redelivery?.transactionID ?? transaction.transactionID, productID: transaction.productID,
        quantity: transaction.quantity, purchaseDate: redelivery?.date ?? transaction.purchaseDate,
        signedTransaction: delivery.signedTransaction, transactionReceipt: delivery.transactionReceipt,
        original: isFirst
          ? nil
          : OriginalTransaction(
            transactionID: transaction.originalTransactionID, purchaseDate: transaction.originalPurchaseDate,
            transactionReceipt: redelivery?.originalReceipt),
        revocation: revocation, signedDate: transaction.signedDate),
      appAccountToken: transaction.appAccountToken, applicationUsername: delivery.applicationUsername,
      isRedelivered: redelivery != nil)
  }

  /// The revocation of what is delivered all the same: a consumable of which a part stays paid. Nil where nothing was revoked.
  private static func revocation(of transaction: SignedTransaction) throws -> PurchaseRevocation? {
    guard let date = transaction.revocationDate else { return nil }
    guard transaction.type == .consumable, let percentage = transaction.revocationPercentage,
      (1..<Int64(Percentage.whole)).contains(percentage), plausibleDates.contains(date)
    else {
      throw StoreKitDeviceError.deliveryMismatch("transaction \(transaction.transactionID), which was refunded")
    }
    return PurchaseRevocation(date: date, percentage: Int(percentage))
  }

  private var expectation: Expectation {
    Expectation(bundleID: registration.bundleID, environments: [registration.environment])
  }

  /// How far this installation has heard what happens in the store.
  func changeCursor() async throws -> ChangeCursor {
    _ = try await standing()
    return try journal.changeCursor() ?? ChangeCursor(rawValue: 0)
  }

  /// The epoch the store said it is in.
  func epoch() async throws -> StoreEpoch { try await standing().epoch }

  /// The standing with the store. Concurrent callers share one registration.
  private func standing() async throws -> Standing {
    if let greeting { return try await greeting.value }
    let task = Task { try await register() }
    greeting = task
    do {
      return try await task.value
    } catch {
      // A failure is not remembered: the next call tries again.
      if greeting == task { greeting = nil }
      throw error
    }
  }

  private func register() async throws -> Standing {
    let greeting = try await connection.register(registration)
    let roots = [[UInt8](greeting.rootCertificate), [UInt8](greeting.receiptRootCertificate)]
    let isAnotherEpoch = try journal.adopt(
      epoch: greeting.epoch, rootFingerprints: roots.map { SHA256Fingerprint(of: $0).description },
      changeCursor: greeting.changeCursor)
    if isAnotherEpoch { await tell(.epochEnded) }
    await see(storefront: greeting.storefrontCountryCode)
    return Standing(
      epoch: greeting.epoch,
      transactions: SignedDataVerifier(anchors: TrustAnchors(certificates: [roots[0]])),
      receipts: SignedDataVerifier(anchors: TrustAnchors(certificates: [roots[1]])))
  }
}
