import PurchaseLedger
import WebSupport

/// A table of a credit account's movements, newest first, with the cause of each.
struct MovementTable {
  let movements: [CreditMovement]

  /// The number of movements on a customer's page.
  static let shortPage = 20

  var html: HTML {
    guard !movements.isEmpty else { return "<p class=\"muted\">No movement.</p>" }
    let rows = movements.map { movement -> [HTML] in
      [
        "\(movement.sequence)", movement.date.html, "\(movement.amount > 0 ? "+" : "−")\(movement.amount.magnitude)",
        "\(movement.balance)", "<span class=\"badge \(Self.style(movement))\">\(Self.title(movement.cause))</span>",
        "<span class=\"mono\">\(HTML.shortName(movement.key, limit: 80))</span>",
      ]
    }
    return DataTable(
      caption: "Movements, newest first",
      columns: [
        .init("Number", isNumber: true), "Time", .init("Amount", isNumber: true),
        .init("Balance", isNumber: true), "Cause", "Key",
      ], rows: rows
    ).html
  }

  private static func style(_ movement: CreditMovement) -> HTML { movement.amount > 0 ? "badge-good" : "badge-wait" }

  private static func title(_ cause: CreditMovement.Cause) -> String {
    switch cause {
    case .purchase: "purchase"
    case .refund: "refund"
    case .refundReversed: "refund reversed"
    case .shortfall: "written off"
    case .shortfallReversed: "write-off reversed"
    case .spend: "spent"
    case .grant: "grant"
    }
  }
}
