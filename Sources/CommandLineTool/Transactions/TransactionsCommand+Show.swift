import ArgumentParser
import ControlAPI
import Foundation
import StoreModel

extension TransactionsCommand {
  /// `transactions show`: shows a transaction and its timeline.
  struct Show: ConsoleCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show one transaction and what happened to it.",
      discussion: """
        The id may also be one under which StoreKit 1 delivered the transaction once more. Requests are shown as long as the \
        store's journal has them.
        """)

    @Argument(help: ArgumentHelp("The transaction.", valueName: "id"), completion: StoreCompletion.transactions)
    var transaction: String

    @OptionGroup var options: ControlAPIOptions

    func validate() throws { try TransactionsCommand.check(transaction) }

    func run(on console: CommandConsole) async throws {
      let path = try TransactionsCommand.path(transaction)
      try await options.asking(on: console) { store in
        try options.show(try await store.call(ControlEndpoints.transaction, path: path), on: console) {
          TransactionReport($0).lines(on: console)
        }
      }
    }
  }
}
