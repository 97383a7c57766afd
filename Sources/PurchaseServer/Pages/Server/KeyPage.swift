import APIDescription
import Hummingbird
import PurchaseLedger
import StoreModel
import WebSupport

/// The page of the operators' keys, newest first, with the forms that create and revoke one.
enum KeyPage {
  static let all: [(path: String, make: OperatorPages.PageMaker)] = [(OperatorAddress.keys, keys)]

  private static let creating = EndpointFields(of: ServiceEndpoints.createOperatorKey.endpoint)
  private static let revoking = EndpointFields(ofQuery: ServiceEndpoints.revokeOperatorKey.endpoint)

  private static let keys: OperatorPages.PageMaker = { page in
    let (after, rows) = (page.query["after"], try page.rows())
    let list = try await page.answer(
      of: ServiceEndpoints.operatorKeys,
      query: [("order", ListOrder.newest.rawValue), ("after", after), ("limit", "\(rows)")])
    let table = DataTable(
      caption: "Operators’ keys, newest first", columns: ["Name", "Role", "Created", "State", "Revoke"],
      rows: list.keys.map { row($0, page) }
    ).html(orNone: "There is no key.")
    let end = ListEnd(rows: rows, older: list.next.map { OperatorAddress.keys(after: $0.text) }) {
      OperatorAddress.keys(after: after, rows: $0)
    }
    return page.page(
      "Keys", "<h1>Keys</h1>\(creation(page))<div id=\"keys\" data-live>\(table)\(end.html)</div>")
  }

  private static func row(_ key: OperatorKey, _ page: OperatorPageRequest) -> [HTML] {
    [
      .shortName(key.name, limit: 100), "<span class=\"badge\">\(key.role.rawValue)</span>", key.created.html,
      key.revoked.map { "revoked \($0.html)" } ?? "<span class=\"badge badge-good\">valid</span>",
      key.revoked == nil ? revocation(of: key, page) : "",
    ]
  }

  private static func revocation(of key: OperatorKey, _ page: OperatorPageRequest) -> HTML {
    guard page.site.allows(ServiceEndpoints.revokeOperatorKey) else { return "" }
    let call = APICall(
      APICall.id("revoke", ofRow: key.id), ServiceEndpoints.revokeOperatorKey, key.id, fields: [revoking.reason],
      in: .query)
    let form = CallForm(
      call: call, title: "Revoke", calls: page.calls, style: "button-danger", done: "Revoked.", isCompact: true)
    return """
      <details id="\(call.id)-open"><summary>Revoke<span class="sr-only"> the key of \(HTML.shortName(key.name))</span>\
      </summary>\(form.html)</details>
      """
  }

  private static func creation(_ page: OperatorPageRequest) -> HTML {
    guard page.site.allows(ServiceEndpoints.createOperatorKey) else { return "" }
    let call = APICall(
      "create", ServiceEndpoints.createOperatorKey,
      fields: [
        creating.field("name", "Name", hint: "Of a person or a program, for the audit log.", isRequired: true),
        creating.field("role", "Role", text: OperatorRole.read.rawValue), creating.reason,
      ])
    let form = CallForm(
      call: call, title: "Create the key", calls: page.calls, style: "button-primary", done: "", reveals: "token")
    return """
      <section class="card" id="actions" aria-labelledby="create-title"><h2 id="create-title">Create a key</h2>
      <p>The key is shown once. Its holder signs in with it, or a program sends it.</p>\(form.html)</section>
      """
  }
}
