import APIDescription
import Foundation
import HTTPTypes
import PurchaseLedger
import StoreModel

extension ServiceEndpoints {
  static let ledgerChanges = OperatorEndpoint<NoMembers, ChangeQuery, NoMembers, JSONLines>(
    .get, "/v1/operator/changes", role: .admin, name: "ledgerChanges",
    summary:
      """
      Exports everything that has changed after a cursor, as one JSON object in each line. The header field Next-Cursor is `after` for \
      the next page; there is nothing more now if it is the cursor that was sent. Documentation/ledger-events.md describes the objects.
      """,
    answers: "A page of events, each with what it is about as it is stored now",
    otherResponses: [
      OtherResponse(409, "unknownCursor: the cursor is of another ledger, or of a time that was lost in a restore")
    ])

  static let changes: [any DescribedEndpoint] = [ledgerChanges]
}

struct ChangeQuery: ListQuery {
  let after: PageCursor?
  let limit: Int64?
  let app: BundleID?

  static let notes: [String: MemberNote] = [
    "after": "Next-Cursor of the page before, or the cursor of an event; missing for the beginning.",
    "limit": .pageLimit,
    "app": "Only events of this app. A page can then have fewer events, or none, although there are more.",
  ]
}

extension HTTPField.Name {
  /// The cursor for the next page of an export.
  static let nextCursor = HTTPField.Name("Next-Cursor")!
}

/// A line of the export of changes, without the details and the record of its event.
private struct ChangeLine: Encodable {
  let cursor: PageCursor
  let type: String
  let version: Int64
  let date: StoreDate
  let filledIn: Bool
  let cause: String?
  let app: BundleID?
  let environment: StoreEnvironment?
  let customer: CustomerID?
  let subject: String?
  let claim: TransactionID?
  let transactionId: TransactionID?
  let productId: ProductID?
  let unit: CreditUnit?
  let sequence: Int64?
  let source: String?
  let delivery: String?
}

extension LedgerEvent {
  /// The event as a line of JSON, with the line break.
  var line: Data {
    get throws {
      let head = ChangeLine(
        cursor: PageCursor(key: cursor.key), type: type, version: version, date: date, filledIn: isFilledIn,
        cause: causeName, app: app, environment: environment, customer: customer, subject: subject, claim: claim,
        transactionId: transactionID, productId: product, unit: unit, sequence: sequence, source: source,
        delivery: delivery)
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      // Without the closing brace.
      var line = Data(try encoder.encode(head).dropLast())
      if let details {
        line.append(contentsOf: Array(",\"details\":".utf8))
        line.append(details)
      }
      line.append(contentsOf: Array(",\"record\":".utf8))
      line.append(record ?? Data("null".utf8))
      line.append(contentsOf: Array("}\n".utf8))
      return line
    }
  }
}
