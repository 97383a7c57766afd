import Foundation

extension InAppPurchaseManager {
  /// The products fetched so far, by identifier.
  public var fetchedProducts: [String: StoreProduct] { state.withLock { $0.products.products } }

  /// The identifiers that the store listed as invalid in its last response about them.
  public var invalidProductIdentifiers: Set<String> { state.withLock { $0.products.invalid } }

  /// The identifiers whose last request failed. Between ``start()`` and ``stop()`` the manager requests them again; see
  /// ``RetrySchedule``.
  public var unansweredProductIdentifiers: Set<String> { state.withLock { $0.productRetry.unanswered } }

  /// Requests those products that were not fetched yet and are not being requested. A screen calls it whenever it appears.
  ///
  /// - Returns: the identifiers that are requested now.
  @discardableResult
  public func requestMissingProductData(_ productIdentifiers: Set<String>) -> Set<String> {
    let missing = state.withLock { state in
      productIdentifiers.filter { state.products.products[$0] == nil && !state.productRetry.isUnderWay($0) }
    }
    if !missing.isEmpty { requestProductData(missing) }
    return missing
  }

  /// Requests products; a notification reports the answer.
  ///
  /// A request that fails is made again by the manager.
  public func requestProductData(_ productIdentifiers: Set<String>) {
    advanceProductRetry { $0.began(productIdentifiers) }
    // A notification reports an error as well.
    Task { _ = try? await fetch(productIdentifiers, turn: nil) }
  }

  /// Requests products, and waits for the first answer or error. Notifications report it as well.
  ///
  /// After an error, this function throws, and the manager repeats the request by itself. If a repetition succeeds, a
  /// notification reports it. Cancelling the task ends the request without a notification.
  ///
  /// - Returns: the products that the store knows, sorted by identifier. The others are in
  ///   ``invalidProductIdentifiers``.
  /// - Throws: the request's error, in `NSURLErrorDomain` if the network failed.
  @discardableResult
  public func products(_ productIdentifiers: Set<String>) async throws -> [StoreProduct] {
    advanceProductRetry { $0.began(productIdentifiers) }
    return try await fetch(productIdentifiers, turn: nil)
  }

  /// Makes a product request. The caller has already recorded in ``ProductRetry`` that the request begins.
  ///
  /// - Parameter turn: identifies a request that the manager repeats; nil for a request of the app.
  private func fetch(_ productIdentifiers: Set<String>, turn: Int?) async throws -> [StoreProduct] {
    do {
      let storefront = state.withLock { $0.products.storefront }
      let answer = try await edge.products(productIdentifiers)
      state.withLock { $0.products.add(answer, of: storefront) }
      advanceProductRetry { $0.ended(productIdentifiers, .answered, turn: turn) }
      await post(.InAppPurchaseManagerProductsFetchedNotification)
      return answer.products.sorted { $0.productIdentifier < $1.productIdentifier }
    } catch let error as CancellationError {
      advanceProductRetry { $0.ended(productIdentifiers, .cancelled, turn: turn) }
      throw error
    } catch {
      advanceProductRetry { $0.ended(productIdentifiers, .failed, turn: turn) }
      // No notification for a repeated request: an app would show the same alert twice a minute.
      if turn == nil { await post(.InAppPurchaseManagerRequestFailedNotification, error) }
      throw error
    }
  }

  /// Requests all products again. The prices of the earlier storefront are wrong in this one, and are no longer offered.
  func storefrontChanged() {
    let known = state.withLock { $0.products.changeStorefront().union($0.productRetry.underWayIdentifiers) }
    if !known.isEmpty { requestProductData(known) }
  }

  /// Changes the state of repeated requests, and carries out the next step.
  func advanceProductRetry(_ change: (inout ProductRetry) -> ProductRetry.Step?) {
    let replaced: Task<Void, Never>? = state.withLock { state in
      guard let step = change(&state.productRetry) else { return nil }
      defer { state.productRetryTask = makeTask(step) }
      return state.productRetryTask
    }
    // The task is cancelled outside the lock, because it may call back at once.
    replaced?.cancel()
  }

  /// The task does not retain the manager while it waits.
  private func makeTask(_ step: ProductRetry.Step) -> Task<Void, Never>? {
    switch step {
    case .idle:
      nil
    case .wait(let failures, let turn):
      Task { [weak self, retry] in
        // An error means that the task is cancelled: another step has replaced this one.
        try? await retry.wait(afterFailures: failures)
        self?.advanceProductRetry { $0.waited(turn: turn) }
      }
    case .request(let identifiers, let turn):
      Task { [weak self] in _ = try? await self?.fetch(identifiers, turn: turn) }
    }
  }

  @MainActor
  private func post(_ name: Notification.Name, _ error: (any Error)? = nil) {
    notifications.post(name: name, object: self, userInfo: error.map { [Self.errorKey: $0.castable] })
  }
}
