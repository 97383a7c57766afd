import AppStoreEmulator
import ArgumentParser
import StoreModel

/// The arguments that describe a fault: its kind, the requests that it affects, and how often it strikes. The store itself
/// checks whether they fit together.
struct FaultArguments: ParsableArguments {
  enum Appearance: String, ExpressibleByArgument, CaseIterable {
    case unavailable, unreachable
  }

  @Argument(help: "What it is.", completion: .list(FaultKinds.all.map { $0.name }))
  var kind: String

  @Option(help: ArgumentHelp("Its name; otherwise the store makes one up.", valueName: "name"))
  var id: String?

  // MARK: Which requests

  @Option(
    name: .customLong("call"),
    help: ArgumentHelp(
      "Only these requests, otherwise those that the kind usually strikes; may be given several times.",
      valueName: "call"),
    completion: .list(RequestKind.allCases.map(\.rawValue)))
  var calls: [String] = []

  @Option(help: "Only requests of one environment.")
  var environment: EnvironmentArgument?

  @Option(
    help: ArgumentHelp("Only requests of who pays, signs in or is signed in.", valueName: "name"),
    completion: StoreCompletion.customers)
  var customer: String?

  @Option(help: ArgumentHelp("Only requests of this app.", valueName: "id"))
  var bundleID: String?

  @Option(
    help: ArgumentHelp("Only requests about this product.", valueName: "id"), completion: StoreCompletion.products)
  var product: String?

  @Option(
    help: ArgumentHelp("Only requests of this installation.", valueName: "id"),
    completion: StoreCompletion.installations)
  var installation: String?

  // MARK: How often

  @Option(help: ArgumentHelp("How many requests it strikes; otherwise all, until it is removed.", valueName: "number"))
  var count: Int?

  @Option(help: ArgumentHelp("The chance that it strikes, above 0 and at most 1.", valueName: "number"))
  var probability: Double?

  @Option(help: ArgumentHelp("What the choices by chance follow from.", valueName: "number"))
  var seed: UInt64?

  @Option(
    help: ArgumentHelp("How long it strikes, on the store's clock, such as 90s or 1h.", valueName: "span"),
    completion: .list(["30s", "5m", "1h", "1d"]))
  var duration: String?

  // MARK: What some kinds need

  @Option(
    help: ArgumentHelp("Of appError: the error that apps see, such as SKErrorDomain:2.", valueName: "domain:code"),
    completion: .list(["SKErrorDomain:0", "SKErrorDomain:2", "SSServerErrorDomain:5002", "SSServerErrorDomain:5020"]))
  var error: String?

  @Option(help: ArgumentHelp("Of appError: its words.", valueName: "text"))
  var message: String?

  @Option(help: ArgumentHelp("Of appError: the error below it.", valueName: "domain:code"))
  var underlyingError: String?

  @Option(help: ArgumentHelp("Of slowAnswer: how much later, such as 1500ms or 2s.", valueName: "span"))
  var delay: String?

  @Option(help: "Of outage: HTTP status 503, or no answer at all.")
  var appearance: Appearance?

  @Option(help: ArgumentHelp("Of receiptStatus: 21000 to 21010, or 21100 to 21199.", valueName: "number"))
  var status: Int?

  @Flag(inversion: .prefixedNo, help: "Of receiptStatus 21100 to 21199: what is_retryable says.")
  var retryable: Bool?

  @Option(help: ArgumentHelp("Of receiptServerError: 500 to 599.", valueName: "number"))
  var httpStatus: Int?

  @Option(
    name: .customLong("member"),
    help: ArgumentHelp(
      "Any member of the kind, as the control API names it, such as httpStatus=503; may be given several times.",
      valueName: "name=value"))
  var members: [String] = []

  /// A line of text for each kind of fault.
  static let kindsInWords = FaultKinds.all.map { "\($0.name): \($0.summary)." }.joined(separator: "\n")

  func validate() throws {
    guard FaultKinds.all.contains(where: { $0.name == kind }) else {
      let names = FaultKinds.all.map { $0.name }.joined(separator: ", ")
      throw ValidationError("\(kind.madeVisible(limit: 100)) is no kind of fault; there are \(names).")
    }
    for call in calls where RequestKind(rawValue: call) == nil {
      let names = RequestKind.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("\(call.madeVisible(limit: 100)) is no call; there are \(names).")
    }
    for (name, text) in [("--duration", duration), ("--delay", delay)] {
      if let text, TypedSpan(text) == nil {
        throw ValidationError(
          "\(name) is no span of time: \(text.madeVisible(limit: 100)). Write one such as 90s or 1h.")
      }
    }
    for (name, text) in [("--error", error), ("--underlying-error", underlyingError)] {
      if let text, Self.error(text) == nil {
        throw ValidationError(
          "\(name) wants DOMAIN:CODE, such as SKErrorDomain:2; it is \(text.madeVisible(limit: 100)).")
      }
    }
    if let text = duration, TypedSpan(text)?.wholeSeconds ?? 0 < 1 {
      throw ValidationError("--duration is a whole number of seconds, at least 1s.")
    }
    let given = Set(kindMembers.keys)
    for text in members where Self.member(text) == nil {
      throw ValidationError("--member wants NAME=VALUE, such as httpStatus=503; it is \(text.madeVisible(limit: 100)).")
    }
    for member in FaultKinds.all.first(where: { $0.name == kind })?.members ?? []
    where member.isRequired && !given.contains(member.name) {
      let option = Self.options[member.name] ?? "--member \(member.name)="
      let example = "\(option)\(option.hasSuffix("=") ? "" : " ")\((member.example ?? "").replacing(" ", with: ""))"
      throw ValidationError("\(kind) needs \(option), such as \(example).")
    }
    if error == nil, message != nil || underlyingError != nil {
      throw ValidationError("--message and --underlying-error go with --error.")
    }
  }

  /// The option of each member that has its own.
  private static let options = [
    "error": "--error", "milliseconds": "--delay", "appearance": "--appearance", "status": "--status",
    "httpStatus": "--http-status",
  ]

  /// Parses an argument of `--member`. The value is a number, `true` or `false`, or a word.
  private static func member(_ text: String) -> (name: String, value: JSONValue)? {
    guard let equals = text.firstIndex(of: "="), equals > text.startIndex else { return nil }
    let (name, value) = (String(text[..<equals]), String(text[text.index(after: equals)...]))
    if let number = Int64(value) { return (name, .integer(number)) }
    return (name, ["true": .bool(true), "false": .bool(false)][value] ?? .string(value))
  }

  private static func error(_ text: String) -> [String: JSONValue]? {
    guard let colon = text.lastIndex(of: ":"), let code = Int(text[text.index(after: colon)...]),
      colon > text.startIndex
    else { return nil }
    return ["domain": .string(String(text[..<colon])), "code": .integer(code)]
  }

  /// The body of the request that sets the fault.
  var json: JSONValue {
    let scope = JSONValue.members([
      "calls": calls.isEmpty ? nil : .array(calls.map(JSONValue.string)),
      "environment": environment.map { .string($0.name) }, "customer": customer.map(JSONValue.string),
      "bundleId": bundleID.map(JSONValue.string), "productId": product.map(JSONValue.string),
      "installationId": installation.map(JSONValue.string),
    ])
    let common: [String: JSONValue?] = [
      "kind": .string(kind), "id": id.map(JSONValue.string), "scope": scope == .object([:]) ? nil : scope,
      "count": count.map { .integer($0) }, "probability": probability.map { .number("\($0)") },
      "seed": seed.map { .integer($0) },
      "durationSeconds": duration.flatMap { TypedSpan($0)?.wholeSeconds }.map { .integer($0) },
    ]
    return .object(common.compactMapValues(\.self).merging(kindMembers) { own, _ in own })
  }

  /// The members that only some kinds have.
  private var kindMembers: [String: JSONValue] {
    let appError = error.flatMap(Self.error).map { error in
      JSONValue.object(
        error.merging(["message": message.map(JSONValue.string)].compactMapValues(\.self)) { $1 }
          .merging(["underlying": underlyingError.flatMap(Self.error).map(JSONValue.object)].compactMapValues(\.self)) {
            $1
          })
    }
    let own: [String: JSONValue?] = [
      "error": appError, "milliseconds": delay.flatMap { TypedSpan($0) }.map { .integer($0.milliseconds) },
      "appearance": appearance.map { .string($0.rawValue) }, "status": status.map { .integer($0) },
      "isRetryable": retryable.map { .bool($0) }, "httpStatus": httpStatus.map { .integer($0) },
    ]
    let others = members.compactMap(Self.member).map { ($0.name, $0.value) }
    return own.compactMapValues(\.self).merging(others) { own, _ in own }
  }
}
