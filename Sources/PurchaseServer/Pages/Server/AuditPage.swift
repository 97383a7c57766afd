import APIDescription
import Hummingbird
import PurchaseLedger
import StoreModel
import WebSupport

/// The page of the audit log, newest first.
enum AuditPage {
  static let all: [(path: String, make: OperatorPages.PageMaker)] = [(OperatorAddress.audit, audit)]

  private static let audit: OperatorPages.PageMaker = { page in
    let (before, beforeID) = (try page.query.number("before", 0...Int64.max), page.query["beforeId"])
    let entries = try await page.answer(
      of: ServiceEndpoints.auditLog,
      query: [
        ("limit", "\(ListEnd.pageSize)"), ("before", before.map(String.init)), ("beforeId", beforeID),
      ]
    ).entries
    let table = DataTable(
      caption: "The operators’ changes, newest first",
      columns: ["Time", "Operator", "Action", "Subject", "Detail and reason"], rows: entries.map(row)
    ).html(orNone: "There is no entry.")
    return page.page("Audit log", "<h1>Audit log</h1>\(table)\(older(entries))")
  }

  private static func row(_ entry: AuditEntry) -> [HTML] {
    [
      entry.date.html, .shortName(entry.operatorName, limit: 60), "<span class=\"mono\">\(entry.action)</span>",
      subject(of: entry), detail(of: entry),
    ]
  }

  /// The subject, with a link to its page. Ids of webhooks look like those of customers.
  private static func subject(of entry: AuditEntry) -> HTML {
    if entry.action.contains("Webhook") {
      return "<a class=\"mono\" href=\"\(OperatorAddress.webhook(entry.subject))\">\(entry.subject)</a>"
    }
    guard let customer = CustomerID(entry.subject) else { return .identifier(entry.subject, limit: 120) }
    return "<a class=\"mono\" href=\"\(OperatorAddress.customer(customer))\">\(customer.description)</a>"
  }

  /// The detail, shortened before the reason, which is its end and has at most 1,000 bytes.
  private static func detail(of entry: AuditEntry) -> HTML {
    let scalars = entry.detail.unicodeScalars
    guard scalars.count > 1_400 else { return .name(entry.detail) }
    let end = String(String.UnicodeScalarView(scalars.suffix(1_002)))
    return "\(HTML.shortName(entry.detail, limit: 300)) \(HTML.name(end))"
  }

  private static func older(_ entries: [AuditEntry]) -> HTML {
    guard entries.count == ListEnd.pageSize, let last = entries.last else { return "" }
    let address =
      OperatorAddress.audit
      + AddressText.query([("before", "\(last.date.millisecondsSince1970)"), ("beforeId", last.id)])
    return "<p class=\"older\"><a class=\"button\" href=\"\(address)\">Older</a></p>"
  }
}
