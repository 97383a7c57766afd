import AppStoreEmulator
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
  let command: ShellCommand

  private var fields: [ControlField] {
    var choices = apps.map { ControlField.Choice($0.bundleID.rawValue) }
    if let app, !apps.contains(where: { $0.bundleID == app }) { choices.append(.init(app.rawValue)) }
    return [
      ControlField("bundleId", .text, "App", text: app?.rawValue ?? "", input: .choice(choices), isRequired: true),
      ControlField(
        "environment", .text, "Environment", text: environment.rawValue,
        input: .choice([.init("Production"), .init("Sandbox")])),
      ControlField("customer", .text, "Customer", text: customer, input: .names(.customers), isRequired: true),
      ControlField("productId", .text, "Product id", text: product ?? "", input: .names(.products), isRequired: true),
      ControlField("quantity", .number, "Quantity", text: "1", input: .number),
      ControlField("applicationUsername", .text, "Application username"),
      ControlField(
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
      call: ControlCall("purchase", .post, "purchases", fields: fields), title: "Buy", command: command,
      style: "button-primary", next: "/console/transactions/{transactionId}"
    ).html)</section>
    \(names.html)
    """
  }
}
