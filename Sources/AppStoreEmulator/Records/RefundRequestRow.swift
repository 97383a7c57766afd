import AppStoreServerAPI
import Foundation
import GRDB
import StoreModel

/// A row of `refundRequest`: a customer asked for a refund of a transaction.
struct RefundRequestRow: Codable, FetchableRecord, MutablePersistableRecord {
  static let databaseTableName = "refundRequest"

  var number: Int64?
  let transactionID: TransactionID
  /// A ``ConsumptionRequestReason``.
  let reason: String
  let date: StoreDate
  /// A ``RequestedRefund/Outcome``; nil while it is not decided.
  var outcome: String?
  /// The refunded share, in thousandths of a percent.
  var percentage: Int?
  var decisionDate: StoreDate?

  mutating func didInsert(_ inserted: InsertionSuccess) { number = inserted.rowID }
}

/// A row of `consumptionInformation`: what the developer's server told last about a transaction.
struct ConsumptionInformationRow: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "consumptionInformation"

  let transactionID: TransactionID
  /// 1 or 2: the version of the request.
  let version: Int
  /// The request's body, as JSON.
  let content: String
  let date: StoreDate
}

/// A customer's request for a refund, and what became of it.
public struct RequestedRefund: Hashable, Sendable {
  public enum Outcome: String, Hashable, Codable, Sendable, CaseIterable {
    case full, prorated, declined
  }

  /// The number of the request.
  public let number: Int64
  public let transactionID: TransactionID
  public let reason: ConsumptionRequestReason
  public let date: StoreDate
  /// Nil while it is not decided.
  public let outcome: Outcome?
  /// The refunded share of the price, in thousandths of a percent; nil unless it was granted.
  public let percentage: Int?
  public let decisionDate: StoreDate?
  /// What the developer's server told about the transaction; nil if it told nothing.
  public var consumption: ConsumptionInformation?
}

/// What the developer's server told about a transaction (Send Consumption Information).
public struct ConsumptionInformation: Hashable, Sendable {
  /// 1 or 2: the version of the request.
  public let version: Int
  /// The request's body, as JSON.
  public let content: String
  public let date: StoreDate
}

extension RequestedRefund {
  init(_ row: RefundRequestRow) {
    (number, transactionID, date) = (row.number ?? 0, row.transactionID, row.date)
    reason = ConsumptionRequestReason(rawValue: row.reason) ?? .other
    outcome = row.outcome.flatMap(Outcome.init(rawValue:))
    (percentage, decisionDate) = (row.percentage, row.decisionDate)
  }
}

extension ConsumptionInformation {
  init(_ row: ConsumptionInformationRow) { (version, content, date) = (row.version, row.content, row.date) }
}
