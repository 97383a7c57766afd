import ArgumentParser
import ControlAPI
import StoreModel

/// `openstorekit transactions`: works with the transactions of a running store.
struct TransactionsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "transactions",
    abstract: "List, show, prove, buy and refund transactions of a running store.",
    discussion: "Exit status: 0 done, 1 the store refuses or is unreachable, 2 wrong usage.",
    subcommands: [List.self, Show.self, Proof.self, Buy.self, Refund.self, ReverseRefund.self, RefundRequests.self],
    defaultSubcommand: List.self)

  /// Checks a transaction id.
  ///
  /// - Throws: `ValidationError` if `text` is not a transaction id.
  static func check(_ text: String) throws { _ = try path(text) }

  /// Returns the path of a transaction in the control API.
  ///
  /// - Throws: `ValidationError` if `text` is not a transaction id.
  static func path(_ text: String) throws -> TransactionPath {
    guard let id = TransactionID(rawValue: text) else {
      throw ValidationError("\(text.madeVisible(limit: 100)) is not a transaction id, which has only decimal digits.")
    }
    return TransactionPath(id)
  }
}

/// The value of the option `--environment`.
enum EnvironmentArgument: String, ExpressibleByArgument, CaseIterable {
  case sandbox, production

  var environment: StoreEnvironment { self == .sandbox ? .sandbox : .production }

  /// The name in request bodies.
  var name: String { environment.rawValue }
}
