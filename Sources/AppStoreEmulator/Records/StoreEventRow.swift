import AppStoreServerAPI
import Foundation
import GRDB
import StoreModel

/// A row of `storeEvent`: something that happened to a purchase, subscription, payment, customer or installation.
///
/// Its column `audience` is not read here: only ``DeviceFeed`` uses it.
struct StoreEventRow: Codable, FetchableRecord, TableRecord {
  static let databaseTableName = "storeEvent"

  let sequence: Int64
  let environment: StoreEnvironment
  let account: AccountName?
  let bundleID: BundleID?
  /// A ``StoreEventKind``, or a kind that this program does not know.
  let kind: String
  let version: Int
  let transactionID: TransactionID?
  let originalTransactionID: TransactionID?
  /// The place in the customer's timeline; nil if the timeline does not show the event.
  let place: Int?
  /// The number of the row that the timeline shows.
  let recordNumber: Int64?
  let date: StoreDate
  /// The JSON of a ``StoreEventContent``; nil if it is empty.
  let content: String?
  let isFilledIn: Bool

  /// Nil if this program does not know the kind, or reads only older versions of it.
  var knownKind: StoreEventKind? {
    version <= StoreEventKind.version ? StoreEventKind(rawValue: kind) : nil
  }
}

/// What the records do not say about an event, or do not say for ever.
struct StoreEventContent: Codable, Equatable {
  /// An offer that a subscription's step begins or redeems, or that a customer chose in the App Store.
  struct Offer: Codable, Equatable {
    let kind: SubscriptionOffer.Kind
    let identifier: String?
  }

  var installationID: InstallationID?
  var paymentID: PaymentID?
  var productIDs: [ProductID]?
  var revocationReason: RevocationReason?
  var revocationType: RevocationType?
  /// The refunded share of the price, in thousandths of a percent.
  var percentage: Int?
  /// Why the customer asked for a refund.
  var refundRequestReason: ConsumptionRequestReason?
  /// The end of a period that was extended.
  var expiresDate: StoreDate?
  /// The product of a subscription's current period.
  var productID: ProductID?
  /// The product of its next period.
  var renewalProductID: ProductID?
  var offer: Offer?
  var expirationReason: RenewalRecord.ExpirationReason?
  /// The announced price.
  var price: Price?
  var needsConsent: Bool?

  /// Nil if it is empty.
  func json() throws -> String? {
    guard self != StoreEventContent() else { return nil }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(self), as: UTF8.self)
  }

  init() {}

  init(json: String?) throws {
    self = try json.map { try JSONDecoder().decode(Self.self, from: Data($0.utf8)) } ?? Self()
  }
}
