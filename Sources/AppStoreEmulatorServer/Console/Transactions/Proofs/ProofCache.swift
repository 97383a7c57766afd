import AppStoreEmulator
import StoreModel

/// Caches the proofs that pages have shown, until their contents change. So a page that is loaded again shows the same
/// bytes, without another signature.
final class ProofCache: Sendable {
  static let largestNumber = 16

  private let store: EmulatedAppStore
  /// The cached proofs, oldest first.
  private let cache = LockedValue<[(proofs: TransactionProofs, answers: ProofAnswers)]>([])

  init(store: EmulatedAppStore) { self.store = store }

  func proofs(of id: TransactionID) async throws -> (proofs: TransactionProofs, answers: ProofAnswers) {
    let basis = try await store.proofBasis(of: id)
    if let cached = cache.withLock({ cache in cache.first { $0.proofs.basis == basis } }) { return cached }
    let proofs = try await store.proofs(of: id)
    let answers = try await store.answers(to: proofs)
    cache.withLock { cache in
      cache.removeAll { $0.proofs.basis.stored.record.transactionID == id }
      cache.append((proofs, answers))
      if cache.count > Self.largestNumber { cache.removeFirst() }
    }
    return (proofs, answers)
  }
}
