import Foundation
import Logging
import PurchaseLedger
import ServiceLifecycle
import StoreModel

/// Asks the store again about proofs whose time has come: this is how refunds are learnt.
struct Reverifier: Service {
  let ledger: Ledger
  let verifier: ProofVerifier
  let pauseSeconds: Int64
  let metrics: ServiceMetrics
  let clock: any MachineClock
  let logger: Logger
  private let unasked: PostponedProofs

  /// When a store that could not say is asked again.
  static let patienceSeconds: Int64 = 600

  init(
    ledger: Ledger, verifier: ProofVerifier, pauseSeconds: Int64, metrics: ServiceMetrics,
    clock: any MachineClock = SystemClock(), logger: Logger
  ) {
    self.ledger = ledger
    self.verifier = verifier
    self.pauseSeconds = pauseSeconds
    self.metrics = metrics
    self.clock = clock
    self.logger = logger
    unasked = PostponedProofs(ledger, seconds: Self.patienceSeconds)
  }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        do {
          // All that are due, a page at a time.
          while try await askDue() > 0, !Task.isCancelled {}
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

  /// Asks about a page of them. What it does not get to, because the server is stopping or the ledger is away, is put off for
  /// a short while, and not for a whole period.
  ///
  /// - Returns: how many there were.
  func askDue() async throws -> Int {
    try await unasked.settle()
    let due = try await ledger.takeDueProofs()
    for (place, proof) in due.enumerated() {
      guard !Task.isCancelled else {
        await unasked.add(due[place...])
        break
      }
      if await ask(proof) { continue }
      await unasked.add([proof])
      do {
        try await unasked.settle()
      } catch {
        // The ledger is away, and to ask about the others would be in vain.
        await unasked.add(due[(place + 1)...])
        throw error
      }
    }
    try await unasked.settle()
    return due.count
  }

  /// - Returns: false if it has to be asked about again soon.
  private func ask(_ proof: StoredProof) async -> Bool {
    do {
      guard let verified = try await verifier.verifyAgain(proof.proof, for: proof.app) else { return true }
      try await ledger.learn(from: verified)
      metrics.reverifications.add(1, ["outcome": "learnt"])
      return true
    } catch let refusal as ProofRefusal {
      metrics.reverifications.add(1, ["outcome": refusal.code])
      logger.warning(
        "A proof could not be verified again",
        metadata: [
          "app": "\(proof.app)", "customer": "\(proof.customer)", "reason": "\(refusal.description.debugDescription)",
        ])
      return !refusal.isTemporary
    } catch {
      // One that cannot be entered must not keep the others from being.
      metrics.reverifications.add(1, ["outcome": "failed"])
      logger.error(
        "What the store said could not be entered",
        metadata: ["app": "\(proof.app)", "customer": "\(proof.customer)", "error": "\(error)"])
      // What the ledger does not take will be no better soon; a database that fails may be.
      return error is LedgerError
    }
  }
}

/// Proofs that were taken to be asked about, and were not: they wait here until the ledger has on record that they are due
/// soon. Otherwise they would be asked about a whole period later.
actor PostponedProofs {
  private let ledger: Ledger
  /// How soon, in seconds.
  private let seconds: Int64
  private var waiting: [StoredProof] = []

  init(_ ledger: Ledger, seconds: Int64) {
    self.ledger = ledger
    self.seconds = seconds
  }

  func add(_ proofs: some Sequence<StoredProof>) { waiting += proofs }

  /// Has the ledger take them down, also if the task is cancelled: a server that is stopping must leave none behind.
  ///
  /// - Throws: what the ledger threw. Those that are left go on waiting.
  func settle() async throws {
    while let proof = waiting.first {
      try await Task { [ledger, seconds] in try await ledger.postpone(proof, seconds: seconds) }.value
      waiting.removeFirst()
    }
  }
}
