import ArgumentParser

/// `openstorekit transactions`: the books of a store that runs.
struct TransactionsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "transactions",
    abstract: "List, show, prove, buy and refund what was bought in a running store.",
    discussion: "Exit status: 0 done, 1 the store refuses or is not there, 2 wrong usage.",
    subcommands: [List.self, Show.self, Proof.self, Buy.self, Refund.self, ReverseRefund.self],
    defaultSubcommand: List.self)

  /// - Throws: `ValidationError` where `text` is no transaction id.
  static func check(_ text: String) throws {
    guard !text.isEmpty, text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) else {
      throw ValidationError("\(text.madeVisible(limit: 100)) is no transaction id; those are decimal digits.")
    }
  }
}

/// What can be chosen where a store has two environments.
enum EnvironmentArgument: String, ExpressibleByArgument, CaseIterable {
  case sandbox, production

  /// As bodies of requests name it.
  var name: String { rawValue.capitalized }
}
