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
    let areChangesVerified = try await takeInChanges(pageSize: pageSize, pageLimit: pageLimit, withStatuses: announces)
    guard areUnfinishedVerified, areChangesVerified else {
      throw StoreKitDeviceError.deliveryMismatch("transactions that could not be verified")
    }
  }

  /// Requests and stores the changes after the stored revision, each page in a commit of its own. Concurrent calls run one
  /// after the other.
  ///
  /// - Parameter withStatuses: whether to request the statuses of the subscriptions, too. StoreKit 1 has no use for them.
  /// - Returns: whether everything was verified.
  func takeInChanges(pageSize: Int?, pageLimit: Int, withStatuses: Bool) async throws -> Bool {
    while refreshing.isTakingIn { await withCheckedContinuation { refreshing.waitingTakeIns.append($0) } }
    refreshing.isTakingIn = true
    defer {
      refreshing.isTakingIn = false
      if !refreshing.waitingTakeIns.isEmpty { refreshing.waitingTakeIns.removeFirst().resume() }
    }
    return try await takeInPages(pageSize: pageSize, pageLimit: pageLimit, withStatuses: withStatuses)
  }

  private func takeInPages(pageSize: Int?, pageLimit: Int, withStatuses: Bool) async throws -> Bool {
    var place = try placeAtPageLimit ?? journal.transactionPlace()
    placeAtPageLimit = nil
    var isEverythingVerified = true
    var restarts = 0
    for _ in 0..<pageLimit {
      if isStopped { throw StoreKitDeviceError.closed }
      let (revision, changes) = (place.revision, synchronousChanges)
      do {
        let page = try await session.perform {
          try await $0.transactions(
            after: revision, limit: pageSize, withStatuses: withStatuses ? true : nil, for: $1)
        }
        let next = try place.next(after: page)
        let verified = try await session.verify(page)
        guard changes == synchronousChanges else {
          place = try journal.transactionPlace()
          continue
        }
        for problem in verified.problems { report(problem) }
        isEverythingVerified = isEverythingVerified && verified.problems.isEmpty
        let news = try journal.accept(
          verified, of: page, requestedFor: place, at: clock.now, announces: announces)
        if let news {
          publish(news, unverified: verified.unverified)
          guard page.hasMore else {
            // Also if a part was not verified: the page is requested again by the retry schedule, and not in an endless loop.
            if withStatuses { refreshing.seen = next }
            return isEverythingVerified
          }
          place = next
          continue
        }
      } catch let refusal as StoreRefusal where refusal.code == .signInRequired {
        // If no customer is signed in, there is nothing to take in.
        guard withStatuses, try await signInAccountOfDevice() else { return isEverythingVerified }
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

  /// Signs in with the account of the device, once per launch, if no account was ever known on this installation.
  ///
  /// - Returns: whether a customer was signed in.
  func signInAccountOfDevice() async throws -> Bool {
    guard !refreshing.hasTriedAccountOfDevice, try journal.account() == nil else { return false }
    refreshing.hasTriedAccountOfDevice = true
    guard let credentials = await customer.accountOfDevice() else { return false }
    refreshing.isSigningIn = true
    defer { refreshing.isSigningIn = false }
    do {
      try await session.signIn(credentials)
      return true
    } catch let refusal as StoreRefusal {
      report(refusal)
      return false
    } catch {
      // The store was not reached, so the next refresh tries again.
      refreshing.hasTriedAccountOfDevice = false
      throw error
    }
  }
}
