import StoreModel
import WebSupport

/// A table of payments that wait for approval, with the forms to decide them.
struct ApprovalTable {
  let approvals: [ApprovalRow]
  let calls: CallContext

  var html: HTML {
    let rows = approvals.map { waiting in
      [
        waiting.approval.date.html,
        waiting.names.cell(waiting.approval.payment.productID, of: waiting.installation.bundleID),
        ConsoleAddress.link(
          ConsoleAddress.customer(waiting.approval.account, waiting.installation.environment),
          .shortName(waiting.approval.account.rawValue)),
        "\(waiting.approval.payment.quantity)",
        "\(Money.text(waiting.approval.total.amount, waiting.approval.total.currency))",
        "\(waiting.installation.environment.rawValue)", waiting.decisions(calls),
      ]
    }
    return DataTable(
      caption: "Payments that wait for approval",
      columns: [
        .init("Confirmed"), .init("Product"), .init("Customer"), .init("Quantity", isNumber: true),
        .init("Total", isNumber: true), .init("Environment"), .init("Decision"),
      ], rows: rows
    ).html
  }
}
