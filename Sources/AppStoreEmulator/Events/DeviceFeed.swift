import Foundation
import GRDB
import StoreModel

/// The changes that devices receive (`deviceChange`), made from events.
///
/// It decides which installations receive which changes of an event. The event keeps the decision, so that the changes
/// can be made again with the same numbers, also if other customers are signed in then.
struct DeviceFeed {
  let database: Database

  /// The changes of one event. The installations receive all of them, one installation after the other.
  struct Audience: Codable {
    /// The number of the first change; the others follow without a gap.
    var first: Int64
    let installationIDs: [InstallationID]
    let changes: [StoreChange]

    func json() throws -> String {
      let encoder = JSONEncoder()
      encoder.outputFormatting = .sortedKeys
      return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
  }

  /// Appends the changes of an event that happens now.
  ///
  /// - Returns: nil if no installation receives one.
  func append(_ event: StoreEvent) throws -> Audience? {
    let changes = Self.changes(of: event)
    guard !changes.isEmpty else { return nil }
    let installations = try installations(for: event)
    guard !installations.isEmpty else { return nil }
    var audience = Audience(first: 0, installationIDs: installations, changes: changes)
    audience.first = try append(audience)
    return audience
  }

  /// Appends the changes of events that the feed does not contain yet. Events that are filled in notify no device.
  func catchUp() throws {
    let cursor = try Projection.deviceFeed.position(database).eventCursor
    let events = try Row.fetchCursor(
      database,
      sql: """
        SELECT sequence, audience FROM storeEvent
        WHERE sequence > ? AND audience IS NOT NULL AND NOT isFilledIn AND \(StoreEventKind.isKnownSQL)
        ORDER BY sequence
        """, arguments: [cursor])
    var last = cursor
    while let event = try events.next() {
      let audience = try JSONDecoder().decode(Audience.self, from: Data((event["audience"] as String).utf8))
      _ = try append(audience)
      last = event["sequence"]
    }
    if last > cursor { try Projection.deviceFeed.advance(to: last, in: database) }
  }

  /// Inserts the rows, with the numbers of the audience or, if it has none, with new ones.
  ///
  /// - Returns: the number of the first.
  private func append(_ audience: Audience) throws -> Int64 {
    var first = audience.first
    var next: Int64? = first > 0 ? first : nil
    for installation in audience.installationIDs {
      for change in audience.changes {
        try DeviceChangeRow(change, for: installation, number: next).append(to: database)
        if first == 0 { first = database.lastInsertedRowID }
        next = next.map { $0 + 1 }
      }
    }
    return first
  }
}

// MARK: Who receives what

extension DeviceFeed {
  /// The changes that an installation receives of an event, if it receives any.
  private static func changes(of event: StoreEvent) -> [StoreChange] {
    switch event {
    case .added(let stored):
      // The answer to a confirmed payment delivers a purchase. An operator's purchase is an event of its own.
      stored.record.reason == .renewal || stored.sharedTransactionID != nil ? [StoreChange(.transactionsWaiting)] : []
    case .refundReversed, .boughtByOperator, .resumed, .unfinishedMoved: [StoreChange(.transactionsWaiting)]
    case .refunded(let stored, _, let keepsProduct), .shareRevoked(let stored, let keepsProduct):
      revocation(of: stored, keepsProduct: keepsProduct)
    case .approvalDecided: [StoreChange(.paymentDecided)]
    case .customerStorefrontChanged, .storefrontChanged: [StoreChange(.storefrontChanged)]
    case .settingsChanged: [StoreChange(.settingsChanged)]
    case .promotedPurchase(let product, let offer, _):
      [StoreChange(.promotedPurchase, productIDs: [product], offer: offer)]
    case .productsLost(let products, _): [StoreChange(.entitlementsRevoked, productIDs: products)]
    case .changesMissed:
      [.settingsChanged, .storefrontChanged, .entitlementsRevoked, .paymentDecided, .transactionsWaiting]
        .map { StoreChange($0) }
    case .redelivered, .upgraded, .extended, .subscription, .refused, .approvalAsked: []
    case .refundRequested, .refundDeclined, .extensionFailed, .massExtensionCompleted: []
    }
  }

  /// Devices are not notified of revoked consumables and non-renewing subscriptions, because these are not restorable.
  /// Exception: if an unfinished consumable was refunded only in part, its installation receives it again, with the
  /// refund.
  private static func revocation(of stored: StoredTransaction, keepsProduct: Bool) -> [StoreChange] {
    if stored.record.type == .consumable, stored.record.isDeliverable, stored.finishedDate == nil {
      return [StoreChange(.transactionsWaiting)]
    }
    guard stored.record.type.isRestorable else { return [] }
    // A customer who owns the product by another transaction, too, has lost nothing. The devices only fetch the receipt.
    return [StoreChange(.entitlementsRevoked, productIDs: keepsProduct ? [] : [stored.record.productID])]
  }

  private func installations(for event: StoreEvent) throws -> [InstallationID] {
    switch event {
    case .added(let stored) where stored.sharedTransactionID == nil:
      // The installation of the previous period, or those of the owner if the owner has signed out of it. A running app
      // is notified at once, a closed app when it is launched.
      try stored.installationID.map { [$0] } ?? signedIn(Scope(stored))
    case .added(let stored), .refundReversed(let stored, _): try signedIn(Scope(stored))
    case .refunded(let stored, _, _), .shareRevoked(let stored, _):
      stored.record.type == .consumable ? stored.installationID.map { [$0] } ?? [] : try losing(stored)
    case .boughtByOperator(let stored, let installation): try installation.map { [$0] } ?? signedIn(Scope(stored))
    case .resumed(_, let installation): [installation]
    case .approvalDecided(let payment, _): [payment.installationID]
    case .customerStorefrontChanged(let customer): try signedIn(customer.name, customer.environment)
    default: event.installation.map { [$0.installationID] } ?? []
    }
  }

  /// The installations of the owner, and the installation that bought the product, if the owner is no longer signed in
  /// there.
  private func losing(_ stored: StoredTransaction) throws -> [InstallationID] {
    let installations = try signedIn(Scope(stored))
    guard let buyer = stored.installationID, !installations.contains(buyer) else { return installations }
    return installations + [buyer]
  }

  private func signedIn(_ scope: Scope) throws -> [InstallationID] {
    try signedIn(scope.account, scope.environment, of: scope.bundleID)
  }

  /// The installations on which a customer is signed in; those of all apps if `bundleID` is nil.
  private func signedIn(
    _ account: AccountName, _ environment: StoreEnvironment, of bundleID: BundleID? = nil
  ) throws -> [InstallationID] {
    try String.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT installationID FROM installation
          WHERE account = ?1 AND environment = ?2 AND (?3 IS NULL OR bundleID = ?3)
          """),
      arguments: [account.rawValue, environment.rawValue, bundleID?.rawValue]
    ).map(InstallationID.init(rawValue:))
  }
}
