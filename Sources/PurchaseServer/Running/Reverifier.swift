import Foundation
import Logging
import PurchaseLedger
import ServiceLifecycle

/// Asks the store again about proofs whose time has come: this is how refunds are learnt.
struct Reverifier: Service {
  let ledger: Ledger
  let verifier: ProofVerifier
  let pauseSeconds: Int64
  let metrics: ServiceMetrics
  let logger: Logger

  /// When a store that could not say is asked again.
  static let patienceSeconds: Int64 = 600

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
          try await Task.sleep(for: .seconds(pauseSeconds))
        } catch {
          return
        }
      }
    }
  }

  /// - Returns: how many there were.
  func askDue() async throws -> Int {
    let due = try await ledger.takeDueProofs()
    for proof in due where !Task.isCancelled {
      do {
        guard let verified = try await verifier.verifyAgain(proof.proof, for: proof.app) else { continue }
        try await ledger.learn(from: verified)
        metrics.reverifications.add(1, ["outcome": "learnt"])
      } catch let refusal as ProofRefusal {
        metrics.reverifications.add(1, ["outcome": refusal.code])
        logger.warning(
          "A proof could not be verified again",
          metadata: [
            "app": "\(proof.app)", "customer": "\(proof.customer)", "reason": "\(refusal.description.debugDescription)",
          ])
        if refusal.isTemporary { try await ledger.postpone(proof, seconds: Self.patienceSeconds) }
      } catch let error as LedgerError {
        // One that cannot be entered must not keep the others from being.
        metrics.reverifications.add(1, ["outcome": "failed"])
        logger.error(
          "What the store said could not be entered",
          metadata: ["app": "\(proof.app)", "customer": "\(proof.customer)", "error": "\(error)"])
      }
    }
    return due.count
  }
}
