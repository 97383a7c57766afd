import SignedData
import StoreKit

extension Notification.Name {
  /// Posted by ``EntitlementManager`` when what the customer owns has changed, on whatever thread changed it. What ends
  /// because time goes by is not told.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  public static let EntitlementManagerEntitlementsChangedNotification = Notification.Name(
    "EntitlementManagerEntitlementsChangedNotification")
}

/// Keeps what was bought to last (non-consumables, subscriptions) in a ``PurchaseVault``, and says what the customer owns.
public final class EntitlementManager: ProductDelivery {
  private let vault: PurchaseVault
  private let receipts: ReceiptReader?
  private let productIdentifiers: @Sendable () -> Set<String>
  private let subscriptionIdentifiers: Set<String>
  private let notifications: NotificationCenter
  private let disk = DiskQueue("entitlements")

  /// - Parameters:
  ///   - vault: where they are kept.
  ///   - receipts: the app receipt, which knows when subscriptions end and what was refunded.
  ///   - productIdentifiers: the products that are given here for ever; asked each time, because a server's list may grow (A3).
  ///   - subscriptionIdentifiers: those that end; they need `receipts`.
  ///   - notifications: where changes are posted.
  public init(
    vault: PurchaseVault, receipts: ReceiptReader?,
    productIdentifiers: @autoclosure @escaping @Sendable () -> Set<String>,
    subscriptionIdentifiers: Set<String> = [], notifications: NotificationCenter = .default
  ) {
    self.vault = vault
    self.receipts = receipts
    self.productIdentifiers = productIdentifiers
    self.subscriptionIdentifiers = subscriptionIdentifiers
    self.notifications = notifications
  }

  // MARK: What the customer owns

  /// Whether the customer may use a product now.
  public func isEntitled(to productIdentifier: String) throws -> Bool {
    // Whatever list of products is known at the moment: what was bought stays bought.
    let known = vault.read { contents in
      contents.entitlements.values.filter { $0.productIdentifier == productIdentifier && $0.revocationDate == nil }
    }
    // What lasts for ever needs no clock, and must not depend on whether a time can be put on record.
    if !subscriptionIdentifiers.contains(productIdentifier), known.contains(where: { $0.expirationDate == nil }) {
      return true
    }
    guard !known.isEmpty else { return false }
    let date = try vault.date()
    return known.contains { isActive($0, at: date) }
  }

  /// What is on record of the products given here, also what has ended, by date.
  public var entitlements: [Entitlement] {
    vault.read { contents in
      contents.entitlements.values.filter { handles($0.productIdentifier) }
        .sorted {
          ($0.purchaseDate, $0.originalTransactionIdentifier) < ($1.purchaseDate, $1.originalTransactionIdentifier)
        }
    }
  }

  /// Whether entitlements were lost, and are to be rebuilt by ``rebuild(from:)`` or by restoring.
  public var needRebuilding: Bool { vault.entitlementsNeedRebuilding }

  private func isActive(_ entitlement: Entitlement, at date: Date) -> Bool {
    // A subscription that nobody has said the end of is none.
    if entitlement.expirationDate == nil, subscriptionIdentifiers.contains(entitlement.productIdentifier) {
      return false
    }
    return entitlement.isActive(at: date)
  }

  // MARK: Giving

  public func handles(_ productIdentifier: String) -> Bool {
    productIdentifiers().contains(productIdentifier) || subscriptionIdentifiers.contains(productIdentifier)
  }

  /// Records a purchase under its original transaction, once. What was taken back under that id stays so.
  ///
  /// - Throws: ``ReceiptError`` for a subscription that the receipt does not show, and for what was taken back and the receipt does
  ///   not show to stand again; it comes again. ``RefusedPurchase`` where the receipt shows that it was taken back.
  public func deliver(_ purchase: PaidPurchase) async throws {
    guard handles(purchase.productIdentifier) else {
      throw InAppPurchaseError.unknownProduct(purchase.productIdentifier)
    }
    if subscriptionIdentifiers.contains(purchase.productIdentifier) { return try await deliverSubscription(purchase) }
    let id = purchase.originalTransactionIdentifier
    var said: Result<Verified<AppReceipt>, ReceiptError> = .failure(.missing)
    if isTakenBack(id), let receipts {
      // Taken back once, and given now: the receipt, which comes before the transaction, says whether the refund was.
      said = await receipts.result()
      if case .success(let receipt) = said { _ = try await disk.run { try self.merge(receipt) } }
    }
    try await changeOnDisk { draft in
      if let known = draft.entitlement(id) {
        // Ended by no statement of the store's own: that it is given counts as one that it stands.
        guard known.revocationDate != nil, known.asOf == nil else { return false }
      }
      draft.put(
        .entitlement(
          Entitlement(
            originalTransactionIdentifier: purchase.originalTransactionIdentifier,
            productIdentifier: purchase.productIdentifier, purchaseDate: purchase.date)))
      return true
    }
    guard isTakenBack(id) else { return }
    let shown = try said.get().entitlements.first { $0.originalTransactionIdentifier == id }
    guard shown?.revocationDate != nil else {
      throw ReceiptError.notListed(productIdentifier: purchase.productIdentifier)
    }
    throw RefusedPurchase(
      productIdentifier: purchase.productIdentifier,
      refusal: ServerRefusal(status: 422, code: "refunded", message: "The store has taken this purchase back."))
  }

  private func isTakenBack(_ originalTransactionIdentifier: String) -> Bool {
    vault.read { $0.entitlements[originalTransactionIdentifier]?.revocationDate } != nil
  }

  private func deliverSubscription(_ purchase: PaidPurchase) async throws {
    guard let receipts else { throw ReceiptError.missing }
    let receipt = try await receipts.receipt()
    // By its original: what is delivered once more has an id of its own, which no receipt lists.
    let isListed = receipt.entitlements.contains {
      $0.originalTransactionIdentifier == purchase.originalTransactionIdentifier
    }
    guard isListed else { throw ReceiptError.notListed(productIdentifier: purchase.productIdentifier) }
    _ = try await disk.run { try self.merge(receipt) }
  }

  // MARK: What the store says

  /// Takes over what a receipt says, as far as it is newer than what is on record.
  ///
  /// - Returns: the entitlements that changed.
  @discardableResult
  public func merge(_ receipt: Verified<AppReceipt>) throws -> [Entitlement] {
    try change { draft in
      let changed = draft.merge(receipt)
      return (changed, !changed.isEmpty)
    }
  }

  /// Ends products that the store took back (`paymentQueue(_:didRevokeEntitlementsForProductIdentifiers:)`). What the
  /// receipt shows to stand under another original transaction stays, so it must be current.
  ///
  /// Where the receipt cannot be believed, all there is of the products ends.
  public func revoke(productIdentifiers: Set<String>) async throws {
    try await revoke(
      Set(
        vault.read { contents in
          contents.entitlements.values.filter { productIdentifiers.contains($0.productIdentifier) }
            .map(\.originalTransactionIdentifier)
        }))
  }

  /// Ends some entitlements, by their original transactions, except what the receipt shows to stand. They are named before the
  /// receipt is read: it knows nothing of what is bought meanwhile.
  func revoke(_ originalTransactionIdentifiers: Set<String>) async throws {
    let receipt = try? await receipts?.receipt()
    let vault = vault
    let date = try await disk.run { try vault.date() }
    try await changeOnDisk { $0.revoke(originalTransactionIdentifiers, accordingTo: receipt, at: date) }
  }

  // MARK: Rebuilding

  /// To be called at launch, before anything is shown: takes over what the app receipt says by now, and rebuilds from it what
  /// was lost.
  ///
  /// - Throws: ``ReceiptError`` where entitlements were lost and the receipt is of no use: have the customer restore purchases.
  ///   A receipt that is of no use where nothing was lost is passed over.
  public func readReceipt() async throws {
    guard let receipts else { return }
    if needRebuilding {
      try await rebuild(from: receipts)
    } else if let receipt = try? await receipts.receipt() {
      _ = try await disk.run { try self.merge(receipt) }
    }
  }

  /// Rebuilds what was lost from the receipt, and puts on record that it was.
  ///
  /// - Returns: the entitlements that changed.
  /// - Throws: ``ReceiptError``; nothing was changed, and rebuilding is still due.
  @discardableResult
  public func rebuild(from receipts: ReceiptReader) async throws -> [Entitlement] {
    let receipt = try await receipts.receipt()
    return try await disk.run {
      try self.change { draft in
        draft.entitlementsNeedRebuilding = false
        let changed = draft.merge(receipt)
        return (changed, !changed.isEmpty)
      }
    }
  }

  /// Puts on record that purchases were restored completely, and with them what was lost.
  public func restoreFinished() throws {
    try change { draft in
      draft.entitlementsNeedRebuilding = false
      return false
    }
  }

  private func changeOnDisk(_ body: @escaping @Sendable (inout VaultDraft) throws -> Bool) async throws {
    try await disk.run { try self.change(body) }
  }

  /// - Parameter body: says whether what the customer owns has changed.
  private func change(_ body: (inout VaultDraft) throws -> Bool) throws {
    try change { draft in ((), try body(&draft)) }
  }

  private func change<Value: Sendable>(_ body: (inout VaultDraft) throws -> (Value, Bool)) throws -> Value {
    let (value, hasChanged) = try vault.update(body)
    if hasChanged { notifications.post(name: .EntitlementManagerEntitlementsChangedNotification, object: self) }
    return value
  }
}
