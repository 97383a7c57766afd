import Foundation

/// Delivers products whose files come from the developer's server.
///
/// ```swift
/// let delivery = ServerDelivery(
///   server: server, downloads: downloads, entitlements: entitlements, productIdentifiers: ["…book.smallprint"],
///   proof: { _ in try receipts.proof() })
/// // Before `entitlements`, which would deliver the same products without files.
/// let manager = InAppPurchaseManager(deliveries: [delivery, entitlements])
/// ```
///
/// A purchase is delivered when it was redeemed at the server, its files are downloaded and verified, and the entitlement is
/// recorded. Only then is its transaction finished. For a *deferred* product, only the proof and the entitlement are
/// recorded; its files are downloaded later by ``fetch(_:attempts:)``.
public final class ServerDelivery: ProductDelivery {
  /// Makes the proof that a purchase was paid for. Not called for a purchase with a signed transaction
  /// (``PaidPurchase/signedTransaction``), which is its own proof.
  public typealias Proof = @Sendable (PaidPurchase) async throws -> StoreProof

  public let downloads: ContentDownloads
  let entitlements: EntitlementManager
  private let server: PurchaseServerClient
  private let productIdentifiers: @Sendable () -> Set<String>
  private let deferredIdentifiers: @Sendable () -> Set<String>
  private let deliveredIdentifiers: @Sendable () -> Set<String>?
  private let proof: Proof
  private let attempts: Int
  private let semaphore: Semaphore

  private var library: ContentLibrary { downloads.library }

  /// - Parameters:
  ///   - server: redeems the purchases.
  ///   - downloads: downloads the files.
  ///   - entitlements: records the entitlements; must handle the products.
  ///   - productIdentifiers: the products of this delivery. Read each time, because the master list may grow.
  ///   - deferredIdentifiers: the products of this delivery whose files are not downloaded at the purchase. The app
  ///     downloads them later with ``fetch(_:attempts:)``.
  ///   - deliveredIdentifiers: the products that have content on the server now, according to its master list; nil if
  ///     that is not known. Other products were withdrawn, and are not sold.
  ///   - attempts: the number of network failures in a row after which a purchase stays in the queue; at least 1.
  ///   - atOnce: the maximum number of purchases that are redeemed at the same time, for example during a large
  ///     restore; at least 1. Downloads have their own limit, in ``ContentDownloads``.
  ///   - proof: makes the proof, such as the app receipt that ``ReceiptReader/proof()`` reads, or the signed transaction of
  ///     ``TransactionReader/proof(of:)``.
  public init(
    server: PurchaseServerClient, downloads: ContentDownloads, entitlements: EntitlementManager,
    productIdentifiers: @autoclosure @escaping @Sendable () -> Set<String>,
    deferredIdentifiers: @autoclosure @escaping @Sendable () -> Set<String> = [],
    deliveredIdentifiers: @autoclosure @escaping @Sendable () -> Set<String>? = nil, attempts: Int = 3,
    atOnce: Int = 4, proof: @escaping Proof
  ) {
    precondition(atOnce >= 1, "redemptions need at least one permit")
    self.server = server
    self.downloads = downloads
    self.entitlements = entitlements
    self.productIdentifiers = productIdentifiers
    self.deferredIdentifiers = deferredIdentifiers
    self.deliveredIdentifiers = deliveredIdentifiers
    self.attempts = attempts
    semaphore = Semaphore(atOnce)
    self.proof = proof
  }

  public func handles(_ productIdentifier: String) -> Bool { productIdentifiers().contains(productIdentifier) }

  /// Withdrawn content is not sold, because it could not be delivered.
  public func obstacle(to productIdentifier: String) -> String? {
    guard let delivered = deliveredIdentifiers(), !delivered.contains(productIdentifier) else { return nil }
    return "No longer sold: its content was withdrawn"
  }

  // MARK: Delivering

  /// Delivers a purchase, unless it was delivered before.
  ///
  /// - Throws: ``RefusedPurchase`` if the purchase grants nothing. After other errors, such as ``PurchaseServerError``,
  ///   ``ContentError`` and ``ReceiptError``, the transaction must be delivered again.
  public func deliver(_ purchase: PaidPurchase) async throws {
    let product = purchase.productIdentifier
    guard handles(product), entitlements.handles(product) else { throw InAppPurchaseError.unknownProduct(product) }
    // New purchases go before restored ones.
    let permit = Permit(semaphore, isUrgent: !purchase.isRestored)
    defer { permit.release() }
    try await permit.acquire()
    if try await isDelivered(purchase) { return }
    // The redemption uses the original identifier, because receipts list it. A redelivered transaction has another
    // identifier.
    let redemption = RedeemablePurchase(
      transactionIdentifier: purchase.originalTransactionIdentifier, productIdentifier: product, date: purchase.date,
      proof: try await purchase.proof { try await proof(purchase) })
    // Stored before the first request, so that from now on the redemption can be repeated without paying again.
    try await library.onDisk { try $0.records.keep(redemption) }
    downloads.changed(product)
    if !deferredIdentifiers().contains(product) {
      // The customer decides when a paused download continues, also after a launch.
      if try await library.onDisk({ try $0.records.product(product).isPaused }) {
        throw ContentError.stopped(productIdentifier: product)
      }
      try await redeem(redemption, isRestored: purchase.isRestored, attempts: attempts, permit)
    }
    do {
      try await entitlements.deliver(purchase)
    } catch let refused as RefusedPurchase {
      try await end(redemption, refused)
      throw refused
    }
  }

  /// Whether the purchase was delivered before, and its files are up to date. For a deferred product, the stored
  /// redemption is checked instead of the files.
  private func isDelivered(_ purchase: PaidPurchase) async throws -> Bool {
    guard isRecorded(purchase.originalTransactionIdentifier) else { return false }
    let (product, isDeferred) = (purchase.productIdentifier, deferredIdentifiers().contains(purchase.productIdentifier))
    return try await library.onDisk { library in
      if isDeferred { return try library.records.redemption(of: product) != nil }
      let known = try library.records.product(product)
      return known.current != nil && known.wanted == nil
    }
  }

  /// Whether an original transaction has an entitlement that was not revoked.
  private func isRecorded(_ originalTransactionIdentifier: String) -> Bool {
    entitlements.entitlements.contains {
      $0.originalTransactionIdentifier == originalTransactionIdentifier && $0.revocationDate == nil
    }
  }

  // MARK: Downloading

  /// Downloads the files of a product that the customer owns, for instance of a deferred product, after a failed download,
  /// or after the files were removed to make room. Nothing is charged.
  ///
  /// - Parameter attempts: the number of network failures in a row after which this method throws; nil to retry until
  ///   the download succeeds.
  /// - Throws: ``RefusedPurchase`` if the purchase grants nothing any more; ``ContentError``; ``PurchaseServerError``.
  public func fetch(_ productIdentifier: String, attempts: Int? = nil) async throws {
    if try await library.onDisk({ try $0.records.product(productIdentifier).wanted == nil }) {
      let permit = Permit(semaphore, isUrgent: true)
      defer { permit.release() }
      try await permit.acquire()
      try await redeem(try await redemption(of: productIdentifier), isRestored: false, attempts: attempts, permit)
    } else {
      try await downloads.download(productIdentifier, attempts: attempts)
    }
  }

  /// Returns the stored redemption of a product. If there is none, returns a new redemption of the entitlement.
  private func redemption(of product: String) async throws -> RedeemablePurchase {
    if let kept = try await library.onDisk({ try $0.records.redemption(of: product) }) { return kept }
    guard
      let owned = entitlements.entitlements.last(where: {
        $0.productIdentifier == product && $0.revocationDate == nil
      })
    else { throw ContentError.notDelivered(productIdentifier: product) }
    return try await newRedemption(product, owned.originalTransactionIdentifier, owned.purchaseDate)
  }

  private func newRedemption(_ product: String, _ identifier: String, _ date: Date) async throws -> RedeemablePurchase {
    let purchase = PaidPurchase(
      transactionIdentifier: identifier, productIdentifier: product, quantity: 1, date: date, isRestored: true)
    return RedeemablePurchase(
      transactionIdentifier: identifier, productIdentifier: product, date: date, proof: try await proof(purchase))
  }

  /// Redeems a purchase, and downloads its files.
  private func redeem(
    _ redemption: RedeemablePurchase, isRestored: Bool, attempts: Int?, _ permit: Permit
  ) async throws {
    let (product, downloads) = (redemption.productIdentifier, downloads)
    do {
      let retries = downloads.retries(attempts: attempts, permit: permit)
      let delivery = try await goods(for: redemption, isRestored: isRestored, retries).delivery
      guard let delivery else { return }
      let isDue = try await library.onDisk { library in
        try downloads.want(delivery)
        return try library.records.product(product).wanted != nil
      }
      // Downloads take long, and have a semaphore of their own.
      permit.release()
      if isDue { try await downloads.download(product, attempts: attempts) }
    } catch let refused as RefusedPurchase {
      try await end(redemption, refused)
      throw refused
    }
  }

  private func goods(
    for redemption: RedeemablePurchase, isRestored: Bool, _ retries: RetryBudget
  ) async throws -> ServerRedemption.Goods {
    let redeemer = Redeemer(server: server)
    var retries = retries
    do {
      return try await redeemer.goods(for: redemption, isRestored: isRestored, retries: &retries)
    } catch PurchaseServerError.refused(let refusal) where refusal.isAboutProof {
      // The stored receipt may be older than the purchase, or incomplete. The device's current receipt may be valid.
      let newer = try await newRedemption(
        redemption.productIdentifier, redemption.transactionIdentifier, redemption.date)
      guard newer.proof != redemption.proof else { throw PurchaseServerError.refused(refusal) }
      let goods = try await redeemer.goods(for: newer, isRestored: isRestored, retries: &retries)
      try await library.onDisk { try $0.records.keep(newer) }
      return goods
    }
  }

  // MARK: Revoking

  /// Ends revoked entitlements, and removes the files of products that the customer no longer owns.
  public func revoke(productIdentifiers: Set<String>) async throws {
    try await entitlements.revoke(productIdentifiers: productIdentifiers)
    for product in productIdentifiers where try !entitlements.isEntitled(to: product) {
      downloads.stop(product)
      try await library.onDisk { library in
        try library.records.removeRedemptions(of: product)
        try library.remove(product)
      }
      downloads.changed(product)
    }
  }

  /// Removes the stored redemption of a refused purchase. If the purchase was refunded or revoked, also revokes its
  /// entitlement. If the customer then no longer owns the product, records that the product is no longer delivered.
  private func end(_ redemption: RedeemablePurchase, _ refused: RefusedPurchase) async throws {
    let (product, identifier) = (redemption.productIdentifier, redemption.transactionIdentifier)
    try await library.onDisk { try $0.records.removeRedemption(identifier) }
    // A claim by another customer does not end the entitlement on this device.
    if refused.refusal.isRevocation {
      if isRecorded(identifier) { try await entitlements.revoke([identifier]) }
      if try !entitlements.isEntitled(to: product) {
        try await library.onDisk { try $0.end(product, reason: refused.refusal.message) }
      }
    }
    downloads.changed(product)
  }

  /// Records the end of a restore. If every owned product has files or a pending download, this also removes the files
  /// that were found without a record and that no product uses.
  public func restoreFinished() throws {
    try entitlements.restoreFinished()
    let records = try library.records.products()
    // A deferred product that is not redeemed yet has no record of its files. Any of the found files may belong to it.
    let isKnown = entitlements.entitlements.allSatisfy { owned in
      guard handles(owned.productIdentifier), owned.revocationDate == nil else { return true }
      let known = records[owned.productIdentifier]
      return known?.current != nil || known?.wanted != nil
    }
    if isKnown { try library.forgetFoundFiles() }
  }
}
