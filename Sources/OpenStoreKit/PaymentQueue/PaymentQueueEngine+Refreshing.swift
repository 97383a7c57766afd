import SignedData
import StoreModel

/// Whether the journal has the store's current state after a refresh.
enum RefreshResult: Sendable {
  case current
  /// The store could not be reached, has not answered in time, or a part of its answer was not verified.
  case stale(any Error)
}

/// An app transaction as received from the store.
struct ReceivedAppTransaction: Sendable {
  /// The app transaction as a compact JWS.
  let jws: String
  /// Why it was not verified; nil if it was. Only a verified one is stored.
  let failure: VerificationFailure?
}

/// The refreshes of one launch.
struct Refreshing: Sendable {
  /// How a run of a refresh has ended.
  enum End: Sendable {
    case current
    /// All pages arrived, and a part of them was not verified.
    case unverified(any Error)
    case failed(any Error)
  }

  /// Whether to refresh before the next call for changes.
  var isDue = false
  /// Whether to refresh again because a part of the last one was not verified.
  var isRetryDue = false
  /// Whether the last call for changes follows the customer's records.
  var pollFollows = false
  /// The end of the last page in this launch; nil before the first one.
  var seen: TransactionPlace?
  let runs = SharedRuns<End>()
  /// Whether pages are being taken in. Two calls at once would share the place.
  var isTakingIn = false
  var waitingTakeIns: [CheckedContinuation<Void, Never>] = []
  var hasTriedAccountOfDevice = false
  var isSigningIn = false
  var hasLookedForOpenEntries = false
}

extension PaymentQueueEngine {
  /// Asks the store for changes, and stores them. Concurrent callers share a run that began after their call.
  ///
  /// If the journal has a payment or a finish of StoreKit 2 that an earlier launch has not completed, this begins the use of
  /// StoreKit 2.
  ///
  /// - Parameter waiting: the maximum time to wait; nil for ``refreshTimeout``. The run continues after that. An installation
  ///   that has never taken changes in waits as long as for other calls.
  func refresh(waiting: Duration? = nil) async -> RefreshResult {
    guard !isStopped else { return .stale(StoreKitDeviceError.closed) }
    do {
      if !refreshing.hasLookedForOpenEntries {
        if try journal.hasOpenEntriesOfStoreKit2() { updates.use() }
        refreshing.hasLookedForOpenEntries = true
      }
      let isFirst = try journal.transactionPlace().revision == nil
      let waiting = waiting ?? refreshTimeout.value
      let limit = isFirst ? max(waiting, timeout) : waiting
      let first = FirstResult<RefreshResult>()
      let timer = Task { [clock] in
        try await clock.sleep(for: limit)
        first.give(
          .success(.stale(StoreConnectionFailure.noAnswer(reason: "there was no answer within \(limit)"))))
      }
      defer { timer.cancel() }
      return try await first.value { [weak self] in
        switch await self?.sharedRun() {
        case .current: return .current
        case nil: return .stale(StoreKitDeviceError.closed)
        case .unverified(let error), .failed(let error):
          await self?.leaveUnfinishedToWorker()
          return .stale(error)
        }
      }
    } catch {
      return .stale(error)
    }
  }

  /// Carries a refresh out, or shares one that begins after this call.
  func sharedRun() async -> Refreshing.End {
    await refreshing.runs.value { [weak self] in await self?.run() ?? .failed(StoreKitDeviceError.closed) }
  }

  private func run() async -> Refreshing.End {
    do {
      var isVerified = try await takeInChanges(pageSize: nil, pageLimit: 1_000, withStatuses: true)
      // A list that is under way may have been made before the caller's change.
      if needsUnfinished || acknowledgedFinishes.isListing {
        needsUnfinished = false
        do {
          if try await !fetchUnfinished(while: { !isStopped }) { (needsUnfinished, isVerified) = (true, false) }
        } catch {
          needsUnfinished = true
          throw error
        }
      }
      guard isVerified else {
        return .unverified(StoreKitDeviceError.deliveryMismatch("transactions that could not be verified"))
      }
      return .current
    } catch let refusal as StoreRefusal where refusal.code == .signInRequired {
      return .current
    } catch {
      return .failed(error)
    }
  }

  /// Wakes the worker that requests the unfinished transactions, if a refresh of the app has tried that and failed: the worker
  /// has left it to the refresh. Not called after the worker's own refresh, which its retry schedule repeats.
  func leaveUnfinishedToWorker() {
    if needsUnfinished, isActive { finishes?.wake() }
  }

  /// Publishes what the commit of a page has changed.
  func publish(_ changes: PageChanges, unverified: [StoreSession.UnverifiedTransaction]) {
    sendAnnounced()
    send(unverified: unverified)
    if !changes.statuses.isEmpty {
      updates.statuses.send(changes.statuses.map(StatusUpdate.init(originalTransactionID:)))
    }
    if !changes.messages.isEmpty {
      updates.send(changes.messages)
      showSoon(changes.messages)
    }
  }

  // MARK: While StoreKit 2 is in use

  /// Refreshes before the next call for changes.
  func refreshSoon() {
    // The sign-in of a refresh is followed by its pages.
    guard updates.isInUse, !refreshing.isSigningIn else { return }
    refreshing.isDue = true
    endPoll?()
    listening?.wake()
  }

  /// Refreshes before a call for changes. What was not verified, and what the store has refused, is left to the worker that
  /// retries it, so that the other changes arrive.
  ///
  /// - Throws: ``StoreConnectionFailure`` if the store was not reached.
  func refreshBeforePoll() async throws {
    refreshing.isDue = false
    switch await sharedRun() {
    case .current: break
    case .unverified:
      refreshing.isRetryDue = true
      finishes?.wake()
    case .failed(let failure as StoreConnectionFailure):
      refreshing.isDue = true
      throw failure
    case .failed(let error):
      report(error)
      refreshing.isRetryDue = true
      finishes?.wake()
    }
  }

  /// Refreshes again if a part of the last refresh was not verified.
  ///
  /// - Returns: false if it must be retried later.
  func retryChanges() async -> Bool {
    guard isActive, updates.isInUse, refreshing.isRetryDue else { return true }
    refreshing.isRetryDue = false
    if case .current = await sharedRun() { return true }
    refreshing.isRetryDue = true
    return false
  }

  /// What the next call for changes follows; nil if StoreKit 2 is not in use, or the device is offline: it could not ask for
  /// the changes.
  func following() throws -> TransactionFollowing? {
    guard updates.isInUse, !switches.isOffline else { return nil }
    let stored = try journal.transactionPlace()
    guard let seen = refreshing.seen, seen.account == stored.account else {
      return TransactionFollowing(after: stored.revision)
    }
    return TransactionFollowing(after: seen.revision)
  }
}
