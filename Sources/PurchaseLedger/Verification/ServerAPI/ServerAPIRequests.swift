import AppStoreServerAPI
import Crypto
import Foundation
import SignedData
import StoreModel

/// Asks the App Store Server API about the proofs of all apps. Simultaneous requests about the same proof are sent only once.
struct ServerAPIRequests: Sendable {
  /// One client for each app that is verified by the App Store Server API.
  let clients: [BundleID: AppStoreServerAPIClient]
  private let clock: any MachineClock
  private let storeClock: any MachineClock
  private let report: @Sendable (VerificationProblem) -> Void
  private let recent = RecentAnswers<Key, VerifiedProof>()
  private let shared: SharedRequests<Key, Result<VerifiedProof, ProofRefusal>>
  private let turns = LockedValue<Int>(0)

  /// Identifies a request.
  struct Key: Hashable {
    /// SHA-256 of the proof. The proof itself is not kept in the cache of answers.
    let digest: SHA256Digest
    let kind: PurchaseProof.Kind
    let app: BundleID
    /// The purchases that the proof lacks and that are asked for separately.
    var missing: [TransactionID] = []
    /// The consumables of the proof that no customer has claimed. They are asked for separately, too.
    var unclaimed: [TransactionID] = []
    /// Which of these are asked about, if they are too many for one request; otherwise nil. A repeated request has a later turn, so
    /// it is not answered from the cache.
    var turn: Int?
    /// Whether an operator asks. This makes a difference for a bare transaction id only.
    var isAdministrator = false

    init(_ proof: PurchaseProof, of app: BundleID) {
      kind = proof.kind
      self.app = app
      digest =
        switch proof {
        case .appReceipt(let data), .legacyReceipt(let data): SHA256.hash(data: data)
        case .signedTransaction(let text): SHA256.hash(data: Data(text.utf8))
        case .transactionID(let id): SHA256.hash(data: Data(id.rawValue.utf8))
        }
    }
  }

  /// - Parameters:
  ///   - storeClock: decides whether a purchase is new.
  ///   - limit: the maximum number of proofs that the store is asked about at once.
  ///   - report: receives problems for the operator.
  init(
    clients: [BundleID: AppStoreServerAPIClient], clock: any MachineClock, storeClock: any MachineClock, limit: Int,
    report: @escaping @Sendable (VerificationProblem) -> Void
  ) {
    self.clients = clients
    self.clock = clock
    self.storeClock = storeClock
    self.report = report
    shared = SharedRequests(limit: limit)
  }

  /// The turn of the next request for more purchases than one request asks about.
  var turn: Int { turns.value }

  /// Ends a turn when its calls begin, also if they fail: then the next request is about other purchases.
  func end(_ turn: Int) {
    turns.withLock { current in
      guard current == turn else { return }
      current += 1
    }
  }

  /// Returns the answer if it is in the cache.
  func recent(_ key: Key) -> VerifiedProof? { recent.answer(to: key, at: clock.milliseconds) }

  /// Returns the answer to a request.
  ///
  /// - Parameters:
  ///   - environment: the environment of the proof; nil if it is not known yet.
  ///   - seconds: how long all calls may take together.
  ///   - retryPermission: called before each retry of a call.
  ///   - ask: makes the calls.
  /// - Throws: ``ProofRefusal``.
  func answer(
    to key: Key, in environment: StoreEnvironment?, by asking: ServerAPIPolicy, seconds: Int,
    retryPermission: @escaping ProofVerifier.RetryPermission,
    _ ask: @escaping @Sendable (ServerAPIVerification) async throws -> VerifiedProof
  ) async throws(ProofRefusal) -> VerifiedProof {
    if let known = recent(key) { return known }
    let result = await shared.answer(to: key) {
      await self.result(of: key.app, in: environment, asking, seconds: seconds, retryPermission: retryPermission, ask)
    }
    guard let result else { throw .storeUnavailable(retryAfterSeconds: asking.retryAfterSeconds) }
    let answer = try result.get()
    recent.remember(answer, to: key, at: clock.milliseconds, seconds: asking.reuseSeconds)
    return answer
  }

  /// Makes calls that nobody else makes at the same time.
  func result<Value: Sendable>(
    of app: BundleID, in environment: StoreEnvironment?, _ asking: ServerAPIPolicy, seconds: Int,
    retryPermission: @escaping ProofVerifier.RetryPermission = { nil },
    _ ask: (ServerAPIVerification) async throws -> Value
  ) async -> Result<Value, ProofRefusal> {
    guard let client = clients[app] else { return .failure(.unknownApp(app)) }
    let verification = ServerAPIVerification(
      client: client.limited(totalTimeoutSeconds: seconds, retryPermission: retryPermission), app: app,
      latest: clock.now.adding(seconds: asking.secondsAhead),
      newFrom: storeClock.now.adding(seconds: -ServerAPIVerification.newSeconds))
    do {
      return .success(try await ask(verification))
    } catch {
      return .failure(refusal(error, of: app, in: environment, asking))
    }
  }

  /// Converts a failure to the refusal of the proof, and reports it to the operator.
  ///
  /// - Parameter environment: as for `answer`.
  func refusal(
    _ error: any Error, of app: BundleID, in environment: StoreEnvironment?, _ asking: ServerAPIPolicy
  ) -> ProofRefusal {
    let later = ProofRefusal.storeUnavailable(retryAfterSeconds: asking.retryAfterSeconds)
    let (refusal, detail): (ProofRefusal, String?) =
      switch error {
      case let error as ServerAPIClientError: (ProofRefusal(error, asking), error.description)
      // This is normal, so the operator is not warned.
      case is PurchaseNotKnownYet: (.purchaseNotKnownYet(retryAfterSeconds: asking.retryAfterSeconds), nil)
      // A value of a signed answer is out of its range.
      case let refusal as ProofRefusal: (later, refusal.description)
      case let fault as AnswerFault: (later, fault.description)
      // The request is over.
      case is CancellationError: (later, nil)
      default: (later, "\(error)")
      }
    if let detail, refusal.isTemporary {
      let url = (environment ?? onlyEnvironment(of: app)).map(asking.url(of:))
      report(VerificationProblem(app: app, api: .serverAPI, url: url, detail: detail))
    }
    return refusal
  }

  /// The environment of an app that accepts only one.
  private func onlyEnvironment(of app: BundleID) -> StoreEnvironment? {
    switch clients[app]?.configuration.environments {
    case .production: .production
    case .sandbox: .sandbox
    default: nil
    }
  }
}
