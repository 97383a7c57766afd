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
  private let proof: Proof
  private let attempts: Int

  private var library: ContentLibrary { downloads.library }

  /// - Parameters:
  ///   - downloads: fetches files.
  ///   - entitlements: records who owns what; must know the products.
  ///   - productIdentifiers: the products that are given here; asked each time, because the master list may grow (A3).
  ///   - deferredIdentifiers: those of them whose files are fetched later, from the app's own screen (G4).
  ///   - attempts: how many failures of the network in a row make a purchase wait in the queue; at least 1.
  ///   - proof: makes the proof, such as the app receipt that ``ReceiptReader/proof()`` reads.
  public init(
    server: PurchaseServerClient, downloads: ContentDownloads, entitlements: EntitlementManager,
    productIdentifiers: @autoclosure @escaping @Sendable () -> Set<String>,
    deferredIdentifiers: @autoclosure @escaping @Sendable () -> Set<String> = [], attempts: Int = 3,
    proof: @escaping Proof
  ) {
    self.server = server
    self.downloads = downloads
    self.entitlements = entitlements
    self.productIdentifiers = productIdentifiers
    self.deferredIdentifiers = deferredIdentifiers
    self.attempts = attempts
    self.proof = proof
  }

  public func handles(_ productIdentifier: String) -> Bool { productIdentifiers().contains(productIdentifier) }

  // MARK: Giving

  /// Gives a purchase, or finds it on record.
  ///
  /// - Throws: ``RefusedPurchase`` where nothing is owed; ``PurchaseServerError``, ``ContentError``, ``ReceiptError`` and so on where
  ///   it is to come again.
  public func deliver(_ purchase: PaidPurchase) async throws {
    let product = purchase.productIdentifier
    guard handles(product), entitlements.handles(product) else { throw InAppPurchaseError.unknownProduct(product) }
    if try isOnRecord(purchase) { return }
    // By its original, as receipts list what is owned; what is delivered once more has an id of its own.
    let redemption = KeptRedemption(
      transactionIdentifier: purchase.originalTransactionIdentifier, productIdentifier: product,
      proof: try await proof(purchase))
    // Before anything is asked: from here on it can be retried without paying again (G5).
    try library.records.keep(redemption)
    downloads.changed(product)
    if !deferredIdentifiers().contains(product) {
      try await redeem(redemption, isRestored: purchase.isRestored, attempts: attempts)
    }
    try await entitlements.deliver(purchase)
  }

  /// Whether it was given here before, and its files are here.
  private func isOnRecord(_ purchase: PaidPurchase) throws -> Bool {
    let isRecorded = entitlements.entitlements.contains {
      $0.originalTransactionIdentifier == purchase.originalTransactionIdentifier && $0.revocationDate == nil
    }
    guard isRecorded else { return false }
    if deferredIdentifiers().contains(purchase.productIdentifier) {
      return try library.records.redemption(of: purchase.productIdentifier) != nil
    }
    let known = try library.records.product(purchase.productIdentifier)
    return known.current != nil && known.wanted == nil
  }

  // MARK: Fetching

  /// Fetches the files of a product that the customer owns: those of a deferred one, of one whose download failed, of one that was removed
  /// to make room. Nothing is paid.
  ///
  /// - Parameter attempts: how many failures of the network in a row are too many; nil to go on until it is there.
  /// - Throws: ``RefusedPurchase`` where the money went back; ``ContentError``; ``PurchaseServerError``.
  public func fetch(_ productIdentifier: String, attempts: Int? = nil) async throws {
    if try library.records.product(productIdentifier).wanted == nil {
      try await redeem(try await redemption(of: productIdentifier), isRestored: false, attempts: attempts)
    } else {
      try await downloads.download(productIdentifier, attempts: attempts)
    }
  }

  /// The proof that was kept; without one, a new one of what is owned.
  private func redemption(of product: String) async throws -> KeptRedemption {
    if let kept = try library.records.redemption(of: product) { return kept }
    guard
      let owned = entitlements.entitlements.last(where: {
        $0.productIdentifier == product && $0.revocationDate == nil
      })
    else { throw ContentError.notDelivered(productIdentifier: product) }
    return try await newRedemption(product, owned.originalTransactionIdentifier)
  }

  private func newRedemption(_ product: String, _ identifier: String) async throws -> KeptRedemption {
    let purchase = PaidPurchase(
      transactionIdentifier: identifier, productIdentifier: product, quantity: 1, date: .distantPast,
      isRestored: true)
    return KeptRedemption(
      transactionIdentifier: identifier, productIdentifier: product, proof: try await proof(purchase))
  }

  /// Redeems, and fetches what that gives.
  private func redeem(_ redemption: KeptRedemption, isRestored: Bool, attempts: Int?) async throws {
    let product = redemption.productIdentifier
    do {
      let delivery = try await goods(for: redemption, isRestored: isRestored, attempts: attempts).delivery
      guard let delivery else { return }
      try downloads.want(delivery)
      guard try library.records.product(product).wanted != nil else { return }
      try await downloads.download(product, attempts: attempts)
    } catch let refused as RefusedPurchase {
      try await end(product, refused)
      throw refused
    }
  }

  private func goods(
    for redemption: KeptRedemption, isRestored: Bool, attempts: Int?
  ) async throws -> ServerRedemption.Goods {
    let redeemer = Redeemer(server: server)
    var patience = downloads.patience(attempts: attempts)
    do {
      return try await redeemer.goods(for: redemption, isRestored: isRestored, patience: &patience)
    } catch PurchaseServerError.refused(let refusal) where refusal.isAboutProof {
      // The receipt that was kept may be older than the purchase, or written by halves: what there is now may be better.
      let newer = try await newRedemption(redemption.productIdentifier, redemption.transactionIdentifier)
      guard newer.proof != redemption.proof else { throw PurchaseServerError.refused(refusal) }
      let goods = try await redeemer.goods(for: newer, isRestored: isRestored, patience: &patience)
      try library.records.keep(newer)
      return goods
    }
  }

  // MARK: Taking back

  /// What the store took back ends here; files that nobody owns any more are removed.
  public func revoke(productIdentifiers: Set<String>) async throws {
    try await entitlements.revoke(productIdentifiers: productIdentifiers)
    for product in productIdentifiers where try !entitlements.isEntitled(to: product) {
      downloads.stop(product)
      try library.records.removeRedemptions(of: product)
      try library.remove(product)
      downloads.changed(product)
    }
  }

  private func end(_ product: String, _ refused: RefusedPurchase) async throws {
    try library.records.removeRedemptions(of: product)
    // Another customer's purchase says nothing of what was recorded here.
    if refused.refusal.isTakenBack {
      if try entitlements.isEntitled(to: product) { try await entitlements.revoke(productIdentifiers: [product]) }
      try library.end(product, reason: refused.refusal.message)
    }
    downloads.changed(product)
  }

  public func restoreFinished() throws { try entitlements.restoreFinished() }
}
