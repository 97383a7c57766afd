import AppStoreEmulator
import ControlAPI
import StoreModel
import WebSupport

/// The form to buy a product for a customer, outside the app.
struct PurchasePage {
  let apps: [StoreApp]
  let app: BundleID?
  let product: String?
  let customer: String
  let environment: StoreEnvironment
  let names: KnownNames
  let calls: CallContext

  private var fields: [FormField] {
    var choices = apps.map { FormField.Choice($0.bundleID.rawValue) }
    if let app, !apps.contains(where: { $0.bundleID == app }) { choices.append(.init(app.rawValue)) }
    return [
      FormField("bundleId", .text, "App", text: app?.rawValue ?? "", input: .choice(choices), isRequired: true),
      FormField(
        "environment", .text, "Environment", text: environment.rawValue,
        input: .choice([.init("Production"), .init("Sandbox")])),
      FormField("customer", .text, "Customer", text: customer, input: .names(.customers), isRequired: true),
      FormField("productId", .text, "Product id", text: product ?? "", input: .names(.products), isRequired: true),
      FormField("quantity", .number, "Quantity", text: "1", input: .number),
      FormField("applicationUsername", .text, "Application username"),
      FormField(
        "installationId", .text, "Installation", input: .names(.installations),
        hint: "Where it is delivered. Left empty: where the customer is next signed in."),
      .requestName("paymentId"),
    ]
  }

  var html: HTML {
    """
    <p class="crumb"><a href="/">Transactions</a></p>
    <h1>Buy for a customer</h1>
    <p>A purchase outside the app, such as one with an offer code. The device hears of it at once. The \
    <a href="/console/catalog">catalog</a> has the products.</p>
    <section class="card">\(CallForm(
      call: APICall("purchase", ControlEndpoints.purchase, fields: fields), title: "Buy", calls: calls,
      style: "button-primary", next: "/console/transactions/{transactionId}"
    ).html)</section>
    \(names.html)
    """
  }
}
