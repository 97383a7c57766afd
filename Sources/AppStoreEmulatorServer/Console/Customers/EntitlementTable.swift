import AppStoreEmulator
import StoreModel
import WebSupport

/// A table of a customer's current entitlements.
struct EntitlementTable {
  let entitlements: CustomerEntitlements
  let names: ProductNames

  /// The maximum number of transactions in the table. The list of transactions has the others.
  static let largestNumber = 200

  var html: HTML {
    let rows = entitlements.subscriptions.map(row) + entitlements.transactions.map(row)
    guard !rows.isEmpty else { return "<p class=\"card\">The customer owns nothing at present.</p>" }
    let table = DataTable(
      caption: "What the customer owns now",
      columns: ["Product", "State", "Renewal date or end", "Owned since", "App"].map { .init($0) }, rows: rows
    ).html
    let isFull = entitlements.transactions.count == Self.largestNumber
    return "\(table)\("<p class=\"muted\">The newest only. The list of purchases has all.</p>", if: isFull)"
  }

  private func row(_ subscription: RenewalRecord) -> [HTML] {
    let end: HTML =
      subscription.isAutoRenewOn
      ? "renews \(subscription.periodEnd.html)" : "ends \(subscription.accessEnd.html)"
    return [
      names.cell(subscription.productID, of: subscription.bundleID),
      "<a href=\"\(ConsoleAddress.subscription(subscription.originalTransactionID))\">\(subscription.stateBadge)</a>",
      end,
      "<a href=\"\(ConsoleAddress.transaction(subscription.currentTransactionID))\">\(subscription.periodStart.html)</a>",
      .identifier(subscription.bundleID.rawValue, limit: 40),
    ]
  }

  private func row(_ stored: StoredTransaction) -> [HTML] {
    let record = stored.record
    let isShared = record.ownership == .familyShared
    return [
      names.cell(record.productID, of: record.bundleID),
      isShared
        ? "<span class=\"badge\">shared by the family</span>" : "<span class=\"badge badge-good\">owned</span>",
      (entitlements.graceEnds[record.transactionID] ?? record.expiresDate).map { "ends \($0.html)" } ?? "",
      "<a href=\"\(ConsoleAddress.transaction(record.transactionID))\">\(record.purchaseDate.html)</a>",
      .identifier(record.bundleID.rawValue, limit: 40),
    ]
  }
}
