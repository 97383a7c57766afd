import AppStoreEmulator
import Foundation
import StoreModel

/// Proofs that pages have shown, kept as long as nothing they say has changed: a page that is looked at again shows the same bytes,
/// and signs nothing.
final class ProofShelf: Sendable {
  static let largestNumber = 16

  private let store: EmulatedAppStore
  private let shelf = LockedShelf()

  private final class LockedShelf: @unchecked Sendable {
    let lock = NSLock()
    /// Oldest first.
    var proofs: [(proofs: TransactionProofs, answers: ProofAnswers)] = []
  }

  init(store: EmulatedAppStore) { self.store = store }

  func proofs(of id: TransactionID) async throws -> (proofs: TransactionProofs, answers: ProofAnswers) {
    let basis = try await store.proofBasis(of: id)
    if let kept = shelf.lock.withLock({ shelf.proofs.first { $0.proofs.basis == basis } }) { return kept }
    let proofs = try await store.proofs(of: id)
    let answers = try await store.answers(to: proofs)
    shelf.lock.withLock {
      shelf.proofs.removeAll { $0.proofs.basis.stored.record.transactionID == id }
      shelf.proofs.append((proofs, answers))
      if shelf.proofs.count > Self.largestNumber { shelf.proofs.removeFirst() }
    }
    return (proofs, answers)
  }
}
