import Foundation
import StoreModel

/// Something that has happened to a purchase, subscription, entitlement, credit account, delivery or customer.
///
/// The database records it in the commit that causes it. Documentation/ledger-events.md describes kinds, details and order.
public struct LedgerEvent: Sendable {
  /// The place of the event, after which a reader goes on.
  public let cursor: LedgerEventCursor
  /// The name of its kind, such as `purchase.claimed`.
  public let type: String
  /// The version of its details.
  public let version: Int64
  /// Nil if a later version of this software has written the event, with a kind or details that are not known here.
  public var kind: LedgerEventKind? { LedgerEventKind(type, version: version) }
  /// When the ledger recorded the change.
  public let date: StoreDate
  /// Whether an upgrade has made the event from the records of an earlier version. It never notifies anybody.
  public let isFilledIn: Bool
  /// The name of ``cause``, as it is stored.
  public let causeName: String?
  /// How the ledger learnt of the change; nil if that is not known here, or follows from the kind.
  public var cause: LedgerChange.Cause? { causeName.flatMap { LedgerChange.Cause(rawValue: $0) } }
  public let app: BundleID?
  public let environment: StoreEnvironment?
  /// The owner at that time; nil if nobody had claimed the purchase.
  public let customer: CustomerID?
  /// The customer's present name in the operator's identity system; nil for an anonymous or erased customer.
  public let subject: String?
  /// The id of the claim that it is about.
  public let claim: TransactionID?
  /// The transaction that it is about, such as a period of a subscription.
  public let transactionID: TransactionID?
  public let product: ProductID?
  public let unit: CreditUnit?
  /// The number of a movement in its credit account.
  public let sequence: Int64?
  /// The source of an entitlement or delivery.
  public let source: String?
  public let delivery: String?
  /// A JSON object with the values as of the event; nil if the kind has none.
  public let details: Data?
  /// A JSON object with what the event is about, as it is stored now; nil if there is none, or its customer was erased.
  public let record: Data?
}

/// A kind of event. The export also has events of kinds that are not known here.
public enum LedgerEventKind: String, CaseIterable, Sendable {
  case purchaseClaimed = "purchase.claimed"
  case purchaseMoved = "purchase.moved"
  case purchaseProductChanged = "purchase.productChanged"
  case purchaseOwnershipChanged = "purchase.ownershipChanged"
  case purchaseRefunded = "purchase.refunded"
  case purchaseRefundReversed = "purchase.refundReversed"
  case purchaseRefundRequested = "purchase.refundRequested"
  case periodRecorded = "period.recorded"
  case periodChanged = "period.changed"
  case renewalChanged = "renewal.changed"
  case renewalPriceIncrease = "renewal.priceIncrease"
  case creditsMoved = "credits.moved"
  case creditsBlocked = "credits.blocked"
  case creditsUnblocked = "credits.unblocked"
  case entitlementBegun = "entitlement.begun"
  case entitlementChanged = "entitlement.changed"
  case entitlementEnded = "entitlement.ended"
  case entitlementResumed = "entitlement.resumed"
  case deliveryBegun = "delivery.begun"
  case deliveryEnded = "delivery.ended"
  case customerJoined = "customer.joined"
  case customerErased = "customer.erased"
  case incarnationBegan = "ledger.incarnationBegan"

  /// The newest version of the details that is known here. Those before it lack members.
  public var newestVersion: Int64 { self == .periodRecorded ? 2 : 1 }

  /// Returns nil if the kind or the version of its details is not known here.
  init?(_ type: String, version: Int64) {
    guard let kind = LedgerEventKind(rawValue: type), (1...kind.newestVersion).contains(version) else { return nil }
    self = kind
  }
}

/// A place among the events of a ledger, after an event. Cursors are valid after a failover and a restore.
public struct LedgerEventCursor: Hashable, Sendable {
  /// The id of the generation in which the event was recorded.
  let generation: String
  let place: LedgerEventPlace

  /// The cursor as it is in addresses and messages: the base64url of the JSON of ``key``, as of all pages.
  public var text: String {
    // Encoding strings cannot fail.
    let bytes = (try? JSONEncoder().encode(key)) ?? Data()
    return bytes.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  /// The parts of the cursor, which are sent as a page's key.
  public var key: [String] { [generation, "\(place.era)", "\(place.writer)", "\(place.number)"] }

  /// - Throws: ``LedgerError/invalid(_:)`` if `key` is not ``key`` of a cursor. Whether the ledger knows it is seen when it is used.
  public init(key: [String]) throws(LedgerError) {
    let numbers = key.dropFirst().compactMap { Int64($0) }.filter { $0 >= 0 }
    guard key.count == 4, numbers.count == 3, key[0].utf8.count == 16 else {
      throw .invalid("A page of events begins after a cursor of an event, or of a page before.")
    }
    generation = key[0]
    place = LedgerEventPlace(era: numbers[0], writer: numbers[1], number: numbers[2])
  }

  init(generation: String, _ place: LedgerEventPlace) {
    self.generation = generation
    self.place = place
  }
}

/// The place of an event by the columns of its row. In SQLite, `era` and `writer` are 0.
struct LedgerEventPlace: Hashable, Sendable {
  let era: Int64
  let writer: Int64
  let number: Int64

  /// The place before which a reader has read everything that it can read now.
  ///
  /// In PostgreSQL, all events of later transactions come after it, also of those that are not committed yet.
  init(before end: LedgerEventPlace, isByNumber: Bool) {
    self = isByNumber ? end : LedgerEventPlace(era: end.era, writer: max(0, end.writer - 1), number: .max)
  }

  init(era: Int64, writer: Int64, number: Int64) {
    self.era = era
    self.writer = writer
    self.number = number
  }

  /// Before all events.
  static let start = LedgerEventPlace(era: 0, writer: 0, number: 0)
}

/// A page of events.
public struct LedgerEventPage: Sendable {
  public let events: [LedgerEvent]
  /// Where the next page begins. It is the cursor that was given if there is nothing more now.
  public let next: LedgerEventCursor

  /// The maximum number of events that a page reads.
  public static let largest = 1_000
}
