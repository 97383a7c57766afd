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

  /// Sends every finish that the store has not acknowledged. The payment, the restore and the redelivery paths all finish
  /// through here.
  ///
  /// - Returns: false where the store refused one, which is to be sent again.
  func sendFinishes() async throws -> Bool {
    var isEverythingSent = true
    // Again and again, because more may be finished meanwhile; each at most once, because one may be refused.
    var tried: Set<Int64> = []
    while isActive,
      let entry = try journal.finishes().first(where: {
        !tried.contains($0.sequence) && !acknowledgedFinishes.contains($0.sequence)
      })
    {
      tried.insert(entry.sequence)
      guard case .finishing(let id) = entry.state else { continue }
      do {
        try await session.perform { try await $0.finish(id, for: $1) }
        try acknowledge(entry.sequence)
      } catch let refusal as StoreRefusal where refusal.code == .unknownTransaction {
        // Of another epoch of the store: nobody is left to be told.
        listener.report(.store("Transaction \(id) was finished here, but the store does not know it."))
        try acknowledge(entry.sequence)
      } catch let refusal as StoreRefusal {
        report(refusal)
        isEverythingSent = false
      }
    }
    return isEverythingSent
  }

  private func acknowledge(_ sequence: Int64) throws {
    if acknowledgedFinishes.acknowledged(sequence) { try apply(.finishAcknowledged, to: sequence) }
  }

  /// Fetches what is unfinished and records it.
  private func fetchUnfinished() async throws -> Bool {
    let request = acknowledgedFinishes.listBegins()
    let result: Result<Bool, any Error>
    do {
      result = .success(try await recordUnfinished())
    } catch {
      result = .failure(error)
    }
    for sequence in acknowledgedFinishes.listEnded(request) { try apply(.finishAcknowledged, to: sequence) }
    return try result.get()
  }

  /// What cannot be believed must not keep what can be from the app.
  private func recordUnfinished() async throws -> Bool {
    let asked = journal.receiptOrder.requestBegins()
    let batch = try await session.perform { try await $0.unfinished(for: $1) }
    let verified = try await session.verify(batch, askedAt: asked)
    let changed = try journal.accept(unfinished: verified.arrivals, receipt: verified.receipt)
    if verified.receipt != nil { try publishReceipt() }
    if !changed.isEmpty { listener.updated(changed) }
    for problem in verified.problems { report(problem) }
    return verified.problems.isEmpty
  }
}
