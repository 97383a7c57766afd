import AppStoreEmulator
import StoreModel
import WebSupport

/// A row of a list, for a payment that waits for approval.
struct ApprovalRow: Sendable {
  let approval: PendingApproval
  let installation: Installation
  let names: ProductNames

  /// The maximum number of rows. Further payments appear when these are decided.
  static let largestNumber = 50

  /// The payments that wait for approval and for which `isWanted` is true, oldest first.
  static func all(
    in store: EmulatedAppStore, where isWanted: (PendingApproval, Installation) -> Bool
  ) async throws -> [ApprovalRow] {
    var (found, next): ([(PendingApproval, Installation)], [String]?) = ([], nil)
    repeat {
      let page = try await store.approvalPage(after: next, limit: 200)
      for approval in page.elements where found.count < largestNumber {
        let installation = try await store.installation(approval.installationID)
        if isWanted(approval, installation) { found.append((approval, installation)) }
      }
      next = page.next
    } while next != nil && found.count < largestNumber
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

  /// The forms to approve or decline the payment. Their ids end with `number`.
  func decisions(number: Int, command: ShellCommand) -> HTML {
    let path = [approval.installationID.rawValue, approval.payment.paymentID.rawValue]
    let forms = [("approve", "Approve", "button-primary"), ("decline", "Decline", "button-danger")].map {
      CallForm(
        call: ControlCall(
          "\($0.0)-\(number)", .post, "approvals", path[0], path[1],
          fields: [.constant("decision", .text, $0.0)]),
        title: $0.1, command: command, style: $0.2, isCompact: true
      ).html
    }
    return "<div class=\"actions\">\(forms)</div>"
  }
}
