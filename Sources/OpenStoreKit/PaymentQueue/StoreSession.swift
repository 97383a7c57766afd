import Foundation
import SignedData
import StoreModel

/// The session of this installation with the store: its registration, the store's epoch and roots, and the sign-in.
actor StoreSession {
  private let connection: any AppStoreConnection
  let registration: InstallationRegistration
  private let journal: PaymentJournal
  private let customer: any StoreCustomer
  private let switches: DeviceSwitches
  private let timeout: Duration
  private let clock: any MachineClock
  private let notify: @Sendable (News) async -> Void
  nonisolated let storefront = KnownStorefront()
  /// The registration that is under way.
  private var greeting: Task<ServerState, any Error>?
  /// The last registration; nil before the first one, and after it was discarded.
  private nonisolated let knownState = LockedValue<ServerState?>(nil)

  /// An event that the session reports.
  enum News: Sendable {
    /// The store began another epoch, so the device must request its current state.
    case epochEnded
    case storefrontChanged
    /// A customer has signed in.
    case signedIn
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
      discardServerState()
      _ = try await serverState()
      return try await operation(connection, registration.installationID)
    }
  }

  /// Discards the registration. The next call registers again.
  func discardServerState() {
    greeting = nil
    knownState.value = nil
  }

  /// Registers again, to receive the current storefront.
  func refreshServerState() async {
    discardServerState()
    // Errors are ignored, because the next call tries again and reports them.
    _ = try? await serverState()
  }

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
    await notify(.signedIn)
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

  /// The version of the app.
  nonisolated var applicationVersion: String { registration.applicationVersion }

  /// Requests and verifies the app transaction, and stores it if it was verified.
  ///
  /// - Throws: ``StoreRefusal``, ``StoreConnectionFailure``.
  func requestAppTransaction() async throws -> ReceivedAppTransaction {
    let (account, jws) = try await perform { [journal] in
      (try journal.account(), try await $0.appTransaction(for: $1))
    }
    do {
      _ = try await serverState().transactions.verifyAppTransaction(jws, expecting: deviceExpectation)
    } catch let failure as VerificationFailure {
      guard (try? SignedAppTransaction(payload: try JWSPayload.bytes(ofJWS: jws))) != nil else {
        throw StoreConnectionFailure.unintelligible(reason: "an app transaction that cannot be read: \(failure)")
      }
      return ReceivedAppTransaction(jws: jws, failure: failure)
    }
    try journal.keep(appTransaction: jws, requestedBy: account)
    return ReceivedAppTransaction(jws: jws, failure: nil)
  }

  /// The cursor of the last processed change.
  func changeCursor() async throws -> ChangeCursor {
    _ = try await serverState()
    return try journal.changeCursor() ?? ChangeCursor(rawValue: 0)
  }

  /// The store's current epoch.
  func epoch() async throws -> StoreEpoch { try await serverState().epoch }

  /// The registration with the store. Concurrent callers share one registration.
  func serverState() async throws -> ServerState {
    if let greeting { return try await greeting.value }
    if let known = knownState.value { return known }
    let task = Task { try await register() }
    greeting = task
    defer {
      // A failure is not kept, so that the next call tries again.
      if greeting == task { greeting = nil }
    }
    let state = try await task.value
    if greeting == task { knownState.value = state }
    return state
  }

  /// Uses a registration of which a test session has told. Does not change the journal.
  nonisolated func adopt(_ greeting: StoreGreeting) {
    knownState.value = ServerState(greeting, in: registration.environment)
  }

  private func register() async throws -> ServerState {
    let greeting = try await connection.register(registration)
    let isAnotherEpoch = try journal.adopt(greeting)
    switches.adopt(greeting.settings ?? InstallationSettings())
    if isAnotherEpoch { await notify(.epochEnded) }
    await see(storefront: greeting.storefrontCountryCode)
    return ServerState(greeting, in: registration.environment)
  }
}

extension StoreSession.ServerState {
  fileprivate init(_ greeting: StoreGreeting, in environment: StoreEnvironment) {
    let roots = [[UInt8](greeting.rootCertificate), [UInt8](greeting.receiptRootCertificate)]
    let anchors = roots.map { root in
      environment == .xcode
        ? TrustAnchors(selfSignedFingerprints: [SHA256Fingerprint(of: root)]) : TrustAnchors(certificates: [root])
    }
    self.init(
      epoch: greeting.epoch, transactions: SignedDataVerifier(anchors: anchors[0]),
      receipts: SignedDataVerifier(anchors: anchors[1]))
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
