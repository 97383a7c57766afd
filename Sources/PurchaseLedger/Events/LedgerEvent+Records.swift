import Foundation
import StoreModel

extension LedgerTransaction {
  /// Adds to events what they are about, as it is stored now. Rows that several events are about are read once, and all statements
  /// are sent together.
  func withRecords(_ rows: [EventRow], _ end: EventEnd) throws -> [LedgerEvent] {
    var requested: [EventRecordKey: EventRecord] = [:]
    for key in rows.compactMap(\.recordKey) where requested[key] == nil { requested[key] = try EventRecord(key, self) }
    return try rows.map { row in
      let record = row.recordKey.flatMap { requested[$0] }
      return LedgerEvent(
        cursor: LedgerEventCursor(generation: end.generation(of: row.place), row.place), type: row.type,
        version: row.version, date: row.date, isFilledIn: row.isFilledIn, causeName: row.causeName, app: row.app,
        environment: row.environment, customer: row.customer, subject: row.subject, claim: row.claim,
        transactionID: row.transactionID, product: row.product, unit: row.unit, sequence: row.sequence,
        source: row.source, delivery: row.delivery,
        details: try row.details.map { Data($0.utf8) } ?? record?.details(of: row),
        record: row.isErased ? nil : try record?.json())
    }
  }
}

/// The row that an event is about.
private enum EventRecordKey: Hashable {
  case purchase(PurchaseKey)
  /// A transaction: the period with its id, or the purchase.
  case transaction(PurchaseKey, claim: PurchaseKey)
  case movement(CreditAccount, Int64)
  case account(CreditAccount)
  case entitlement(CustomerID, BundleID, ProductID, String)
  case delivery(String)
  case customer(CustomerID)
}

extension EventRow {
  /// The row that the event is about; nil if there is none, or if the event is not known here.
  fileprivate var recordKey: EventRecordKey? {
    func key(_ id: TransactionID?) -> PurchaseKey? {
      guard let app, let environment, let id else { return nil }
      return PurchaseKey(app: app, environment: environment, id: id)
    }
    let account = customer.flatMap { customer in
      app.flatMap { app in unit.map { CreditAccount(customer: customer, app: app, unit: $0) } }
    }
    switch kind {
    case nil, .incarnationBegan: return nil
    case .purchaseClaimed, .purchaseMoved, .purchaseProductChanged, .purchaseOwnershipChanged, .renewalChanged,
      .renewalPriceIncrease:
      return key(claim).map { .purchase($0) }
    case .purchaseRefunded, .purchaseRefundReversed, .purchaseRefundRequested, .periodRecorded, .periodChanged:
      guard let claim = key(claim), let own = key(transactionID) else { return nil }
      return .transaction(own, claim: claim)
    case .creditsMoved:
      guard let account, let sequence else { return nil }
      return .movement(account, sequence)
    case .creditsBlocked, .creditsUnblocked: return account.map { .account($0) }
    case .entitlementBegun, .entitlementChanged, .entitlementEnded, .entitlementResumed:
      guard let customer, let app, let product, let source else { return nil }
      return .entitlement(customer, app, product, source)
    case .deliveryBegun, .deliveryEnded: return delivery.map { .delivery($0) }
    case .customerJoined, .customerErased: return customer.map { .customer($0) }
    }
  }
}

/// A requested row.
private final class EventRecord {
  private let key: EventRecordKey
  private let answer: PendingAnswer
  /// The customer who owns the purchase now.
  private let owner: PendingAnswer?
  /// The period of a transaction.
  private let period: PendingAnswer?

  /// Requests the row, at the latest when it is read.
  init(_ key: EventRecordKey, _ transaction: LedgerTransaction) throws {
    self.key = key
    var purchase: PurchaseKey?
    switch key {
    case .purchase(let claim):
      purchase = claim
      period = nil
    case .transaction(let own, let claim):
      purchase = claim
      period = try transaction.later(
        CustomerExport.periodRows(of: "SELECT $3 AS id"), own.app, own.environment, own.id)
    default: period = nil
    }
    owner = try purchase.map { claim in
      try transaction.later(
        """
        SELECT k.id, CASE WHEN k.erased IS NULL THEN 0 ELSE 1 END AS erased
        FROM claim c JOIN customer k ON k.id = c.customer WHERE c.app = $1 AND c.environment = $2 AND c.id = $3
        """, claim.app, claim.environment, claim.id)
    }
    answer =
      switch key {
      case .purchase(let claim), .transaction(_, let claim):
        try transaction.later(
          "\(CustomerExport.purchaseRows) WHERE c.app = $1 AND c.environment = $2 AND c.id = $3", claim.app,
          claim.environment, claim.id)
      case .movement(let account, let sequence):
        try transaction.later(
          """
          SELECT app, unit, sequence, amount, balance, counter_account, cause, cause_key, date FROM credit_movement
          WHERE customer = $1 AND app = $2 AND unit = $3 AND sequence = $4
          """, account.customer, account.app, account.unit, sequence)
      case .account(let account):
        try transaction.later(
          """
          SELECT app, unit, balance, movements, blocked FROM credit_account
          WHERE customer = $1 AND app = $2 AND unit = $3
          """, account.customer, account.app, account.unit)
      case .entitlement(let customer, let app, let product, let source):
        try transaction.later(
          "\(LedgerEntitlement.query) WHERE e.customer = $1 AND e.app = $2 AND e.product = $3 AND e.source = $4",
          customer, app, product, source)
      case .delivery(let id):
        try transaction.later("SELECT id, app, product, source, begun, ended FROM delivery WHERE id = $1", id)
      case .customer(let customer):
        try transaction.later("SELECT id, created, joined_to FROM customer WHERE id = $1", customer)
      }
  }

  /// Returns the JSON of the row; nil if there is none, or if the owner of the purchase was erased.
  func json() throws -> Data? {
    if let owner = try owner?.row, try owner.flag("erased") { return nil }
    if let row = try period?.row { return try Self.encoder.encode(CustomerExport.Period(row)) }
    guard let row = try answer.row else { return nil }
    switch key {
    case .purchase, .transaction:
      guard let owner = try owner?.row else { return nil }
      return try Self.encoder.encode(
        Purchase(customer: try owner.customer("id"), purchase: try CustomerExport.Purchase(row)))
    case .movement:
      return try Self.encoder.encode(
        CustomerExport.Movement(
          app: try row.identifier("app"), unit: try row.value("unit"), movement: try CreditMovement(row)))
    case .account: return try Self.encoder.encode(CustomerExport.Account(row))
    case .entitlement:
      return try Self.encoder.encode(
        CustomerExport.OwnedProduct(app: try row.identifier("app"), entitlement: try LedgerEntitlement(row)))
    case .delivery: return try Self.encoder.encode(CustomerExport.Delivery(row))
    case .customer: return try Self.encoder.encode(Customer(row))
    }
  }

  /// Returns the details of an event whose row keeps them, because they never change; nil for other events.
  func details(of event: EventRow) throws -> Data? {
    guard let row = try answer.row else { return nil }
    switch event.kind {
    case .purchaseClaimed: return try Self.encoder.encode(ClaimDetails(row))
    case .creditsMoved: return try Self.encoder.encode(MovementDetails(CreditMovement(row), isErased: event.isErased))
    default: return nil
    }
  }

  private static var encoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }

  /// A purchase with its present owner, without what is about the owner's proofs.
  private struct Purchase: Encodable {
    let customer: CustomerID
    let purchase: CustomerExport.Purchase

    private enum CodingKeys: CodingKey {
      case customer
    }

    func encode(to encoder: any Encoder) throws {
      try purchase.withoutProof.encode(to: encoder)
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(customer, forKey: .customer)
    }
  }

  private struct Customer: Encodable {
    let customer: CustomerID
    let created: StoreDate
    let joinedTo: CustomerID?

    init(_ row: SQLRow) throws {
      (customer, created) = (try row.customer("id"), try row.date("created"))
      joinedTo = try row.optionalText("joined_to") == nil ? nil : try row.customer("joined_to")
    }
  }

  private struct ClaimDetails: Encodable {
    let type: ProductType
    let quantity: Int64
    let purchased: StoreDate
    let accessDays: Int64?
    let credits: LedgerProduct.Credits?

    init(_ row: SQLRow) throws {
      (type, quantity) = (try row.value("type"), try row.integer("quantity"))
      (purchased, accessDays) = (try row.date("purchased"), try row.optionalInteger("access_days"))
      credits =
        try row.optionalText("unit") == nil
        ? nil : LedgerProduct.Credits(unit: try row.value("unit"), amount: try row.integer("given"))
    }
  }

  private struct MovementDetails: Encodable {
    let amount: Int64
    let balance: Int64
    let cause: CreditMovement.Cause
    /// Nil if the app or an operator has chosen it, and the customer was erased: it may have personal data.
    let key: String?

    init(_ movement: CreditMovement, isErased: Bool) {
      (amount, balance, cause) = (movement.amount, movement.balance, movement.cause)
      key = isErased && [.spend, .grant].contains(movement.cause) ? nil : movement.key
    }
  }
}

extension CustomerExport.Purchase {
  fileprivate var withoutProof: CustomerExport.Purchase {
    CustomerExport.Purchase(
      app: app, environment: environment, claim: claim, product: product, type: type, quantity: quantity,
      ownership: ownership, purchased: purchased, claimed: claimed, accessUntil: accessUntil, accessDays: accessDays,
      credits: credits, price: price, byDevice: byDevice, receipt: nil, refund: refund, renewal: renewal)
  }
}
