import StoreKit

extension InAppPurchaseManager {
  /// The products fetched so far, by identifier.
  public var fetchedProducts: [String: SKProduct] { catalog.products }

  /// The identifiers the store called invalid when it was last asked for them.
  public var invalidProductIdentifiers: Set<String> { catalog.invalid }

  /// The identifiers whose last request failed. Between ``start()`` and ``stop()`` the store is asked for them again by
  /// itself; see ``Reachability``.
  public var unansweredProductIdentifiers: Set<String> { retries.unanswered }

  /// Asks the store for those products whose price has not arrived and is not on its way. To be called whenever a screen
  /// appears: prices once loaded are not asked for again.
  ///
  /// - Returns: the identifiers that are asked for now.
  @discardableResult
  public func requestMissingProductData(_ productIdentifiers: Set<String>) -> Set<String> {
    let fetched = fetchedProducts
    let missing = productIdentifiers.filter { fetched[$0] == nil && !retries.isUnderWay($0) }
    if !missing.isEmpty { requestProductData(missing) }
    return missing
  }

  /// Asks the store for products; the answer comes as a notification.
  ///
  /// Where the request fails, it is made again by itself.
  public func requestProductData(_ productIdentifiers: Set<String>) {
    retries.began(productIdentifiers)
    // A failure is told by notification as well; nobody waits here to be thrown at.
    Task { _ = try? await answer(productIdentifiers, turn: nil) }
  }

  /// Asks the store for products, once. The same is told by notification.
  ///
  /// What failed is asked for again by itself; then only notifications tell. Cancelling the task ends the request, and
  /// nothing is told.
  ///
  /// - Returns: the products the store knows, by identifier. The others are in ``invalidProductIdentifiers``.
  /// - Throws: the request's error, in `NSURLErrorDomain` where the network failed.
  @discardableResult
  public func products(_ productIdentifiers: Set<String>) async throws -> [SKProduct] {
    retries.began(productIdentifiers)
    return try await answer(productIdentifiers, turn: nil)
  }

  /// Makes a request that has been announced to the retry line. `turn` is nil for one that the app made.
  func answer(_ productIdentifiers: Set<String>, turn: Int?) async throws -> [SKProduct] {
    do {
      let storefront = catalog.storefront
      let answer = try await ProductFetch(makeProductsRequest(productIdentifiers)).answer()
      catalog.keep(answer, of: storefront)
      retries.ended(productIdentifiers, .answered, turn: turn)
      await post(.InAppPurchaseManagerProductsFetchedNotification)
      return answer.products.sorted { $0.productIdentifier < $1.productIdentifier }
    } catch let error as CancellationError {
      retries.ended(productIdentifiers, .cancelled, turn: turn)
      throw error
    } catch {
      retries.ended(productIdentifiers, .failed, turn: turn)
      // Asked again in vain is no news: whoever shows an alert would show it twice a minute.
      if turn == nil { await post(.InAppPurchaseManagerRequestFailedNotification, error) }
      throw error
    }
  }

  /// The device is in another storefront: what is known, and what is being asked for, is asked for anew. Until the prices have
  /// arrived nothing is for sale at the old ones.
  func storefrontChanged() {
    let known = catalog.forget().union(retries.underWay)
    if !known.isEmpty { requestProductData(known) }
  }

  @MainActor
  private func post(_ name: Notification.Name, _ error: (any Error)? = nil) {
    notifications.post(name: name, object: self, userInfo: error.map { [Self.errorKey: $0] })
  }
}
