extension EntitlementManager {
  /// Returns whether the customer may use what an entitlement's name stands for now, such as `club`: whether the customer may use one
  /// of its products. False for a name without products.
  ///
  /// - Throws: an error of the vault if the result depends on the time, and the time cannot be recorded.
  public func isEntitled(toNamed name: String) throws -> Bool {
    var failure: (any Error)?
    for product in products(named: name) {
      do {
        if try isEntitled(to: product) { return true }
      } catch {
        // Another product may give access without a date.
        failure = error
      }
    }
    if let failure { throw failure }
    return false
  }

  /// Returns the state of the subscriptions that give an entitlement, as ``subscriptionState(of:)`` does.
  ///
  /// - Parameter name: the name of the entitlement. Its products must be subscriptions.
  /// - Throws: an error of the vault if the time cannot be recorded.
  public func subscriptionState(ofNamed name: String) throws -> SubscriptionState {
    try subscriptionState(of: products(named: name))
  }

  private func products(named name: String) -> Set<String> { entitlementNames()[name] ?? [] }
}
