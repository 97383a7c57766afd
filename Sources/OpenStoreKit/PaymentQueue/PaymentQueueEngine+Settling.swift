import Foundation
import StoreModel

extension PaymentQueueEngine {
  /// Tells the store which transactions the app has finished, and then requests the unfinished ones if that is necessary.
  ///
  /// - Returns: false if something must be retried.
  func settle() async -> Bool {
    do {
      let isEverythingSent = try await sendFinishes()
      guard isActive, needsUnfinished else { return isEverythingSent }
      needsUnfinished = false
      do {
        let isEverythingBelieved = try await fetchUnfinished { isActive }
        // `needsUnfinished` is not set to false here, because another list may have been requested meanwhile.
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

  /// Sends every finish that the store has not acknowledged, for purchased and redelivered transactions. The store does
  /// not contain restored transactions, so they have no finish to send.
  ///
  /// - Returns: false if the store refused a finish. It is sent again later.
  func sendFinishes() async throws -> Bool {
    var isEverythingSent = true
    // Repeats until there are no more finishes, because the app may finish other transactions meanwhile. Each finish is
    // sent only once in this loop, because the store may refuse it.
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
        // The transaction is of another epoch, so the store cannot record the finish.
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

  /// Requests and records the unfinished transactions.
  func fetchUnfinished(while isWanted: () -> Bool) async throws -> Bool {
    let request = acknowledgedFinishes.listBegins()
    let result: Result<Bool, any Error>
    do {
      result = .success(try await recordUnfinished(while: isWanted))
    } catch {
      result = .failure(error)
    }
    for sequence in acknowledgedFinishes.listEnded(request) { try apply(.finishAcknowledged, to: sequence) }
    return try result.get()
  }

  /// Requests and records all pages, each in a commit of its own. Transactions that cannot be verified do not prevent the
  /// delivery of the others.
  ///
  /// - Parameter isWanted: whether to request another page.
  /// - Returns: whether all of them were verified.
  private func recordUnfinished(while isWanted: () -> Bool) async throws -> Bool {
    var place: UnfinishedCursor?
    var isEverythingVerified = true
    repeat {
      let asked = journal.receiptOrder.requestBegins()
      let after = place
      let batch = try await session.perform { try await $0.unfinished(after: after, for: $1) }
      let verified = try await session.verify(batch, askedAt: asked)
      let changed = try journal.accept(
        unfinished: verified.arrivals, keeping: verified.transactions, receipt: verified.receipt)
      if verified.receipt != nil { try publishReceipt() }
      if !changed.isEmpty { listener.updated(changed) }
      for problem in verified.problems { report(problem) }
      isEverythingVerified = isEverythingVerified && verified.problems.isEmpty
      // The loop ends if the next page does not begin after this one. Otherwise it could request the same page forever.
      place = batch.next.flatMap { next in after.map { $0.after < next.after } ?? true ? next : nil }
    } while place != nil && isWanted()
    return isEverythingVerified
  }
}
