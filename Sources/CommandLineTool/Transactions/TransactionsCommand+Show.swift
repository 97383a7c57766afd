import ArgumentParser
import ControlAPI
import Foundation
import StoreModel

extension TransactionsCommand {
  /// `transactions show`: shows a transaction and its timeline.
  struct Show: ConsoleCommand {
    static let configuration = CommandConfiguration(
      commandName: "show",
      abstract: "Show one transaction and its timeline.",
      discussion: """
        The id can also be that of a redelivery by StoreKit 1. Requests are shown while they are in the store's journal.
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
