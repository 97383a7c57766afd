import StoreModel

extension PaymentQueueEngine {
  /// How often the changes are requested from the beginning, or from another account's place, before the call fails.
  private static let largestRestartCount = 3

  /// Requests the unfinished transactions, and the changes of all the customer's transactions, and stores them, also without
  /// an observer. Observers that are attached later are notified of the unfinished ones.
  ///
  /// - Parameters:
  ///   - pageSize: the maximum number of changes in a page; nil for that of the store.
  ///   - pageLimit: the maximum number of pages that are requested at once. The next call continues after them.
  /// - Throws: ``StoreRefusal``, ``StoreConnectionFailure``, or ``StoreKitDeviceError`` if a transaction or a page was not
  ///   verified. The other transactions are stored.
  func takeInTransactions(pageSize: Int? = nil, pageLimit: Int = 1_000) async throws {
    let areUnfinishedVerified = try await fetchUnfinished(while: { !isStopped })
    let areChangesVerified = try await takeInChanges(pageSize: pageSize, pageLimit: pageLimit)
    guard areUnfinishedVerified, areChangesVerified else {
      throw StoreKitDeviceError.deliveryMismatch("transactions that could not be verified")
    }
  }

  /// Requests and stores the changes after the stored revision, each page in a commit of its own.
  ///
  /// - Returns: whether all transactions were verified.
  private func takeInChanges(pageSize: Int?, pageLimit: Int) async throws -> Bool {
    var place = try placeAtPageLimit ?? journal.transactionPlace()
    placeAtPageLimit = nil
    var isEverythingVerified = true
    var restarts = 0
    for _ in 0..<pageLimit {
      if isStopped { throw StoreKitDeviceError.closed }
      let revision = place.revision
      do {
        let page = try await session.perform { try await $0.transactions(after: revision, limit: pageSize, for: $1) }
        let next = try place.next(after: page)
        let (transactions, problems) = try await session.verify(page)
        for problem in problems { report(problem) }
        isEverythingVerified = isEverythingVerified && problems.isEmpty
        if try journal.accept(transactions, of: page, requestedFor: place, isVerified: problems.isEmpty) {
          guard page.hasMore else { return isEverythingVerified }
          place = next
          continue
        }
      } catch let refusal as StoreRefusal where refusal.code == .signInRequired {
        // No customer is signed in, so there is nothing to take in.
        return isEverythingVerified
      } catch let refusal as StoreRefusal where refusal.code == .epochEnded {
        // The registration in the new epoch has removed the revision. Otherwise the store has another reason.
        if try journal.transactionPlace().revision == revision { try journal.forgetTransactionPlace() }
      }
      restarts += 1
      guard restarts <= Self.largestRestartCount else {
        throw StoreKitDeviceError.deliveryMismatch("changes of another account or epoch, again and again")
      }
      place = try journal.transactionPlace()
    }
    placeAtPageLimit = place
    throw StoreKitDeviceError.deliveryMismatch("more pages of changed transactions than can be taken in at once")
  }
}
