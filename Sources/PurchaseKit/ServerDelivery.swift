import Foundation

/// Gives products whose files come from the developer's server (G3 to G5).
///
/// ```swift
/// let books = ServerDelivery(
///   server: server, downloads: downloads, entitlements: entitlements, productIdentifiers: ["…book.smallprint"],
///   proof: { _ in try receipts.proof() })
/// let manager = InAppPurchaseManager(deliveries: [books, entitlements])   // before who gives the same products without files
/// ```
///
/// A purchase is given when it was redeemed at the server, its files are here, their digests right, and the entitlement is
/// recorded; only then is its transaction finished. Of a *deferred* product only the proof is kept and the entitlement
/// recorded; its files are fetched later, by ``fetch(_:attempts:)``.
public final class ServerDelivery: ProductDelivery {
  /// Makes what shows the server that a purchase was paid for.
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
  ///   - downloads: fetches files.
  ///   - entitlements: records who owns what; must know the products.
  ///   - productIdentifiers: the products that are given here; asked each time, because the master list may grow (A3).
  ///   - deferredIdentifiers: those of them whose files are fetched later, from the app's own screen (G4).
  ///   - deliveredIdentifiers: those of which the server has content now, by its master list; nil where that is not known.
  ///     The others are withdrawn, and not sold.
  ///   - attempts: how many failures of the network in a row make a purchase wait in the queue; at least 1.
  ///   - atOnce: how many purchases are redeemed at the same time, as when a thousand are restored; at least 1. Files come after
  ///     that, as ``ContentDownloads`` has it.
  ///   - proof: makes the proof, such as the app receipt that ``ReceiptReader/proof()`` reads.
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

  /// Content that was withdrawn is not sold: there would be nothing to deliver.
  public func obstacle(to productIdentifier: String) -> String? {
    guard let delivered = deliveredIdentifiers(), !delivered.contains(productIdentifier) else { return nil }
    return "No longer sold: its content was withdrawn"
  }

  // MARK: Giving

  /// Gives a purchase, or finds it on record.
  ///
  /// - Throws: ``RefusedPurchase`` where nothing is owed; ``PurchaseServerError``, ``ContentError``, ``ReceiptError`` and so on where
  ///   it is to come again.
  public func deliver(_ purchase: PaidPurchase) async throws {
    let product = purchase.productIdentifier
    guard handles(product), entitlements.handles(product) else { throw InAppPurchaseError.unknownProduct(product) }
    // What was just paid for before what is only brought back.
    let permit = Permit(semaphore, isUrgent: !purchase.isRestored)
    defer { permit.release() }
    try await permit.acquire()
    if try await isOnRecord(purchase) { return }
    // By its original, as receipts list what is owned; what is delivered once more has an id of its own.
    let redemption = RedeemablePurchase(
      transactionIdentifier: purchase.originalTransactionIdentifier, productIdentifier: product, date: purchase.date,
      proof: try await proof(purchase))
    // Before anything is asked: from here on it can be retried without paying again (G5).
    try await library.onDisk { try $0.records.keep(redemption) }
    downloads.changed(product)
    if !deferredIdentifiers().contains(product) {
      try await redeem(redemption, isRestored: purchase.isRestored, attempts: attempts, permit)
    }
    do {
      try await entitlements.deliver(purchase)
    } catch let refused as RefusedPurchase {
      try await end(redemption, refused)
      throw refused
    }
  }

  /// Whether it was given here before, and its files are here.
  private func isOnRecord(_ purchase: PaidPurchase) async throws -> Bool {
    guard isRecorded(purchase.originalTransactionIdentifier) else { return false }
    let (product, isDeferred) = (purchase.productIdentifier, deferredIdentifiers().contains(purchase.productIdentifier))
    return try await library.onDisk { library in
      if isDeferred { return try library.records.redemption(of: product) != nil }
      let known = try library.records.product(product)
      return known.current != nil && known.wanted == nil
    }
  }

  /// Whether an original transaction's entitlement is on record, and was not taken back.
  private func isRecorded(_ originalTransactionIdentifier: String) -> Bool {
    entitlements.entitlements.contains {
      $0.originalTransactionIdentifier == originalTransactionIdentifier && $0.revocationDate == nil
    }
  }

  // MARK: Fetching

  /// Fetches the files of a product that the customer owns: those of a deferred one, of one whose download failed, of one that was removed
  /// to make room. Nothing is paid.
  ///
  /// - Parameter attempts: how many failures of the network in a row are too many; nil to go on until it is there.
  /// - Throws: ``RefusedPurchase`` where the money went back; ``ContentError``; ``PurchaseServerError``.
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

  /// The proof that was kept; without one, a new one of what is owned.
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

  /// Redeems, and fetches what that gives.
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
      // Files take a while, and have a semaphore of their own.
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
      // The receipt that was kept may be older than the purchase, or written by halves: what there is now may be better.
      let newer = try await newRedemption(
        redemption.productIdentifier, redemption.transactionIdentifier, redemption.date)
      guard newer.proof != redemption.proof else { throw PurchaseServerError.refused(refusal) }
      let goods = try await redeemer.goods(for: newer, isRestored: isRestored, retries: &retries)
      try await library.onDisk { try $0.records.keep(newer) }
      return goods
    }
  }

  // MARK: Taking back

  /// What the store took back ends here; files that nobody owns any more are removed.
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

  /// Ends one purchase, and the product with it unless another purchase of it stands.
  private func end(_ redemption: RedeemablePurchase, _ refused: RefusedPurchase) async throws {
    let (product, identifier) = (redemption.productIdentifier, redemption.transactionIdentifier)
    try await library.onDisk { try $0.records.removeRedemption(identifier) }
    // Another customer's purchase says nothing of what was recorded here.
    if refused.refusal.isTakenBack {
      if isRecorded(identifier) { try await entitlements.revoke([identifier]) }
      if try !entitlements.isEntitled(to: product) {
        try await library.onDisk { try $0.end(product, reason: refused.refusal.message) }
      }
    }
    downloads.changed(product)
  }

  /// All that is owned was given.
  public func restoreFinished() throws {
    try entitlements.restoreFinished()
    let records = try library.records.products()
    // Of what is fetched later it is not known yet which files are its own.
    let isKnown = entitlements.entitlements.allSatisfy { owned in
      guard handles(owned.productIdentifier), owned.revocationDate == nil else { return true }
      let known = records[owned.productIdentifier]
      return known?.current != nil || known?.wanted != nil
    }
    if isKnown { try library.forgetFoundFiles() }
  }
}
