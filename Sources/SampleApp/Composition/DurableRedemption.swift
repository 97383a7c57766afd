/// Redeems the customer's filters and plans at the purchase server, so that it recognises the customer on each device.
///
/// StoreKit unlocks these products on the device without the server. So a failure has no effect on them, and the next
/// call tries again.
actor DurableRedemption {
  private let owned: @Sendable () -> Set<String>
  private let request: @Sendable (Set<String>) async throws -> Void
  /// The original transactions that were redeemed since the launch.
  private var redeemed: Set<String> = []
  private var last: Task<Bool, any Error>?

  /// - Parameters:
  ///   - owned: returns the original transactions of the products that the customer owns.
  ///   - request: redeems at least these original transactions.
  init(
    owned: @escaping @Sendable () -> Set<String>, request: @escaping @Sendable (Set<String>) async throws -> Void
  ) {
    self.owned = owned
    self.request = request
  }

  /// Redeems the purchases that were not redeemed since the launch. Calls are carried out one after the other.
  ///
  /// - Returns: whether a request was sent.
  /// - Throws: the request's error.
  func redeem() async throws -> Bool {
    let earlier = last
    let task = Task {
      _ = await earlier?.result
      return try await self.redeemPending()
    }
    last = task
    return try await task.value
  }

  private func redeemPending() async throws -> Bool {
    let pending = owned().subtracting(redeemed)
    guard !pending.isEmpty else { return false }
    try await request(pending)
    redeemed.formUnion(pending)
    return true
  }
}
