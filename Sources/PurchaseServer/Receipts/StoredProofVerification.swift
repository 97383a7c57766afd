import Logging
import PurchaseLedger
import StoreModel

/// Asks the store again about stored proofs, and records the answers.
struct StoredProofVerification: Sendable {
  enum Outcome: Sendable {
    /// The store's answer is recorded. `changed` is the number of claims that it changed.
    case recorded(changed: Int)
    /// The store cannot be asked: the app's verification is offline, or by another way than when the proof was stored, or no
    /// proof is stored.
    case notAsked
    /// The proof was refused, or the answer could not be recorded. If `isTemporary`, a retry may succeed soon.
    case failed(isTemporary: Bool)
  }

  let ledger: Ledger
  let verifier: ProofVerifier
  let metrics: ServiceMetrics
  let clock: any MachineClock

  /// Asks the store about one proof, and records the answer. Failures are logged.
  ///
  /// - Parameter isOver: whether no further page of a long history is requested. What was read is recorded, and a later call
  ///   goes on after it.
  func verify(_ proof: StoredProof, _ logger: Logger, isOver: () -> Bool = { false }) async -> Outcome {
    do {
      guard let recorded = try await recorded(proof, isOver) else { return .notAsked }
      metrics.countReverification("learnt")
      metrics.store.noteAnswer(about: proof.app, at: clock.now)
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
      // The server stops, or the operator's request is over. The rest of the history is read later.
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

  /// Returns what was recorded; nil if the store cannot be asked.
  private func recorded(_ proof: StoredProof, _ isOver: () -> Bool) async throws -> RecordedStatuses? {
    guard case .transactionID(let id) = proof.proof else {
      guard let verified = try await verifier.verifyAgain(proof.proof, for: proof.app) else { return nil }
      return try await ledger.recordStatuses(from: verified)
    }
    var recorded = RecordedStatuses()
    let isAsked = try await verifier.readHistory(
      of: id, in: proof.environment, for: proof.app, after: try await ledger.historyRevision(of: proof)
    ) { part in
      recorded.add(try await ledger.record(part, for: proof))
      // The subscriptions are the last part.
      if part.revision != nil, isOver() { throw CancellationError() }
    }
    return isAsked ? recorded : nil
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
