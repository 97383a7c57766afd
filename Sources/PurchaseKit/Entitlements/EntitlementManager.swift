import Foundation
import SignedData
import StoreModel

extension Notification.Name {
  /// Posted by ``EntitlementManager`` when the customer's entitlements have changed, on any thread. Not posted when a
  /// subscription merely expires.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  public static let EntitlementManagerEntitlementsChangedNotification = Notification.Name(
    "EntitlementManagerEntitlementsChangedNotification")
}

/// Stores non-consumables and subscriptions in a ``PurchaseVault``, and returns which products the customer owns.
public final class EntitlementManager: ProductDelivery {
  private let vault: PurchaseVault
  private let receipts: (any EntitlementSource)?
  private let productIdentifiers: @Sendable () -> Set<String>
  private let subscriptionIdentifiers: Set<String>
  let entitlementNames: @Sendable () -> [String: Set<String>]
  private let notifications: NotificationCenter
  private let disk = DiskQueue("entitlements")
  private let receiptWasRead = LockedValue(false)

  /// - Parameters:
  ///   - vault: stores the entitlements.
  ///   - receipts: proves refunds and the expiration dates of subscriptions: the app receipt (``ReceiptReader``), or with
  ///     StoreKit 2 the signed transactions (``TransactionReader``).
  ///   - productIdentifiers: the non-consumables of this delivery. Read each time, because a server's list may grow.
  ///   - subscriptionIdentifiers: the subscriptions; they need `receipts`.
  ///   - notifications: posts the notifications.
  ///   - entitlementNames: the products of each name of an entitlement, for ``isEntitled(toNamed:)``. Read each time. A name from the
  ///     device's storage is only as safe as that storage, so build the names into the app unless nothing depends on them.
  public init(
    vault: PurchaseVault, receipts: (any EntitlementSource)?,
    productIdentifiers: @autoclosure @escaping @Sendable () -> Set<String>,
    subscriptionIdentifiers: Set<String> = [], notifications: NotificationCenter = .default,
    entitlementNames: @autoclosure @escaping @Sendable () -> [String: Set<String>] = [:]
  ) {
    self.vault = vault
    self.receipts = receipts
    self.productIdentifiers = productIdentifiers
    self.subscriptionIdentifiers = subscriptionIdentifiers
    self.notifications = notifications
    self.entitlementNames = entitlementNames
  }

  // MARK: Entitlements

  /// Returns whether the customer may use a product now.
  ///
  /// - Throws: an error of the vault if the result depends on the time, and the time cannot be recorded.
  public func isEntitled(to productIdentifier: String) throws -> Bool {
    // Not limited to `productIdentifiers`: a purchase stays valid when the product leaves the list.
    let known = vault.read { contents in
      contents.entitlements.values.filter { $0.productIdentifier == productIdentifier && $0.revocationDate == nil }
    }
    // A non-consumable needs no date, and must not depend on whether the time can be recorded.
    if !subscriptionIdentifiers.contains(productIdentifier), known.contains(where: { $0.expirationDate == nil }) {
      return true
    }
    guard !known.isEmpty else { return false }
    let date = try vault.date()
    return known.contains { isActive($0, at: date) }
  }

  /// The stored entitlements of the products handled here, also those that have ended, by date of purchase.
  public var entitlements: [Entitlement] {
    vault.read { contents in
      contents.entitlements.values.filter { handles($0.productIdentifier) }
        .sorted {
          ($0.purchaseDate, $0.originalTransactionIdentifier) < ($1.purchaseDate, $1.originalTransactionIdentifier)
        }
    }
  }

  /// Whether entitlements were lost, and must be restored by ``rebuild(from:)`` or by restoring purchases.
  public var needRebuilding: Bool { vault.entitlementsNeedRebuilding }

  /// Whether the customer's purchases are known. They are known after a proof or a complete restore was processed in
  /// this run, or if a stored entitlement comes from a proof. They are not known if entitlements were lost.
  var hasReadReceipt: Bool {
    !needRebuilding
      && (receiptWasRead.value || vault.read { $0.entitlements.values.contains { $0.asOf != nil } })
  }

  func storedEntitlements(of productIdentifiers: Set<String>) -> [Entitlement] {
    vault.read { $0.entitlements.values.filter { productIdentifiers.contains($0.productIdentifier) } }
  }

  func date() throws -> Date { try vault.date() }

  private func isActive(_ entitlement: Entitlement, at date: Date) -> Bool {
    // A subscription period without an expiration date grants no access.
    if entitlement.expirationDate == nil, subscriptionIdentifiers.contains(entitlement.productIdentifier) {
      return false
    }
    return entitlement.isActive(at: date)
  }

  // MARK: Delivering

  public func handles(_ productIdentifier: String) -> Bool {
    productIdentifiers().contains(productIdentifier) || subscriptionIdentifiers.contains(productIdentifier)
  }

  /// Records a purchase under its original transaction, once. A revoked entitlement stays revoked, unless the proof
  /// shows that it is valid again, or no proof was known when it was revoked.
  ///
  /// - Throws: ``ReceiptError`` if the proof does not contain the subscription, or does not show whether a revoked
  ///   purchase is valid again. The transaction must be delivered again then. ``RefusedPurchase`` if the proof shows
  ///   that the purchase was revoked. ``TransactionIdentifierReused`` if the original identifier is that of another
  ///   product.
  public func deliver(_ purchase: PaidPurchase) async throws {
    guard handles(purchase.productIdentifier) else {
      throw InAppPurchaseError.unknownProduct(purchase.productIdentifier)
    }
    if subscriptionIdentifiers.contains(purchase.productIdentifier) { return try await deliverSubscription(purchase) }
    let id = purchase.originalTransactionIdentifier
    var proof: Result<ProvenEntitlements, ReceiptError> = .failure(.missing)
    if isRevoked(id), let receipts {
      // The entitlement was revoked, and the transaction is delivered again. The new proof arrives before the
      // transaction, and shows whether the refund was reversed.
      proof = await receipts.result()
      if case .success(let proven) = proof { _ = try await disk.run { try self.merge(proven) } }
    }
    try await changeOnDisk { draft in
      if let known = draft.entitlement(id) {
        guard known.productIdentifier == purchase.productIdentifier else {
          throw TransactionIdentifierReused(
            transactionIdentifier: id, productIdentifier: purchase.productIdentifier,
            deliveredProductIdentifier: known.productIdentifier, deliveredPurchaseDate: known.purchaseDate)
        }
        // If no proof was known when the entitlement was revoked, the delivery proves that it is valid again.
        guard known.revocationDate != nil, known.asOf == nil else { return false }
      }
      draft.put(
        .entitlement(
          Entitlement(
            originalTransactionIdentifier: purchase.originalTransactionIdentifier,
            productIdentifier: purchase.productIdentifier, purchaseDate: purchase.date)))
      return true
    }
    guard isRevoked(id) else { return }
    let shown = try proof.get().entitlements.first { $0.originalTransactionIdentifier == id }
    guard shown?.revocationDate != nil else {
      throw ReceiptError.notListed(productIdentifier: purchase.productIdentifier)
    }
    throw RefusedPurchase(
      productIdentifier: purchase.productIdentifier,
      refusal: ServerRefusal(status: 422, code: "refunded", message: "The store has refunded or revoked this purchase.")
    )
  }

  private func isRevoked(_ originalTransactionIdentifier: String) -> Bool {
    vault.read { $0.entitlements[originalTransactionIdentifier]?.revocationDate } != nil
  }

  private func deliverSubscription(_ purchase: PaidPurchase) async throws {
    guard let receipts else { throw ReceiptError.missing }
    let proven = try await receipts.entitlements(including: purchase)
    // The original identifier is compared, because a redelivered transaction has a new identifier that no receipt
    // lists.
    let isListed = proven.entitlements.contains {
      $0.originalTransactionIdentifier == purchase.originalTransactionIdentifier
    }
    guard isListed else { throw ReceiptError.notListed(productIdentifier: purchase.productIdentifier) }
    _ = try await disk.run { try self.merge(proven) }
  }

  // MARK: Proofs and revocations

  /// Merges the entitlements of a receipt that are newer than the stored ones.
  ///
  /// - Returns: the entitlements that changed.
  @discardableResult
  public func merge(_ receipt: Verified<AppReceipt>) throws -> [Entitlement] {
    try merge(ProvenEntitlements(receipt))
  }

  /// Merges the proven entitlements that are newer than the stored ones.
  ///
  /// - Returns: the entitlements that changed.
  @discardableResult
  package func merge(_ proven: ProvenEntitlements) throws -> [Entitlement] {
    let changed = try change { draft in
      let changed = draft.merge(proven)
      return (changed, !changed.isEmpty)
    }
    receiptWasRead.withLock { $0 = true }
    return changed
  }

  /// Ends products that the store revoked (`paymentQueue(_:didRevokeEntitlementsForProductIdentifiers:)`). An entitlement
  /// that the proof shows to be valid stays, so the proof must be current.
  ///
  /// Without a valid proof, all entitlements to the products end.
  public func revoke(productIdentifiers: Set<String>) async throws {
    try await revoke(
      Set(
        vault.read { contents in
          contents.entitlements.values.filter { productIdentifiers.contains($0.productIdentifier) }
            .map(\.originalTransactionIdentifier)
        }))
  }

  /// Ends the entitlements of these original transactions, unless the proof shows that they are valid.
  ///
  /// The transactions must be chosen before this function reads the proof. Otherwise they could include a purchase
  /// that is newer than the proof, and its entitlement would be ended.
  func revoke(_ originalTransactionIdentifiers: Set<String>) async throws {
    let proven = try? await receipts?.entitlements()
    let vault = vault
    let date = try await disk.run { try vault.date() }
    try await changeOnDisk { $0.revoke(originalTransactionIdentifiers, accordingTo: proven, at: date) }
  }

  /// Ends the entitlements that the purchase server has ended because of a refund or by an operator, unless the proof shows
  /// that they are valid.
  ///
  /// - Parameter server: all entitlements of the customer on the server.
  func revoke(accordingTo server: [ServerEntitlement]) async throws {
    // After a change of plan, one purchase has an ended entitlement and one that has not ended.
    let valid = Set(server.filter { $0.ended == nil }.map(\.source))
    let ended = server.filter { ["refunded", "revoked"].contains($0.endReason) }.map(\.source)
    let due = Set(ended).subtracting(valid).intersection(
      vault.read { $0.entitlements.filter { $0.value.revocationDate == nil }.keys })
    if !due.isEmpty { try await revoke(due) }
  }

  // MARK: Rebuilding

  /// Merges the app receipt, or the signed transactions, and rebuilds lost entitlements from them. An app calls this at launch,
  /// before it shows anything.
  ///
  /// - Throws: ``ReceiptError`` if entitlements were lost and the proof cannot be used. The app then asks the customer to
  ///   restore purchases. If nothing was lost, an unusable proof is ignored.
  public func readReceipt() async throws {
    guard let receipts else { return }
    if needRebuilding {
      try await rebuild(from: receipts)
    } else if let proven = try? await receipts.entitlements() {
      _ = try await disk.run { try self.merge(proven) }
    }
  }

  /// Rebuilds lost entitlements from a proof, and records that they are complete.
  ///
  /// - Returns: the entitlements that changed.
  /// - Throws: ``ReceiptError``; nothing is changed then.
  @discardableResult
  public func rebuild(from receipts: any EntitlementSource) async throws -> [Entitlement] {
    let proven = try await receipts.entitlements()
    return try await disk.run {
      let changed = try self.change { draft in
        draft.entitlementsNeedRebuilding = false
        let changed = draft.merge(proven)
        return (changed, !changed.isEmpty)
      }
      self.receiptWasRead.withLock { $0 = true }
      return changed
    }
  }

  /// Records that a complete restore has ended, so that no entitlements are missing any more.
  public func restoreFinished() throws {
    try change { draft in
      draft.entitlementsNeedRebuilding = false
      return false
    }
    receiptWasRead.withLock { $0 = true }
  }

  private func changeOnDisk(_ body: @escaping @Sendable (inout VaultDraft) throws -> Bool) async throws {
    try await disk.run { try self.change(body) }
  }

  /// - Parameter body: returns whether the customer's entitlements have changed.
  private func change(_ body: (inout VaultDraft) throws -> Bool) throws {
    try change { draft in ((), try body(&draft)) }
  }

  private func change<Value: Sendable>(_ body: (inout VaultDraft) throws -> (Value, Bool)) throws -> Value {
    let (value, hasChanged) = try vault.update(body)
    if hasChanged { notifications.post(name: .EntitlementManagerEntitlementsChangedNotification, object: self) }
    return value
  }
}
