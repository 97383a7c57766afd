import Foundation
import StoreModel

extension PaymentQueueEngine {
  /// Tells the store which transactions the app has finished, and then requests the unfinished ones if that is necessary.
  ///
  /// - Returns: false if something must be retried.
  func settle() async -> Bool {
    do {
      let isEverythingSent = try await sendFinishes()
      guard isActive, needsUnfinished else { return await retryChanges() && isEverythingSent }
      needsUnfinished = false
      do {
        let isEverythingBelieved = try await fetchUnfinished { isActive }
        // `needsUnfinished` is not set to false here, because another list may have been requested meanwhile.
        if !isEverythingBelieved { needsUnfinished = true }
        return await retryChanges() && isEverythingSent && isEverythingBelieved
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
    // Each finish is sent only once in this loop, because the store may refuse it. If the app finishes an entry before
    // this place meanwhile, that has woken the worker, which runs again.
    var place: Int64 = 0
    while isActive, let entry = try journal.finish(after: place) {
      place = entry.sequence
      guard !acknowledgedFinishes.contains(place), case .finishing(let id) = entry.state else { continue }
      do {
        try await session.perform { try await $0.finish(id, for: $1) }
        try acknowledge(entry.sequence)
      } catch let refusal as StoreRefusal where refusal.code == .unknownTransaction {
        // It is of another epoch, or was delivered to another installation since. So the store cannot record the finish.
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
      let (after, changes) = (place, synchronousChanges)
      let (account, batch) = try await session.perform { [journal] in
        (try journal.account(), try await $0.unfinished(after: after, for: $1))
      }
      let verified = try await session.verify(batch, askedAt: asked)
      guard changes == synchronousChanges else {
        place = nil
        continue
      }
      try keepUnfinished(verified, requestedBy: account)
      send(unverified: verified.unverified)
      for problem in verified.problems { report(problem) }
      isEverythingVerified = isEverythingVerified && verified.problems.isEmpty
      if let next = batch.next {
        try StoreKitDeviceError.checkPage(endsAt: next.after, after: after?.after, "unfinished transactions")
      }
      place = batch.next
    } while place != nil && isWanted()
    return isEverythingVerified
  }

  /// Records a page of unfinished transactions, and shows what has changed.
  func keepUnfinished(_ verified: StoreSession.VerifiedBatch, requestedBy account: AccountName?) throws {
    let changed = try journal.accept(
      unfinished: verified.arrivals, keeping: verified.transactions, requestedBy: account, receipt: verified.receipt,
      awaited: awaitedPayments, announces: announces, sent: sentTransactions)
    // A payment may have its transaction from the list before the answer.
    for entry in changed { waitsAnew.remove(entry.sequence) }
    if verified.receipt != nil { publishCommittedReceipt() }
    show(changed)
    // A redelivery of an owned product to a payment of StoreKit 2 is finished already.
    if changed.contains(where: \.isFinishing) { finishes?.wake() }
  }
}
