import AppStoreEmulator
import ControlAPI
import StoreModel
import WebSupport

/// The page of a store without transactions: how an app and its backend connect to this store, with lines to copy.
struct ConnectionGuide {
  let app: StoreApp
  /// A product to buy in the example; nil if the app has none.
  let product: ProductID?
  let calls: CallContext

  /// The environment of the examples. Their customer is ``EmulatedAppStore/firstCustomer``, which every new store has
  /// in this environment.
  private static let environment = StoreEnvironment.sandbox

  var html: HTML {
    let cards = [
      card(
        "swift", "An app in Swift",
        "For an app that imports StoreKit of this package. The next purchase of the app appears here.", appSettings),
      card(
        "python", "A backend in Python", "Verifies an app receipt that the app has sent, as Apple’s endpoint does.",
        pythonFunction),
      card("curl", "A backend, with curl", "Verifies the app receipt in the file “receipt”, in DER.", verification),
      card(
        "api", "The control API",
        "Returns all that a verifier needs: root certificates, keys and addresses. Then buys for a customer.",
        controlCalls),
    ]
    return """
      <section aria-labelledby="connect-title"><h2 id="connect-title">Connect your app</h2>
      <p>This store serves \(HTML.identifier(app.bundleID.rawValue)) at <span class="mono">\(calls.origin)</span>.</p>
      <div class="responses guide">\(cards)</div></section>
      """
  }

  private func card(_ name: String, _ title: String, _ text: String, _ lines: String) -> HTML {
    """
    <section class="card"><h3>\(title)</h3><p>\(text)</p>
    \(CopyableText(id: "connect-\(name)", title: "lines for: \(title)", text: lines).html)</section>

    """
  }

  private var appSettings: String {
    [
      ("URL", calls.origin), ("BUNDLE_ID", app.bundleID.rawValue), ("ENVIRONMENT", Self.environment.lowercaseName),
      ("ACCOUNT", EmulatedAppStore.firstCustomer.rawValue),
    ].map { "export OPENSTOREKIT_\($0)=\(ShellText.quoted($1))\n" }.joined() + "swift run"
  }

  private var verifyReceipt: String { "\(calls.origin)/\(Self.environment.lowercaseName)/verifyReceipt" }

  /// The strings are JSON strings, which Python reads in the same way.
  private var pythonFunction: String {
    """
    import base64, json, urllib.request

    def verify_receipt(receipt: bytes) -> dict:
        body = {"receipt-data": base64.b64encode(receipt).decode(), "password": \(JSONText.string(app.sharedSecret))}
        request = urllib.request.Request(\(JSONText.string(verifyReceipt)), json.dumps(body).encode())
        with urllib.request.urlopen(request) as response:
            return json.load(response)
    """
  }

  private var verification: String {
    """
    printf '{"receipt-data": "%s", "password": "%s"}' "$(base64 -w 0 receipt)" \(ShellText.quoted(app.sharedSecret)) |
      curl \(ShellText.quoted(verifyReceipt)) --data-binary @-
    """
  }

  private var controlCalls: String {
    let connection = calls.command(of: APICall("connection", ControlEndpoints.connection))
    guard let product else { return connection }
    let purchase = APICall(
      "purchase", ControlEndpoints.purchase,
      fields: [
        .constant("bundleId", .text, app.bundleID.rawValue), .constant("environment", .text, Self.environment.rawValue),
        .constant("customer", .text, EmulatedAppStore.firstCustomer.rawValue),
        .constant("productId", .text, product.rawValue),
      ])
    return "\(connection)\n\n\(calls.command(of: purchase))"
  }
}
