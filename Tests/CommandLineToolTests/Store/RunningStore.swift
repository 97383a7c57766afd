import AppStoreEmulator
import AppStoreEmulatorServer
import ArgumentParser
import Foundation
import Logging
import ProgramSupport
import ShopFixtures
import StoreModel
import Testing

@testable import CommandLineTool

/// A store that listens on a free port, and the commands that are run against it.
struct RunningStore: Sendable {
  static let app: BundleID = "org.example.florist"
  /// A consumable of 3.50.
  static let rose: ProductID = "org.example.florist.rose"
  /// A non-consumable of 40.
  static let vase: ProductID = "org.example.florist.vase"
  /// 2026-07-01T12:00:00Z
  static let opening = StoreDate(millisecondsSince1970: 1_782_907_200_000)

  let store: EmulatedAppStore
  let address: String

  /// Runs a store with a florist's app while `body` works.
  static func open(
    controlToken: String? = nil, selling more: [ProductID] = [], notifying receiver: (any NotificationTransport)? = nil,
    _ body: (RunningStore) async throws -> Void
  ) async throws {
    let store = try await EmulatedAppStore.selling(
      ([rose] + more).map { .consumable($0.rawValue, 3_500) } + [.nonConsumable(vase.rawValue, 40_000)],
      in: app, seed: 11, clock: ManualClock(opening))
    // In place of HTTP, which the server would use.
    if let receiver { store.deliverNotifications(over: receiver) }
    let logger = Logger(label: "florist") { _ in SwiftLogNoOpLogHandler() }
    let server = try EmulatorServer(
      store: store, configuration: .init(port: 0, controlToken: controlToken), logger: logger)
    try await server.accepting(logger: logger) { port in
      try await body(RunningStore(store: store, address: "http://127.0.0.1:\(port)"))
    }
  }

  @discardableResult
  func buy(
    _ product: ProductID = RunningStore.rose, for customer: AccountName = "customer", quantity: Int = 1
  ) async throws -> String {
    try await store.purchase(product, quantity: quantity, of: Self.app, for: customer, in: .sandbox)
      .record.transactionID.rawValue
  }

  /// The result of a command.
  struct Outcome {
    let status: Int32
    /// Standard output.
    let output: String
    /// Standard error.
    let messages: String

    var lines: [String] { output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init) }
    /// The JSON document on standard output; nil unless there is exactly one.
    var json: [String: Any]? { (try? JSONSerialization.jsonObject(with: Data(output.utf8))) as? [String: Any] }
  }

  /// Runs a command against this store, in this process.
  func run(_ arguments: String..., terminal: Terminal? = nil) async throws -> Outcome {
    try await Self.run(arguments + ["--store", address], terminal: terminal)
  }

  /// Runs a command in this process.
  static func run(_ arguments: [String], terminal: Terminal? = nil) async throws -> Outcome {
    let (output, messages) = (Written(), Written())
    var console = CommandConsole(readInput: { _ in Data() }, write: { output.append($0) })
    console.terminal = terminal
    console.note = { messages.append($0 + "\n") }
    do {
      let command = try #require(try await OpenStoreKitCommand.asyncParseAsRoot(arguments) as? any ConsoleCommand)
      try await command.run(on: console)
      return Outcome(status: 0, output: output.text, messages: messages.text)
    } catch let failure as CommandFailure {
      return Outcome(status: failure.status, output: output.text, messages: messages.text + failure.message)
    } catch let code as ExitCode {
      return Outcome(status: code.rawValue, output: output.text, messages: messages.text)
    } catch {
      let isUsage = OpenStoreKitCommand.exitCode(for: error) == .validationFailure
      return Outcome(
        status: isUsage ? 2 : -1, output: output.text,
        messages: messages.text + OpenStoreKitCommand.fullMessage(for: error))
    }
  }

  private final class Written: Sendable {
    private let pieces = LockedValue("")

    var text: String { pieces.value }
    func append(_ piece: String) { pieces.withLock { $0 += piece } }
  }
}
