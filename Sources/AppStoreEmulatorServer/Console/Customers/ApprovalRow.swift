import AppStoreEmulator
import ControlAPI
import StoreModel
import WebSupport

/// A row of a list, for a payment that waits for approval.
struct ApprovalRow: Sendable {
  let approval: PendingApproval
  let installation: Installation
  let names: ProductNames

  /// The maximum number of rows. Further payments appear when these are decided.
  static let largestNumber = 50

  /// The payments that wait for approval and fit a filter, oldest first.
  static func all(fitting filter: RecordFilter, in store: EmulatedAppStore) async throws -> [ApprovalRow] {
    var filter = filter
    filter.limit = largestNumber
    let found = try await store.approvals(fitting: filter)
    let names = try await ProductNames(of: found.map { ($1.bundleID, $0.payment.productID) }, in: store)
    return found.map { ApprovalRow(approval: $0, installation: $1, names: names) }
  }

  /// The cells for the list of transactions.
  var row: [HTML] {
    let payment = approval.payment
    return [
      "<a href=\"/console/customers#approvals\">\(approval.date.html)</a><span class=\"sub mono\">\(HTML.shortName(payment.paymentID.rawValue, limit: 40))</span>",
      names.cell(payment.productID, of: installation.bundleID),
      ConsoleAddress.link(
        ConsoleAddress.customer(approval.account, installation.environment), .shortName(approval.account.rawValue)),
      "\(payment.quantity)", "\(Money.text(approval.total.amount, approval.total.currency))",
      "<span class=\"badge badge-wait\">waiting for approval</span>", "\(installation.environment.rawValue)",
      .identifier(installation.bundleID.rawValue, limit: 40),
    ]
  }

  /// The forms to approve or decline the payment.
  func decisions(_ calls: CallContext) -> HTML {
    let path = [approval.installationID.rawValue, approval.payment.paymentID.rawValue]
    let forms = [("approve", "Approve", "button-primary"), ("decline", "Decline", "button-danger")].map {
      CallForm(
        call: APICall(
          APICall.id($0.0, ofRow: path[0], path[1]), ControlEndpoints.decideApproval, path[0], path[1],
          fields: [.constant("decision", .text, $0.0)]),
        title: $0.1, calls: calls, style: $0.2, isCompact: true
      ).html
    }
    return "<div class=\"actions\">\(forms)</div>"
  }
}
