import SignedData
import StoreModel

/// A request to one of the store's APIs: a ``DeviceOperation``, a ``BackendOperation``, or the only one of its kind,
/// ``CertificateStatusOperation``.
///
/// To add an endpoint, declare it as a ``StoreCall`` or a ``BackendEndpoint``, add it to the list of its API, and write its
/// rule as a ``DeviceCall`` or a ``BackendCall``.
protocol StoreOperation: Sendable {
  associatedtype Answer: Sendable

  /// The properties of the request that are known before it is carried out. Faults select requests by them, and the
  /// journal stores them.
  func metadata(in store: StoreServices) async throws -> RequestMetadata

  /// Carries the request out.
  func run(in store: StoreServices, _ context: OperationContext) async throws -> Answer

  /// The error that the caller gets while the store is unavailable.
  var unavailable: any Error { get }

  /// Whether the operation runs although a fault requests this error. If true, the operation reads the error from
  /// ``OperationContext/faultError``, and decides whether to fail with it. If false, the request fails with the error.
  func decides(_ faultError: any Error) -> Bool

  /// The request's body, for the journal.
  var recordedBody: RecordedBody { get }
  /// The outcome that the journal stores for an answer.
  static func outcome(of answer: Answer) -> RequestOutcome
  /// The reason why the answer is a refusal, for the journal; nil if the journal needs none.
  static func reason(of answer: Answer) -> String?
  /// The answer's body, for the journal.
  static func recordedBody(of answer: Answer) -> RecordedBody
  /// Whether a device asked for changes, and the answer contains none.
  static func isWithoutNews(_ answer: Answer) -> Bool
}

extension StoreOperation {
  func decides(_ faultError: any Error) -> Bool { false }
  static func outcome(of answer: Answer) -> RequestOutcome { .answered }
  static func reason(of answer: Answer) -> String? { nil }
  static func isWithoutNews(_ answer: Answer) -> Bool { false }
}

/// The services that operations use.
struct StoreServices: Sendable {
  let database: StoreDatabase
  let clock: StoreClock
  private(set) var signer: TransactionSigner
  let faults: ActiveFaults
  let installationDirectory: InstallationDirectory
  /// The epoch of the last commit.
  let currentEpoch: LockedValue<StoreEpoch>
  /// Verifies receipts that this store signed. It is made at its first use, because making it also makes keys.
  let receiptVerifier: MadeOnce<SignedDataVerifier>
  let rateLimits = ServerAPIRateLimits()

  /// Returns a copy of these services whose signer uses the certificates `chain`.
  ///
  /// - Parameter isForAnotherDevice: whether the signer makes the device proofs for another device.
  func signing(with chain: SigningChain, isForAnotherDevice: Bool = false) -> StoreServices {
    var services = self
    services.signer.chain = chain
    services.signer.isForAnotherDevice = isForAnotherDevice
    return services
  }

  fileprivate func signing(_ conditions: RequestConditions) -> StoreServices {
    guard conditions.chain != .valid || conditions.isForAnotherDevice else { return self }
    return signing(with: conditions.chain, isForAnotherDevice: conditions.isForAnotherDevice)
  }

  var verification: ReceiptVerification {
    get throws {
      ReceiptVerification(
        database: database,
        verifier: try receiptVerifier.value { SignedDataVerifier(anchors: try signer.authority.anchors) },
        signer: signer)
    }
  }
}

/// The context of one request.
struct OperationContext: Sendable {
  let metadata: RequestMetadata
  /// The caller who waits for the answer. If nil, the task is cancelled when the answer is no longer needed.
  let caller: (any StoreCaller)?
  /// The error of a fault for which ``StoreOperation/decides(_:)`` is true. The operation decides whether it fails with
  /// this error.
  var faultError: (any Error)?
  var conditions = RequestConditions()
  /// Called by an operation that ends without using ``faultError``. The fault is then not counted.
  var ignoreFault: @Sendable () -> Void = {}
  /// Called by an operation when it has found the app of the request.
  var learnApp: @Sendable (BundleID) -> Void = { _ in }
  /// Called with the fault that applies to the request. Called again with nil if the fault then had no effect.
  var noteFault: @Sendable (FaultStrike?) -> Void = { _ in }
}

/// A step through which every request passes before its operation.
protocol OperationMiddleware: Sendable {
  func handle<Operation: StoreOperation>(
    _ operation: Operation, _ context: OperationContext,
    next: @escaping @Sendable (OperationContext) async throws -> Operation.Answer
  ) async throws -> Operation.Answer
}

/// Carries out operations.
struct OperationPipeline: Sendable {
  let store: StoreServices
  /// The first element is the outermost.
  let middleware: [any OperationMiddleware]

  /// - Parameter caller: the caller who waits for the answer. If nil, the task is cancelled when the answer is no
  ///   longer needed.
  func run<Operation: StoreOperation>(
    _ operation: Operation, for caller: (any StoreCaller)?
  ) async throws -> Operation.Answer {
    let context = OperationContext(metadata: try await operation.metadata(in: store), caller: caller)
    do {
      return try await run(operation, context, middleware[...])
    } catch is AlteredAnswer where caller == nil {
      // A caller in this process receives values, not bytes.
      throw StoreConnectionFailure.noAnswer(reason: "a fault has changed the bytes of the answer")
    }
  }

  private func run<Operation: StoreOperation>(
    _ operation: Operation, _ context: OperationContext, _ middleware: ArraySlice<any OperationMiddleware>
  ) async throws -> Operation.Answer {
    guard let first = middleware.first else {
      return try await operation.run(in: store.signing(context.conditions), context)
    }
    return try await first.handle(operation, context) { context in
      try await run(operation, context, middleware.dropFirst())
    }
  }
}
