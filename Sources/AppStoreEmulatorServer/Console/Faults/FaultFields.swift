import AppStoreEmulator
import StoreModel
import WebSupport

/// The fields of a fault: its kind, the kind's members, how often it applies, and its scope.
enum FaultFields {
  static func all(apps: [StoreApp]) -> [FormField] { [kind] + ofKinds + howOften + scope(apps) }

  private static let kind = FormField(
    "kind", .text, "What happens", text: "answerLost",
    input: .choice(FaultKinds.all.map { .init($0.name, "\($0.name): \($0.summary)") }))

  private static let ofKinds = FaultKinds.all.flatMap { kind in
    kind.members.flatMap { fields(of: $0, .init(name: "kind", values: [kind.name])) }
  }

  private static func fields(of member: FaultMember, _ condition: FormField.Condition) -> [FormField] {
    let (name, title, isRequired) = (member.name, member.title, member.isRequired)
    let (text, hint) = (
      isRequired ? member.example ?? "" : "", member.summary.prefix(1).uppercased() + member.summary.dropFirst() + "."
    )
    switch member.value {
    case .integer:
      return [
        FormField(
          name, .number, title, text: text, input: .number, hint: hint, isRequired: isRequired, when: condition)
      ]
    case .milliseconds(let longest):
      return [
        FormField(
          name, .duration, title, text: text, hint: "Such as 1500 ms or 3 s; at most \(longest / 1_000) s.",
          isRequired: isRequired, when: condition)
      ]
    case .flag:
      return [
        FormField(
          name, .flag, title, input: .choice([.init("", "left out"), .init("true"), .init("false")]), hint: hint,
          when: condition)
      ]
    case .choice(let choices):
      // The first value is the default, so it is omitted.
      let inputs = choices.enumerated().map { FormField.Choice($0 == 0 ? "" : $1.value, $1.title) }
      return [FormField(name, .text, title, input: .choice(inputs), when: condition)]
    case .appError: return appError(name, condition)
    }
  }

  /// The fields of an error. The code is chosen from a list for `SKErrorDomain`, and typed for other domains.
  private static func appError(_ name: String, _ condition: FormField.Condition) -> [FormField] {
    let domain = "\(name).domain"
    let storeKit = "SKErrorDomain"
    return [
      FormField(
        domain, .text, "Error domain", text: storeKit,
        input: .choice(AppError.usualDomains.map { .init($0) }), when: condition),
      FormField(
        "\(name).code", .number, "StoreKit error", text: "0",
        input: .choice(AppError.storeKitCodes.map { .init("\($0.code)", "\($0.name) (\($0.code))") }),
        when: .init(name: domain, values: [storeKit])),
      FormField(
        "\(name).code", .number, "Error code", text: "5002", input: .number, isRequired: true,
        when: .init(name: domain, values: AppError.usualDomains.filter { $0 != storeKit })),
      FormField("\(name).message", .text, "Message for the customer", when: condition),
    ]
  }

  private static let howOften = [
    FormField("count", .number, "How many times", input: .number, hint: "Left empty: until it is removed."),
    FormField("probability", .number, "Chance", input: .number, hint: "Above 0, at most 1. Left empty: always."),
    FormField("seed", .number, "Seed of the chance", input: .number),
    FormField(
      "durationSeconds", .seconds, "How long it lasts",
      hint: "On the store’s clock: 90 s, 1d12h. Left empty: until it is removed."),
    FormField("id", .text, "Name", hint: "Left empty: one is made up."),
  ]

  private static func scope(_ apps: [StoreApp]) -> [FormField] {
    [
      FormField(
        "scope.environment", .text, "Only in",
        input: .choice([.init("", "both environments"), .init("Production"), .init("Sandbox")])),
      FormField("scope.customer", .text, "Only for customer", input: .names(.customers)),
      FormField(
        "scope.bundleId", .text, "Only for app",
        input: .choice([.init("", "all apps")] + apps.map { .init($0.bundleID.rawValue) })),
      FormField("scope.productId", .text, "Only for product", input: .names(.products)),
      FormField("scope.installationId", .text, "Only for installation", input: .names(.installations)),
      FormField(
        "scope.calls", .texts, "Only these calls", input: .checks(RequestKind.allCases.map { .init($0.rawValue) }),
        hint: "None: those that this kind usually strikes."),
    ]
  }
}
