import SignedData
import StoreModel

/// A request to one of the store's APIs.
///
/// A new endpoint is a route, its request and answer types, and a conformance to this protocol. The route calls
/// ``OperationPipeline/run(_:for:)``.
package protocol StoreOperation: Sendable {
  associatedtype Answer: Sendable

  /// What is known of the request before it is carried out. Faults choose requests by it, and the journal keeps it.
  func metadata(in store: StoreServices) async throws -> RequestMetadata

  /// Carries the request out.
  func run(in store: StoreServices, _ context: OperationContext) async throws -> Answer

  /// The error that the caller gets while the store is unavailable.
  var unavailable: any Error { get }

  /// Whether the operation decides itself if a fault's error ends it. It finds the error in ``OperationContext/faultError``.
  func decides(_ faultError: any Error) -> Bool

  /// How the journal describes an answer.
  static func outcome(of answer: Answer) -> RequestOutcome
}

extension StoreOperation {
  package func decides(_ faultError: any Error) -> Bool { false }
  package static func outcome(of answer: Answer) -> RequestOutcome { .answered }
}

/// What operations work with.
package struct StoreServices: Sendable {
  let database: StoreDatabase
  let clock: StoreClock
  let signer: TransactionSigner
  let faults: FaultRegistry
  let installationDirectory: InstallationDirectory
  /// The epoch of the last commit.
  let currentEpoch: LockedValue<StoreEpoch>
  /// Verifies receipts that this store signed. Made when it is first needed, because that makes keys.
  let receiptVerifier: MadeOnce<SignedDataVerifier>

  var verification: ReceiptVerification {
    get throws {
      ReceiptVerification(
        database: database,
        verifier: try receiptVerifier.value { SignedDataVerifier(anchors: try signer.authority.anchors) })
    }
  }
}

/// One request on its way to its operation.
package struct OperationContext: Sendable {
  let metadata: RequestMetadata
  /// Who waits for the answer. Nil: the task is cancelled when the answer is no longer needed.
  let caller: (any StoreCaller)?
  /// The error of a fault that the operation decides itself, see ``StoreOperation/decides(_:)``.
  var faultError: (any Error)?
  /// Called by an operation that ends without ``faultError``: the fault is then not used up.
  var ignoreFault: @Sendable () -> Void = {}
  /// Called by an operation when it knows which app the request is about.
  var learnApp: @Sendable (BundleID) -> Void = { _ in }
  /// Called when a fault strikes the request, and with nil when it did not take effect.
  var noteFault: @Sendable (FaultStrike?) -> Void = { _ in }
}

/// A step that every request to every API passes before its operation.
protocol OperationMiddleware: Sendable {
  func handle<Operation: StoreOperation>(
    _ operation: Operation, _ context: OperationContext,
    next: @Sendable (OperationContext) async throws -> Operation.Answer
  ) async throws -> Operation.Answer
}

/// Carries out operations.
package struct OperationPipeline: Sendable {
  let store: StoreServices
  /// Outermost first.
  let middleware: [any OperationMiddleware]

  /// - Parameter caller: who waits for the answer. Nil: the task is cancelled when the answer is no longer needed.
  package func run<Operation: StoreOperation>(
    _ operation: Operation, for caller: (any StoreCaller)?
  ) async throws -> Operation.Answer {
    let context = OperationContext(metadata: try await operation.metadata(in: store), caller: caller)
    return try await run(operation, context, middleware[...])
  }

  private func run<Operation: StoreOperation>(
    _ operation: Operation, _ context: OperationContext, _ middleware: ArraySlice<any OperationMiddleware>
  ) async throws -> Operation.Answer {
    guard let first = middleware.first else { return try await operation.run(in: store, context) }
    return try await first.handle(operation, context) { context in
      try await run(operation, context, middleware.dropFirst())
    }
  }
}
