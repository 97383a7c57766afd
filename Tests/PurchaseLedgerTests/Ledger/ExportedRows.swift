import Foundation
import StoreModel

@testable import PurchaseLedger

/// A row of each table about one customer. Each column has a value that no other column has, so that it is found in an export.
struct ExportedRows {
  let customer = CustomerID(rawValue: UUID())
  let former = CustomerID(rawValue: UUID())
  let other = CustomerID(rawValue: UUID())

  /// The tables that have nothing about customers.
  static let otherTables = [
    "ledger_fact": "the ledger itself", "product": "the catalog", "catalog": "the catalog",
    "content_file": "the catalog", "product_entitlement": "the catalog", "offering": "the catalog",
    "offering_product": "the catalog",
    "operator_key": "operators, who are not customers", "operator_session": "operators, who are not customers",
    "ledger_migration": "the schema itself",
    "notification": "what the store has sent; what it states is exported with the purchases",
    "store_cursor": "how far the store's histories were read",
    "refund_decision": "when the store decided; what it decided is exported with the purchases",
    "import_progress": "how far operators' files were imported",
    "ledger_event": "what happened to the records, which are exported themselves; it has no index of customers",
    "ledger_generation": "the ledger itself",
    "webhook": "receivers, which belong to the team",
    "webhook_delivery": "what was sent to the team's receivers, about records that are exported themselves",
    "pass_change": "an export schedules the passes first, which removes the customer's rows",
  ]

  private static let eventColumn = "when and how the ledger learnt of the row's last change, for the next event"

  /// The columns that an export leaves out, with the reasons.
  static let excluded = [
    "customer.erased": "an erased customer has no export",
    "customer.joined_to": "the id is that of the customer; the former id is exported",
    "bearer_token.hash": "the hash of a secret",
    "bearer_token.customer": "the id of the customer, which is exported once",
    "claim.customer": "the id of the customer", "entitlement.customer": "the id of the customer",
    "delivery.customer": "the id of the customer", "credit_account.customer": "the id of the customer",
    "credit_movement.customer": "the id of the customer", "stored_proof.customer": "the id of the customer",
    "claim_transfer.from_customer": "exported if it is the customer's own id; otherwise it is another customer's",
    "stored_proof.revision": "a token of the store, which says how far this server has read",
    "claim_period.upgraded": "only says that the period's end, which is exported, is that of an upgrade",
    "audit_entry.operator": "the identity of an operator",
    "claim.changed": eventColumn, "claim.cause": eventColumn, "claim_period.changed": eventColumn,
    "claim_period.cause": eventColumn, "subscription_renewal.changed": eventColumn,
    "subscription_renewal.cause": eventColumn, "entitlement.changed": eventColumn, "entitlement.cause": eventColumn,
    "credit_account.changed": eventColumn, "credit_account.cause": eventColumn, "customer.changed": eventColumn,
    "customer.cause": eventColumn, "statement.cause": eventColumn,
    "statement.percentage_stated": "only says which statement of the store the percentage, which is exported, is from",
    "statement.app": "the purchase's or period's, with which the refund is exported",
    "statement.environment": "the purchase's or period's", "statement.id": "the purchase's or period's",
    "subscription_renewal.app": "the purchase's, with which the renewal is exported",
    "subscription_renewal.environment": "the purchase's", "subscription_renewal.claim": "the purchase's",
    "customer_consent.customer": "the id of the customer",
    "consumption_request.due": "when a server goes on with it", "consumption_request.attempts": "of the server",
  ]

  /// The value of each column, by table and column.
  let values: [String: SQLValue]
  private let rows: [(table: String, columns: [(name: String, value: SQLValue)])]

  init() {
    var number: Int64 = 1_700_000_000_000
    func next() -> SQLValue {
      number += 1
      return .integer(number)
    }
    let (sandbox, app) = (SQLValue.text("Sandbox"), SQLValue.text("app.of.the.claim"))
    let claim = SQLValue.text("2000000000000001")
    rows = [
      ("customer", [("id", customer.sqlValue), ("subject", .text("subject")), ("created", next())]),
      ("customer", [("id", former.sqlValue), ("created", .integer(0)), ("joined_to", customer.sqlValue)]),
      ("customer", [("id", other.sqlValue), ("subject", .text("another customer")), ("created", .integer(0))]),
      (
        "bearer_token",
        [
          ("hash", .text("hash of the token")), ("customer", customer.sqlValue), ("app", .text("app.of.the.token")),
          ("device", .text("device")), ("issued", next()), ("store_date", next()), ("revoked", next()),
        ]
      ),
      (
        "claim",
        [
          ("app", app), ("environment", sandbox), ("id", claim), ("customer", customer.sqlValue),
          ("product", .text("product of the claim")), ("type", .text("Auto-Renewable Subscription")),
          ("quantity", next()),
          ("ownership", .text("PURCHASED")), ("purchased", next()), ("claimed", next()), ("access_until", next()),
          ("access_days", next()), ("unit", .text("unit.of.claim")), ("shortfall", next()), ("taken", next()),
          ("given", next()), ("blocks", .integer(1)), ("by_device", .integer(1)),
          ("proof", .text("digest of the proof")), ("price", next()), ("currency", .text("CUR")),
        ]
      ),
      (
        "claim_period",
        [
          ("app", app), ("environment", sandbox), ("id", .text("2000000000000002")), ("claim", claim),
          ("product", .text("product of the period")), ("purchased", next()), ("access_until", next()),
          ("stated", next()), ("price", next()), ("currency", .text("PER")), ("period_type", .text("INTRO")),
        ]
      ),
      (
        "statement",
        [
          ("app", app), ("environment", sandbox), ("id", claim), ("revoked", .integer(1)), ("date", next()),
          ("reason", next()), ("percentage", .integer(77_123)), ("stated", next()), ("learnt", next()),
        ]
      ),
      (
        "subscription_renewal",
        [
          ("app", app), ("environment", sandbox), ("claim", claim), ("period", .text("2000000000000003")),
          ("product", .text("next product")), ("auto_renew", .integer(1)), ("billing_retry", .integer(1)),
          ("grace_until", next()), ("expiration_intent", next()), ("stated", next()), ("price_increase", next()),
        ]
      ),
      (
        "claim_transfer",
        [
          ("app", .text("app.of.the.transfer")), ("environment", .text("Production")),
          ("id", .text("2000000000000004")),
          ("date", next()), ("from_customer", other.sqlValue), ("to_customer", former.sqlValue),
          ("by_device", .integer(1)),
        ]
      ),
      (
        "entitlement",
        [
          ("customer", customer.sqlValue), ("app", .text("app.of.the.entitlement")), ("product", .text("entitled")),
          ("source", .text("source of the entitlement")), ("origin", .text("granted")), ("begun", next()),
          ("access_until", next()), ("ended", next()), ("end_reason", .text("refunded")),
        ]
      ),
      (
        "delivery",
        [
          ("id", .text("delivery id")), ("customer", customer.sqlValue), ("app", .text("app.of.the.delivery")),
          ("product", .text("delivered")), ("source", .text("source of the delivery")), ("begun", next()),
          ("ended", next()),
        ]
      ),
      (
        "credit_account",
        [
          ("customer", customer.sqlValue), ("app", .text("app.of.the.account")), ("unit", .text("unit.of.account")),
          ("balance", next()), ("movements", next()), ("blocked", next()),
        ]
      ),
      (
        "credit_movement",
        [
          ("customer", customer.sqlValue), ("app", .text("app.of.the.account")), ("unit", .text("unit.of.account")),
          ("sequence", next()), ("amount", next()), ("balance", next()), ("counter_account", .text("spending")),
          ("cause", .text("spend")), ("cause_key", .text("key of the movement")), ("date", next()),
        ]
      ),
      (
        "stored_proof",
        [
          ("customer", customer.sqlValue), ("app", .text("app.of.the.proof")), ("environment", .text("Xcode")),
          ("digest", .text("digest of the stored proof")), ("kind", .text("kind of the proof")),
          ("data", .data([1, 2, 3])),
          ("stated", next()), ("due", next()),
        ]
      ),
      (
        "customer_consent",
        [
          ("customer", customer.sqlValue), ("app", .text("app.of.the.consent")), ("consumption", .integer(1)),
          ("changed", next()),
        ]
      ),
      (
        "consumption_request",
        [
          ("app", app), ("uuid", .text("uuid of the request")), ("environment", sandbox),
          ("id", .text("2000000000000005")), ("claim", claim), ("type", .text("Auto-Renewable Subscription")),
          ("reason", .text("reason of the request")), ("requested", next()), ("received", next()), ("deadline", next()),
          ("state", .text("refused")), ("due", next()), ("attempts", next()), ("settled", next()),
          ("problem", .text("problem of the request")), ("delivery", .text("UNDELIVERED_OTHER")),
          ("percentage", .integer(66_123)), ("preference", .text("decline")), ("sample", .integer(1)),
          ("consented", next()),
        ]
      ),
      (
        "audit_entry",
        [
          ("date", next()), ("id", .text("audit id")), ("operator", .text("olga")), ("action", .text("liftBlock")),
          ("subject", former.sqlValue), ("detail", .text("detail of the audit")),
        ]
      ),
    ]
    values = rows.reduce(into: [:]) { values, row in
      for column in row.columns {
        values["\(row.table).\(column.name)"] = values["\(row.table).\(column.name)"] ?? column.value
      }
    }
  }

  func insert(into database: any LedgerDatabase) async throws {
    let rows = rows
    try await database.write(locking: []) { transaction in
      for (table, columns) in rows {
        let places = columns.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
        _ = try transaction.rows(
          "INSERT INTO \(table) (\(columns.map(\.name).joined(separator: ", "))) VALUES (\(places))",
          arguments: columns.map(\.value))
      }
    }
  }

  /// The value as it is in the JSON.
  func exportedText(of column: String, _ value: SQLValue) -> String {
    switch value {
    case .data(let bytes): Data(bytes).base64EncodedString()
    case .integer(let number): "\(number)"
    case .text(let text): text
    case .null: "null"
    }
  }
}
