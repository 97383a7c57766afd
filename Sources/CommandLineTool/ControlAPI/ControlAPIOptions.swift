import APIDescription
import ArgumentParser
import ControlAPI
import Foundation
import HTTPTransport
import ProgramSupport

/// The options of every command that uses the control API of a running store.
struct ControlAPIOptions: ParsableArguments {
  @Option(
    name: .customLong("store"),
    help: ArgumentHelp(
      "The store's address. Default: OPENSTOREKIT_CONTROL_URL or OPENSTOREKIT_URL of the environment, or \(Self.usualAddress).",
      valueName: "url"),
    completion: .list([Self.usualAddress]))
  var address: String?

  @Option(
    help: ArgumentHelp(
      "The store's control token. Default: OPENSTOREKIT_CONTROL_TOKEN of the environment.",
      valueName: "token"))
  var controlToken: String?

  @Flag(help: "Print the store's response, one JSON document.")
  var json = false

  static let usualAddress = "http://127.0.0.1:8080"

  func validate() throws {
    if let address, Self.storeAddress(address) == nil { throw ValidationError(Self.noAddress(address)) }
  }

  /// Returns a client of the store whose address is given by the options or the environment.
  ///
  /// - Throws: ``CommandFailure``, which contains the name of the environment variable whose value is not an address.
  func client(
    environment: [String: String] = ProcessInfo.processInfo.environment, timeoutSeconds: Double = 60
  ) throws -> ControlAPIClient {
    let token = Self.token(controlToken, environment)
    let transport = SystemTransport.program(timeoutSeconds: timeoutSeconds)
    if let address = address.flatMap(Self.storeAddress) {
      return ControlAPIClient(address: address, token: token, transport: transport)
    }
    for name in ["OPENSTOREKIT_CONTROL_URL", "OPENSTOREKIT_URL"] {
      guard let text = Self.variable(name, environment) else { continue }
      guard let address = Self.storeAddress(text) else {
        throw CommandFailure.unusable(
          "\(name) is no address: \(text.madeVisible(limit: 200)). Set it to one such as \(Self.usualAddress).")
      }
      return ControlAPIClient(address: address, token: token, transport: transport)
    }
    guard let address = URL(string: Self.usualAddress) else { throw CommandFailure.unusable("No address was given.") }
    return ControlAPIClient(address: address, token: token, transport: transport)
  }

  /// Returns the control token: `given` if it is not nil, otherwise the token in the environment.
  static func token(
    _ given: String?, _ environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> String? {
    given ?? variable("OPENSTOREKIT_CONTROL_TOKEN", environment)
  }

  private static func variable(_ name: String, _ environment: [String: String]) -> String? {
    environment[name].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The error for a value of `--store` that is not an address.
  static func noAddress(_ text: String) -> String {
    "--store wants an address such as \(usualAddress); it is \(text.madeVisible(limit: 200))."
  }

  /// Returns the store's address; nil if `text` is not one. `text` may also be the address of the store's control API.
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

  /// Runs a command that calls the store. Errors are reported as text or, with `--json`, as a document.
  ///
  /// - Throws: ``CommandFailure`` or `ExitCode`.
  func asking(on console: CommandConsole, _ body: (ControlAPIClient) async throws -> Void) async throws {
    try await console.answering(inJSON: json) {
      do {
        try await body(try client())
      } catch let failure as ControlAPIError {
        throw CommandFailure.refused(failure.description.madeVisible(limit: 2_000))
      }
    }
  }

  /// Calls an endpoint that removes all objects of a kind, and shows the number of removed objects.
  ///
  /// - Throws: ``CommandFailure`` or `ExitCode`.
  func removeAll(
    _ endpoint: Endpoint<NoMembers, NoMembers, NoMembers, RemovedCount>, on console: CommandConsole
  ) async throws {
    try await asking(on: console) { store in
      try show(try await store.call(endpoint), on: console) { ["\($0.removed) removed"] }
    }
  }

  /// Writes an answer: the JSON document with `--json`, otherwise the lines.
  func show<Value>(
    _ answer: ControlAPIClient.Answer<Value>, on console: CommandConsole, as lines: (Value) throws -> [String]
  ) throws {
    guard json else { return try console.write(lines: try lines(answer.value)) }
    guard let document = JSONValue(parsing: answer.document) else {
      throw CommandFailure.refused("The store's response is not JSON.")
    }
    try console.write(document.document)
  }
}
