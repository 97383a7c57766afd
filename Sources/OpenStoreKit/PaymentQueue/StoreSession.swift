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
  private var storefrontCode: String?

  /// What registration gives.
  struct Standing: Sendable {
    let greeting: StoreGreeting
    let verifier: SignedDataVerifier
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

  /// Asks the customer to sign in until the store accepts or the customer cancels.
  ///
  /// - Returns: whether somebody is signed in.
  func signIn() async throws -> Bool {
    var reason = SignInReason.notSignedIn
    while true {
      guard case .credentials(let credentials) = await customer.signIn(reason) else { return false }
      do {
        let account = try await perform { try await $0.signIn(credentials, on: $1) }
        storefrontCode = account.storefrontCountryCode
        return true
      } catch let refusal as StoreRefusal where refusal.code == .signInRefused {
        reason = .refused(refusal)
      }
    }
  }

  /// Checks what the store delivered; only what is signed is believed.
  func verify(_ batch: DeliveryBatch) async throws -> [PaymentJournal.Arrival] {
    let verifier = try await standing().verifier
    var arrivals: [PaymentJournal.Arrival] = []
    for delivery in batch.deliveries {
      let verified = try await verifier.verifyTransaction(
        delivery.signedTransaction,
        expecting: Expectation(bundleID: registration.bundleID, environments: [registration.environment]))
      let transaction = verified.value
      arrivals.append(
        PaymentJournal.Arrival(
          payment: delivery.paymentID,
          transaction: PurchasedTransaction(
            transactionID: transaction.transactionID, productID: transaction.productID,
            quantity: transaction.quantity, purchaseDate: transaction.purchaseDate,
            signedTransaction: delivery.signedTransaction),
          applicationUsername: delivery.applicationUsername))
    }
    return arrivals
  }

  /// The storefront of whoever is signed in, as the store said last; nil before first contact.
  var storefront: Storefront? { storefrontCode.flatMap(Storefront.init(countryCode:)) }

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
    let root = [UInt8](greeting.rootCertificate)
    let ended = try journal.adopt(
      epoch: greeting.epoch, rootFingerprint: SHA256Fingerprint(of: root).description)
    if storefrontCode == nil || greeting.account != nil { storefrontCode = greeting.storefrontCountryCode }
    if !ended.isEmpty { await epochEnded(ended) }
    return Standing(
      greeting: greeting,
      verifier: SignedDataVerifier(anchors: TrustAnchors(certificates: [root])))
  }
}
