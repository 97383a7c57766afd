import Logging
import PurchaseLedger
import StoreModel

/// Asks the store again about stored proofs, and records the answers.
struct StoredProofVerification: Sendable {
  enum Outcome: Sendable {
    /// The store's answer is recorded. `changed` is the number of claims that it changed.
    case recorded(changed: Int)
    /// The store cannot be asked: the app's verification is offline, the proof is a signed transaction, or no proof is
    /// stored.
    case notAsked
    /// The proof was refused, or the answer could not be recorded. If `isTemporary`, a retry may succeed soon.
    case failed(isTemporary: Bool)
  }

  let ledger: Ledger
  let verifier: ProofVerifier
  let metrics: ServiceMetrics

  /// Asks the store about one proof, and records the answer. Failures are logged.
  func verify(_ proof: StoredProof, _ logger: Logger) async -> Outcome {
    do {
      guard let verified = try await verifier.verifyAgain(proof.proof, for: proof.app) else { return .notAsked }
      let recorded = try await ledger.recordStatuses(from: verified)
      metrics.countReverification("learnt")
      for _ in recorded.otherPurchases { metrics.countReverification(RedemptionRefusal.otherPurchase.code) }
      logger.warn(ofOtherPurchases: recorded.otherPurchases, app: proof.app)
      return .recorded(changed: recorded.changed)
    } catch let refusal as ProofRefusal {
      metrics.countReverification(refusal.code)
      logger.warning(
        "A proof could not be verified again",
        metadata: [
          "app": "\(proof.app)", "customer": "\(proof.customer)", "reason": "\(refusal.description.debugDescription)",
        ])
      return .failed(isTemporary: refusal.isTemporary)
    } catch is CancellationError {
      // The server stops, or the operator's request is over. The proof stays due.
      return .failed(isTemporary: true)
    } catch {
      metrics.countReverification("failed")
      logger.error(
        "The store's answer could not be recorded",
        metadata: ["app": "\(proof.app)", "customer": "\(proof.customer)", "error": "\(error)"])
      // A refusal by the ledger will not change soon; a failed database may recover.
      return .failed(isTemporary: !(error is LedgerError))
    }
  }
}

extension Logger {
  /// Warns the operator that the store has sold other purchases under known transaction ids; does nothing if there are none.
  func warn(ofOtherPurchases ids: [TransactionID], app: BundleID) {
    guard !ids.isEmpty else { return }
    warning(
      "The store has sold other purchases under known transaction ids. Was the data folder of an emulator put back?",
      metadata: [
        "app": "\(app)", "count": "\(ids.count)", "transactions": "\(ids.prefix(10).map(\.rawValue))",
      ])
  }
}
