import AppStoreEmulator
import StoreModel

/// What is asked for of a fault: its kind, what that kind needs, which requests it is for, how often it strikes.
enum FaultFields {
  static let all: [ControlField] = [kind] + ofKinds + howOften + scope

  private static let kind = ControlField(
    "kind", .text, "What happens", text: "answerLost",
    input: .choice(FaultKinds.all.map { .init($0.name, "\($0.name): \($0.summary)") }))

  private static func only(_ kinds: String...) -> ControlField.Condition { .init(name: "kind", values: kinds) }

  private static let ofKinds = [
    ControlField(
      "error.domain", .text, "Error domain", text: "SKErrorDomain", isRequired: true, when: only("appError")),
    ControlField(
      "error.code", .number, "Error code", text: "0", input: .number, isRequired: true, when: only("appError")),
    ControlField("error.message", .text, "Words for the person", when: only("appError")),
    ControlField(
      "milliseconds", .duration, "How much later", text: "3 s", hint: "Such as 1500 ms or 3 s; at most 10 min.",
      isRequired: true, when: only("slowAnswer")),
    ControlField(
      "appearance", .text, "How it looks",
      input: .choice([.init("", "503, try later"), .init("unreachable", "nobody answers")]), when: only("outage")),
    ControlField(
      "status", .number, "Status", text: "21005", input: .number, hint: "21000 to 21010, or 21100 to 21199.",
      isRequired: true, when: only("receiptStatus")),
    ControlField(
      "isRetryable", .flag, "is_retryable",
      input: .choice([.init("", "left out"), .init("true"), .init("false")]), hint: "With 21100 to 21199.",
      when: only("receiptStatus")),
    ControlField(
      "httpStatus", .number, "HTTP status", text: "503", input: .number, hint: "500 to 599.", isRequired: true,
      when: only("receiptServerError")),
  ]

  private static let howOften = [
    ControlField("count", .number, "How many times", input: .number, hint: "Left empty: until it is removed."),
    ControlField("probability", .number, "Chance", input: .number, hint: "Above 0, at most 1. Left empty: always."),
    ControlField("seed", .number, "Seed of the chance", input: .number),
    ControlField(
      "durationSeconds", .seconds, "How long it lasts",
      hint: "On the store’s clock: 90 s, 1d12h. Left empty: until it is removed."),
    ControlField("id", .text, "Name", hint: "Left empty: one is made up."),
  ]

  private static let scope = [
    ControlField(
      "scope.environment", .text, "Only in",
      input: .choice([.init("", "both environments"), .init("Production"), .init("Sandbox")])),
    ControlField("scope.customer", .text, "Only for customer"),
    ControlField("scope.bundleId", .text, "Only for app"),
    ControlField("scope.productId", .text, "Only for product"),
    ControlField("scope.installationId", .text, "Only for installation"),
    ControlField(
      "scope.calls", .words, "Only these calls", input: .checks(RequestKind.allCases.map { .init($0.rawValue) }),
      hint: "None: those that this kind usually strikes."),
  ]
}
