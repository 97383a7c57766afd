import ArgumentParser
import Foundation

/// Which store to ask, and how to answer: for every command that uses the control door of one that runs.
struct ControlDoorOptions: ParsableArguments {
  @Option(
    name: .customLong("store"),
    help: ArgumentHelp(
      "The store's address; otherwise OPENSTOREKIT_CONTROL_URL or OPENSTOREKIT_URL of the environment, or \(Self.usualAddress).",
      valueName: "url"),
    completion: .list([Self.usualAddress]))
  var address: String?

  @Option(
    help: ArgumentHelp(
      "What the store's control door asks for; otherwise OPENSTOREKIT_CONTROL_TOKEN of the environment.",
      valueName: "token"))
  var controlToken: String?

  @Flag(help: "Print one JSON document: what the store answered.")
  var json = false

  static let usualAddress = "http://127.0.0.1:8080"

  func validate() throws {
    if let address, Self.storeAddress(address) == nil {
      throw ValidationError(
        "--store wants an address such as \(Self.usualAddress); it is \(address.madeVisible(limit: 200)).")
    }
  }

  /// The door of the store that is meant.
  ///
  /// - Throws: ``CommandFailure``, naming the variable whose value is no address.
  func door(
    environment: [String: String] = ProcessInfo.processInfo.environment, timeoutSeconds: Double = 60
  ) throws -> ControlDoor {
    func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    let token = controlToken ?? variable("OPENSTOREKIT_CONTROL_TOKEN")
    if let address = address.flatMap(Self.storeAddress) {
      return ControlDoor(address: address, token: token, timeoutSeconds: timeoutSeconds)
    }
    for name in ["OPENSTOREKIT_CONTROL_URL", "OPENSTOREKIT_URL"] {
      guard let text = variable(name) else { continue }
      guard let address = Self.storeAddress(text) else {
        throw CommandFailure.unusable(
          "\(name) is no address: \(text.madeVisible(limit: 200)). Set it to one such as \(Self.usualAddress).")
      }
      return ControlDoor(address: address, token: token, timeoutSeconds: timeoutSeconds)
    }
    guard let address = URL(string: Self.usualAddress) else { throw CommandFailure.unusable("No address was given.") }
    return ControlDoor(address: address, token: token, timeoutSeconds: timeoutSeconds)
  }

  /// The store's own address; `text` may also be that of its control door.
  static func storeAddress(_ text: String) -> URL? {
    var text = text
    while text.hasSuffix("/") { text.removeLast() }
    if text.hasSuffix("/control/v1") { text.removeLast("/control/v1".count) }
    guard let url = URL(string: text), ["http", "https"].contains(url.scheme?.lowercased()),
      url.host()?.isEmpty == false,
      url.query() == nil, url.fragment() == nil
    else { return nil }
    return url
  }

  /// Runs a command that asks the store. What goes wrong is said in words, or, with `--json`, as a document.
  ///
  /// - Throws: ``CommandFailure`` or `ExitCode`.
  func asking(on console: CommandConsole, _ body: (ControlDoor) async throws -> Void) async throws {
    try await console.answering(inJSON: json) {
      do {
        try await body(try door())
      } catch let failure as ControlDoorFailure {
        throw CommandFailure.refused(failure.description.madeVisible(limit: 2_000))
      }
    }
  }

  /// Removes everything at a path, and says how much it was.
  ///
  /// - Throws: ``CommandFailure`` or `ExitCode`.
  func removeAll(_ path: String, on console: CommandConsole) async throws {
    struct Removed: Decodable { let removed: Int }
    try await asking(on: console) { door in
      let answer = try await door.expect("DELETE", path, Data())
      let removed: Removed = try door.read(answer)
      try show(answer, on: console) { ["\(removed.removed) removed"] }
    }
  }

  /// Writes what the store answered: as it is with `--json`, otherwise the lines.
  func show(_ answer: Data, on console: CommandConsole, as lines: () throws -> [String]) throws {
    guard json else { return try console.write(lines: try lines()) }
    guard let document = JSONValue(parsing: answer) else {
      throw CommandFailure.refused("The store's answer is not JSON.")
    }
    try console.write(document.document)
  }
}
