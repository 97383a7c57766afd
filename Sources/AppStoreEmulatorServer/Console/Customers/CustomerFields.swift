import AppStoreEmulator
import StoreModel
import WebSupport

enum CustomerFields {
  static let environment = FormField(
    "environment", .text, "Environment", text: StoreEnvironment.sandbox.rawValue,
    input: .choice([.init("Production"), .init("Sandbox")]))
  static let name = FormField("name", .text, "Name", isRequired: true)

  /// The fields that can be changed. An empty password or family removes the value.
  static func changeable(_ customer: Customer?, isNew: Bool) -> [FormField] {
    let kind: FieldKind = isNew ? .text : .textOrNull
    return [
      FormField(
        "storefront", .text, "Storefront", text: customer?.storefrontCountryCode ?? "USA",
        input: .choice(Choices.storefronts)),
      FormField(
        "paymentMethod", .text, "Payment method", text: (customer?.paymentMethod ?? .valid).rawValue,
        input: .choice(Customer.PaymentMethod.allCases.map { .init($0.rawValue, text($0)) })),
      FormField(
        "password", kind, "Password", text: customer?.password ?? "",
        hint: "Left empty, any password signs in. Every user of this console sees it: use an invented one."),
      FormField(
        "family", kind, "Family", text: customer?.family ?? "", hint: "Customers of the same family share purchases."),
      FormField(
        "needsApproval", .flag, "Needs approval for every payment (Ask to Buy)",
        text: customer?.needsApproval == true ? "true" : "false", input: .check),
    ]
  }

  static func text(_ method: Customer.PaymentMethod) -> String {
    switch method {
    case .valid: "pays"
    case .declined: "is declined"
    case .needsAttention: "needs attention first"
    }
  }
}
