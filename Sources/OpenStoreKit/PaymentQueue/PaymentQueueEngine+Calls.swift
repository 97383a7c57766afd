import SignedData
import StoreModel

// What the app asks the store for.
extension PaymentQueueEngine {
  /// Registers at the store again, which answers with the storefront. If the storefront is known, waits at most for
  /// ``refreshTimeout``; otherwise as long as other calls.
  func registerAgain() async throws {
    let first = FirstResult<Void>()
    let limit = session.storefront.value == nil ? timeout : refreshTimeout.value
    let timer = Task { [clock] in
      try await clock.sleep(for: limit)
      first.give(.success(()))
    }
    defer { timer.cancel() }
    try await first.value { [session] in
      await session.discardServerState()
      try await session.perform { _, _ in }
    }
  }

  /// Returns the app transaction: the stored one if it is of this version of the app, or a new one. If the store does not
  /// answer, an older one.
  ///
  /// - Parameter isForced: whether to ask the customer to sign in, and to request a new one in any case.
  /// - Throws: ``PaymentFailure`` if the customer did not sign in, ``StoreRefusal``, ``StoreConnectionFailure``.
  func appTransaction(isForced: Bool) async throws -> ReceivedAppTransaction {
    guard !isStopped else { throw StoreKitDeviceError.closed }
    if isForced {
      try await session.signIn()
      return try await session.requestAppTransaction()
    }
    let stored = try journal.appTransaction()
    if let stored, let payload = try? JWSPayload.bytes(ofJWS: stored),
      let content = try? SignedAppTransaction(payload: payload),
      content.applicationVersion == session.applicationVersion
    {
      return ReceivedAppTransaction(jws: stored, failure: nil)
    }
    do {
      return try await requestedAppTransaction()
    } catch let failure as StoreConnectionFailure {
      guard let stored else { throw failure }
      return ReceivedAppTransaction(jws: stored, failure: nil)
    }
  }

  private func requestedAppTransaction() async throws -> ReceivedAppTransaction {
    do {
      return try await session.requestAppTransaction()
    } catch let refusal as StoreRefusal where refusal.code == .signInRequired {
      guard try await signInAccountOfDevice() else { throw refusal }
      // Unlike the sign-in of a refresh, this one is not followed by the customer's transactions.
      refreshSoon()
      return try await session.requestAppTransaction()
    }
  }

  /// Asks the customer to sign in, and takes in the unfinished transactions, all changes, and the receipt. Transactions that
  /// were not verified are reported, and are on `Transaction.updates`.
  ///
  /// - Throws: ``PaymentFailure`` if the customer did not sign in, ``StoreRefusal``, ``StoreConnectionFailure``.
  func synchronize() async throws {
    guard !isStopped else { throw StoreKitDeviceError.closed }
    try await session.signIn()
    needsUnfinished = true
    if case .failed(let error) = await sharedRun() {
      leaveUnfinishedToWorker()
      throw error
    }
    try await session.refreshReceipt(asksToSignIn: false)
    try publishReceipt()
  }

  /// The maximum number of product identifiers in one call.
  private static let productsPerCall = 1_000

  /// Requests the listings of products, with 1,000 ids in each call.
  ///
  /// - Parameter group: a subscription group, of which all products on sale are listed, too; nil for none.
  /// - Throws: ``StoreRefusal``, ``StoreConnectionFailure``.
  func products(_ ids: [ProductID], group: SubscriptionGroupID? = nil) async throws -> ProductList {
    guard !isStopped else { throw StoreKitDeviceError.closed }
    var products: [ProductListing] = []
    var invalid: [ProductID] = []
    var listed: Set<ProductID> = []
    var rest = ids[...]
    var askedGroup = group
    while !rest.isEmpty || askedGroup != nil {
      let (part, group) = (Array(rest.prefix(Self.productsPerCall)), askedGroup)
      let list = try await session.perform { try await $0.products(part, group: group, for: $1) }
      products += list.products.filter { listed.insert($0.productID).inserted }
      invalid += list.invalidProductIDs
      rest = rest.dropFirst(Self.productsPerCall)
      askedGroup = nil
    }
    return ProductList(products: products, invalidProductIDs: invalid)
  }
}
