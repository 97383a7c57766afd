import Foundation
import SignedData
import StoreModel

/// The session of this installation with the store: its registration, the store's epoch and roots, and the sign-in.
actor StoreSession {
  private let connection: any AppStoreConnection
  private let registration: InstallationRegistration
  private let journal: PaymentJournal
  private let customer: any StoreCustomer
  private let switches: DeviceSwitches
  private let timeout: Duration
  private let clock: any MachineClock
  private let notify: @Sendable (News) async -> Void
  nonisolated let storefront = KnownStorefront()
  private var greeting: Task<ServerState, any Error>?

  /// An event that the session reports.
  enum News: Sendable {
    /// The store began another epoch, so the device must request its current state.
    case epochEnded
    case storefrontChanged
  }

  /// The result of the registration.
  struct ServerState: Sendable {
    let epoch: StoreEpoch
    let transactions: SignedDataVerifier
    let receipts: SignedDataVerifier
  }

  init(
    connection: any AppStoreConnection, registration: InstallationRegistration, journal: PaymentJournal,
    customer: any StoreCustomer, switches: DeviceSwitches, timeout: Duration, clock: any MachineClock,
    notify: @escaping @Sendable (News) async -> Void
  ) {
    self.connection = connection
    self.registration = registration
    self.journal = journal
    self.customer = customer
    self.switches = switches
    self.timeout = timeout
    self.clock = clock
    self.notify = notify
  }

  /// Performs `operation` as ``performPatiently(_:)`` does, for a limited time.
  ///
  /// - Throws: ``StoreConnectionFailure/noAnswer(reason:)`` if the store has not answered in time.
  func perform<Answer: Sendable>(
    _ operation: @escaping @Sendable (any AppStoreConnection, InstallationID) async throws -> Answer
  ) async throws -> Answer {
    let first = FirstResult<Answer>()
    let timer = Task { [clock, timeout] in
      try await clock.sleep(for: timeout)
      first.give(.failure(StoreConnectionFailure.noAnswer(reason: "there was no answer within \(timeout)")))
    }
    defer { timer.cancel() }
    return try await first.value { try await self.performPatiently(operation) }
  }

  /// Performs `operation` as a registered installation. Registers first if it is not registered yet, and again if the
  /// store no longer knows the installation. Only the connection limits the time.
  func performPatiently<Answer: Sendable>(
    _ operation: @Sendable (any AppStoreConnection, InstallationID) async throws -> Answer
  ) async throws -> Answer {
    _ = try await serverState()
    do {
      return try await operation(connection, registration.installationID)
    } catch let refusal as StoreRefusal where refusal.code == .unknownInstallation {
      greeting = nil
      _ = try await serverState()
      return try await operation(connection, registration.installationID)
    }
  }

  /// Discards the registration. The next call registers again.
  func discardServerState() { greeting = nil }

  /// Registers again, to receive the current storefront.
  func refreshServerState() async {
    greeting = nil
    // Errors are ignored, because the next call tries again and reports them.
    _ = try? await serverState()
  }

  /// The dates that are accepted in transactions: the years 1970 to 9999. Other dates may not work with an app's
  /// calendar.
  private static let plausibleDates =
    StoreDate(millisecondsSince1970: 0)...StoreDate(millisecondsSince1970: 253_402_300_799_999)

  private static let signInAttempts = 3

  /// Asks the customer to sign in, until the store accepts the credentials, the customer cancels, or three attempts
  /// were refused.
  ///
  /// - Parameter ask: shows the sheet; nil to show it to the customer at once.
  /// - Throws: ``PaymentFailure``: a cancellation if the customer cancels the first sheet, otherwise
  ///   `SSServerErrorDomain` 5020.
  func signIn(asking ask: (@Sendable (SignInReason) async -> SignInAnswer)? = nil) async throws {
    let ask = ask ?? { [customer] in await customer.signIn($0) }
    var failure = PaymentFailure.cancelled
    var reason = SignInReason.notSignedIn
    for _ in 0..<Self.signInAttempts {
      guard case .credentials(let credentials) = await ask(reason) else { throw failure }
      do {
        return try await signIn(credentials)
      } catch let refusal as StoreRefusal where refusal.code == .signInRefused {
        reason = .refused(refusal)
        failure = .passwordRefused(refusal)
      }
    }
    throw failure
  }

  /// Signs a customer in. A customer who was signed in before is signed out.
  func signIn(_ credentials: SignInCredentials) async throws {
    let account = try await perform { try await $0.signIn(credentials, on: $1) }
    try journal.adopt(account: account.account)
    await see(storefront: account.storefrontCountryCode)
  }

  func signOut() async throws {
    try await perform { try await $0.signOut(on: $1) }
    await refreshServerState()
  }

  private func see(storefront countryCode: String) async {
    if storefront.see(Territory(countryCode: countryCode)) { await notify(.storefrontChanged) }
  }

  /// Loads, verifies and stores the current receipt. If the store requires a sign-in and `asksToSignIn` is true, the
  /// customer is asked.
  ///
  /// - Throws: ``PaymentFailure`` if the customer did not sign in, ``StoreRefusal``, ``StoreConnectionFailure``, or an
  ///   error of the verification.
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
    try journal.keep(try await verify(receipt, askedAt: asked, try await serverState()))
  }

  /// Requests a page of the signed-in customer's purchases. If no customer is signed in when the first page is
  /// requested, the customer is asked to sign in.
  ///
  /// - Returns: the page, and the account that was signed in when it was requested.
  /// - Throws: ``PaymentFailure`` if the customer did not sign in, ``StoreRefusal``, ``StoreConnectionFailure``.
  func restoredPage(
    after cursor: RestoreCursor?, applicationUsername: String?
  ) async throws -> (page: RestoredPage, account: AccountName?) {
    let ask = { @Sendable [journal] (connection: any AppStoreConnection, installation: InstallationID) in
      let account = try journal.account()
      return (
        page: try await connection.restore(
          after: cursor, applicationUsername: applicationUsername, for: installation), account: account
      )
    }
    do {
      return try await perform(ask)
    } catch let refusal as StoreRefusal where refusal.code == .signInRequired && cursor == nil {
      try await signIn()
      return try await perform(ask)
    }
  }

  /// The verified parts of a delivery, and the errors of the other parts.
  struct VerifiedBatch: Sendable {
    var arrivals: [PaymentJournal.Arrival] = []
    /// All verified transactions, also those that the queue cannot show.
    var transactions: [DeviceTransaction] = []
    var receipt: VerifiedReceipt?
    var problems: [any Error] = []
  }

  /// Verifies each transaction of a delivery, and the receipt, independently of each other. Only signed values are
  /// trusted.
  ///
  /// The payment id of a transaction is not signed, so the journal compares the transaction with the payment.
  ///
  /// - Parameter asked: when the delivery was requested.
  func verify(_ batch: DeliveryBatch, askedAt asked: ReceiptOrder.Moment) async throws -> VerifiedBatch {
    let serverState = try await serverState()
    var result = VerifiedBatch()
    for delivery in batch.deliveries {
      do {
        let signed = try await verify(delivery.signedTransaction, serverState)
        var transaction = DeviceTransaction(signed, in: delivery.signedTransaction)
        transaction.account = delivery.account
        result.transactions.append(transaction)
        result.arrivals.append(try Self.arrival(of: delivery, signed))
      } catch {
        result.problems.append(error)
      }
    }
    if let receipt = batch.receipt {
      do {
        result.receipt = try await verify(receipt, askedAt: asked, serverState)
      } catch {
        result.problems.append(error)
      }
    }
    return result
  }

  /// Verifies each transaction of a page of changes by itself. Only signed values are trusted, and from the store also the
  /// revision and whether it is finished.
  ///
  /// - Returns: the verified transactions, and the errors of the others.
  func verify(
    _ page: TransactionChanges
  ) async throws -> (transactions: [DeviceTransaction], problems: [any Error]) {
    let serverState = try await serverState()
    var result: (transactions: [DeviceTransaction], problems: [any Error]) = ([], [])
    for changed in page.transactions {
      do {
        var transaction = DeviceTransaction(
          try await verify(changed.signedTransaction, serverState), in: changed.signedTransaction)
        transaction.account = page.account
        transaction.revision = changed.revision.number
        transaction.finishState = changed.isFinished ? .finished : .undelivered
        result.transactions.append(transaction)
      } catch {
        result.problems.append(error)
      }
    }
    return result
  }

  private func verify(
    _ receipt: Data, askedAt asked: ReceiptOrder.Moment, _ serverState: ServerState
  ) async throws -> VerifiedReceipt {
    var expectation = expectation
    expectation.device = .vendorIdentifier(registration.deviceID)
    let verified = try await serverState.receipts.verifyAppReceipt(receipt, expecting: expectation).value
    return VerifiedReceipt(
      data: receipt, creationDate: verified.creationDate,
      transactionIDs: Set(verified.inAppPurchases.map(\.transactionID)), askedAt: asked)
  }

  private func verify(_ jws: String, _ serverState: ServerState) async throws -> SignedTransaction {
    let transaction = try await serverState.transactions.verifyTransaction(jws, expecting: expectation).value
    guard Self.plausibleDates.contains(transaction.purchaseDate) else {
      throw StoreKitDeviceError.deliveryMismatch("a purchase on \(transaction.purchaseDate)")
    }
    return transaction
  }

  /// The delivery for the queue. Throws if the queue cannot show it.
  private static func arrival(
    of delivery: TransactionDelivery, _ transaction: SignedTransaction
  ) throws -> PaymentJournal.Arrival {
    let revocation = try revocation(of: transaction)
    let redelivery = delivery.redelivery
    // The id of a redelivery is not signed. For restorable products this is harmless, because the app identifies them
    // by the original transaction. A consumable would be granted again for each invented id.
    guard redelivery == nil || transaction.type?.isRestorable == true else {
      throw StoreKitDeviceError.deliveryMismatch("\(transaction.productID) once more, which is not owned for ever")
    }
    if let redelivery, !plausibleDates.contains(redelivery.date) {
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
      signed: transaction.transactionID, appAccountToken: transaction.appAccountToken,
      applicationUsername: delivery.applicationUsername,
      isRedelivered: redelivery != nil, isSubscription: transaction.type == .autoRenewableSubscription)
  }

  /// The revocation of a delivered transaction, which must be a partial refund of a consumable; nil if it was not
  /// revoked.
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

  /// The cursor of the last processed change.
  func changeCursor() async throws -> ChangeCursor {
    _ = try await serverState()
    return try journal.changeCursor() ?? ChangeCursor(rawValue: 0)
  }

  /// The store's current epoch.
  func epoch() async throws -> StoreEpoch { try await serverState().epoch }

  /// The registration with the store. Concurrent callers share one registration.
  private func serverState() async throws -> ServerState {
    if let greeting { return try await greeting.value }
    let task = Task { try await register() }
    greeting = task
    do {
      return try await task.value
    } catch {
      // A failure is not kept, so that the next call tries again.
      if greeting == task { greeting = nil }
      throw error
    }
  }

  private func register() async throws -> ServerState {
    let greeting = try await connection.register(registration)
    let roots = [[UInt8](greeting.rootCertificate), [UInt8](greeting.receiptRootCertificate)]
    let settings = greeting.settings ?? InstallationSettings()
    let isAnotherEpoch = try journal.adopt(
      epoch: greeting.epoch, rootFingerprints: roots.map { SHA256Fingerprint(of: $0).description },
      changeCursor: greeting.changeCursor, account: greeting.account, settings: settings)
    switches.adopt(settings)
    if isAnotherEpoch { await notify(.epochEnded) }
    await see(storefront: greeting.storefrontCountryCode)
    return ServerState(
      epoch: greeting.epoch,
      transactions: SignedDataVerifier(anchors: TrustAnchors(certificates: [roots[0]])),
      receipts: SignedDataVerifier(anchors: TrustAnchors(certificates: [roots[1]])))
  }
}

/// The storefront in the store's last answer.
final class KnownStorefront: Sendable {
  private let known = LockedValue<Territory?>(nil)

  /// Nil before the first contact with the store.
  var value: Territory? { known.value }

  /// Stores the storefront of a store's answer; nil is ignored.
  ///
  /// - Returns: whether another storefront was known before.
  func see(_ storefront: Territory?) -> Bool {
    guard let storefront else { return false }
    return known.withLock { known in
      defer { known = storefront }
      return known != nil && known != storefront
    }
  }
}
