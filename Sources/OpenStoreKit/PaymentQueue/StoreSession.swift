import Foundation
import SignedData
import StoreModel

/// This installation's standing with the store: registered, bound to the store's epoch and root, signed in.
actor StoreSession {
  private let connection: any AppStoreConnection
  private let registration: InstallationRegistration
  private let journal: PaymentJournal
  private let customer: any StoreCustomer
  /// Told of the entries that failed because the store began another epoch.
  private let epochEnded: @Sendable ([QueueEntry]) async -> Void
  private var greeting: Task<Standing, any Error>?

  /// What registration gives.
  struct Standing: Sendable {
    let epoch: StoreEpoch
    let transactions: SignedDataVerifier
    let receipts: SignedDataVerifier
  }

  init(
    connection: any AppStoreConnection, registration: InstallationRegistration, journal: PaymentJournal,
    customer: any StoreCustomer, epochEnded: @escaping @Sendable ([QueueEntry]) async -> Void
  ) {
    self.connection = connection
    self.registration = registration
    self.journal = journal
    self.customer = customer
    self.epochEnded = epochEnded
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

  /// From 1970 to the year 9999: what an app's calendar can be trusted with.
  private static let plausibleDates =
    StoreDate(millisecondsSince1970: 0)...StoreDate(millisecondsSince1970: 253_402_300_799_999)

  /// Asks the customer to sign in, until the store accepts, the customer cancels, or three attempts were refused.
  ///
  /// - Returns: whether somebody is signed in.
  func signIn() async throws -> Bool {
    var reason = SignInReason.notSignedIn
    for _ in 0..<3 {
      guard case .credentials(let credentials) = await customer.signIn(reason) else { return false }
      do {
        _ = try await perform { try await $0.signIn(credentials, on: $1) }
        return true
      } catch let refusal as StoreRefusal where refusal.code == .signInRefused {
        reason = .refused(refusal)
      }
    }
    return false
  }

  /// What of a delivery can be believed, and why the rest cannot.
  struct VerifiedBatch: Sendable {
    var arrivals: [PaymentJournal.Arrival] = []
    var receipt: Data?
    var problems: [any Error] = []
  }

  /// Checks what the store delivered, each transaction and the receipt by itself; only what is signed is believed.
  ///
  /// Which payment a transaction answers is not signed: its content is compared with the payment's.
  func verify(_ batch: DeliveryBatch) async throws -> VerifiedBatch {
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
        var expectation = expectation
        expectation.device = .vendorIdentifier(registration.deviceID)
        _ = try await standing.receipts.verifyAppReceipt(receipt, expecting: expectation)
        result.receipt = receipt
      } catch {
        result.problems.append(error)
      }
    }
    return result
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
    return PaymentJournal.Arrival(
      payment: delivery.paymentID,
      transaction: PurchasedTransaction(
        transactionID: transaction.transactionID, productID: transaction.productID, quantity: transaction.quantity,
        purchaseDate: transaction.purchaseDate, signedTransaction: delivery.signedTransaction,
        transactionReceipt: delivery.transactionReceipt),
      appAccountToken: transaction.appAccountToken, applicationUsername: delivery.applicationUsername)
  }

  private var expectation: Expectation {
    Expectation(bundleID: registration.bundleID, environments: [registration.environment])
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
    let ended = try journal.adopt(
      epoch: greeting.epoch, rootFingerprints: roots.map { SHA256Fingerprint(of: $0).description })
    if !ended.isEmpty { await epochEnded(ended) }
    return Standing(
      epoch: greeting.epoch,
      transactions: SignedDataVerifier(anchors: TrustAnchors(certificates: [roots[0]])),
      receipts: SignedDataVerifier(anchors: TrustAnchors(certificates: [roots[1]])))
  }
}
