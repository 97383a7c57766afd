import Foundation
import StoreModel

extension PaymentQueueEngine {
  /// Sends what was finished, and then fetches what is unfinished if that is due.
  ///
  /// - Returns: false where something is left that is to be tried again.
  func settle() async -> Bool {
    do {
      let isEverythingSent = try await sendFinishes()
      guard isActive, needsUnfinished else { return isEverythingSent }
      needsUnfinished = false
      do {
        let isEverythingBelieved = try await fetchUnfinished()
        // Only ever set here: somebody may have asked for another list while this one was under way.
        if !isEverythingBelieved { needsUnfinished = true }
        return isEverythingSent && isEverythingBelieved
      } catch {
        needsUnfinished = true
        throw error
      }
    } catch {
      report(error)
      return false
    }
  }

  func sendFinishes() async throws -> Bool {
    var isEverythingSent = true
    // Again and again, because more may be finished meanwhile; each at most once, because one may be refused.
    var tried: Set<Int64> = []
    while isActive, let entry = try journal.finishes().first(where: { !tried.contains($0.sequence) }) {
      tried.insert(entry.sequence)
      guard case .finishing(let id) = entry.state else { continue }
      do {
        try await session.perform { try await $0.finish(id, for: $1) }
        try apply(.finishAcknowledged, to: entry.sequence)
      } catch let refusal as StoreRefusal where refusal.code == .unknownTransaction {
        // Of another epoch of the store: nobody is left to be told.
        listener.report(.store("Transaction \(id) was finished here, but the store does not know it."))
        try apply(.finishAcknowledged, to: entry.sequence)
      } catch let refusal as StoreRefusal {
        report(refusal)
        isEverythingSent = false
      }
    }
    return isEverythingSent
  }

  /// What cannot be believed must not keep what can be from the app.
  private func fetchUnfinished() async throws -> Bool {
    let batch = try await session.perform { try await $0.unfinished(for: $1) }
    let verified = try await session.verify(batch)
    let changed = try journal.accept(unfinished: verified.arrivals, receipt: verified.receipt)
    if verified.receipt != nil { try publishReceipt() }
    if !changed.isEmpty { listener.updated(changed) }
    for problem in verified.problems { report(problem) }
    return verified.problems.isEmpty
  }
}
