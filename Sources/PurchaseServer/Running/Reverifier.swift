import Foundation
import Logging
import PurchaseLedger
import ServiceLifecycle
import StoreModel

/// Asks the store again about stored proofs that are due, to record refunds.
struct Reverifier: Service {
  let ledger: Ledger
  let pauseSeconds: Int64
  let clock: any MachineClock
  let logger: Logger
  private let verification: StoredProofVerification
  private let postponed: PostponedProofs

  /// The time after which a proof is due again if the store could not verify it, in seconds.
  static let retryDelaySeconds: Int64 = 600

  init(
    ledger: Ledger, verifier: ProofVerifier, pauseSeconds: Int64, metrics: ServiceMetrics,
    clock: any MachineClock = SystemClock(), logger: Logger
  ) {
    self.ledger = ledger
    self.pauseSeconds = pauseSeconds
    self.clock = clock
    self.logger = logger
    verification = StoredProofVerification(ledger: ledger, verifier: verifier, metrics: metrics, clock: clock)
    postponed = PostponedProofs(ledger, seconds: Self.retryDelaySeconds)
  }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        do {
          // All due proofs are verified, one page at a time.
          while try await verifyDue() > 0, !Task.isCancelled {}
        } catch {
          logger.error("Proofs could not be verified again", metadata: ["error": "\(error)"])
        }
        do {
          try await clock.sleep(for: .seconds(pauseSeconds))
        } catch {
          return
        }
      }
    }
  }

  /// Verifies one page of due proofs. Proofs that it cannot verify now, for example because the store or the ledger
  /// cannot be reached or the server is stopping, become due again soon, instead of after a whole period.
  ///
  /// - Returns: the number of proofs in the page.
  func verifyDue() async throws -> Int {
    try await postponed.settle()
    let due = try await ledger.takeDueProofs()
    for (place, proof) in due.enumerated() {
      guard !Task.isCancelled else {
        await postponed.add(due[place...])
        break
      }
      if await verify(proof) { continue }
      await postponed.add([proof])
      do {
        try await postponed.settle()
      } catch {
        // The ledger cannot be reached, so verifying the others would be useless.
        await postponed.add(due[(place + 1)...])
        throw error
      }
    }
    try await postponed.settle()
    return due.count
  }

  /// Verifies a proof. Returns false if a temporary failure occurred, so that the proof has to be verified again soon.
  /// It throws no error, so that the failure of one proof does not stop the verification of the others.
  private func verify(_ proof: StoredProof) async -> Bool {
    switch await verification.verify(proof, logger) {
    case .recorded, .notAsked: true
    case .failed(let isTemporary): !isTemporary
    }
  }
}

/// Proofs that were due, but could not be verified. The ledger has already made them due a whole period later. So they
/// are kept here until the ledger has stored an earlier due date for them.
actor PostponedProofs {
  private let ledger: Ledger
  /// The time until they are due, in seconds.
  private let seconds: Int64
  private var waiting: [StoredProof] = []

  init(_ ledger: Ledger, seconds: Int64) {
    self.ledger = ledger
    self.seconds = seconds
  }

  func add(_ proofs: some Sequence<StoredProof>) { waiting += proofs }

  /// Stores the new due dates in the ledger. ``Ledger/postpone(_:seconds:)`` does so also if the task is cancelled, so a
  /// stopping server loses no due date.
  ///
  /// - Throws: the error of the ledger. The remaining proofs are kept.
  func settle() async throws {
    while let proof = waiting.first {
      try await ledger.postpone(proof, seconds: seconds)
      waiting.removeFirst()
    }
  }
}
