import ArgumentParser
import Foundation

extension TransactionsCommand {
  /// `transactions show`: one, and what happened to it.
  struct Show: ConsoleCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show one transaction and what happened to it.",
      discussion: """
        The id may also be one under which StoreKit 1 delivered the transaction once more. Requests are shown as long as the \
        store's journal has them.
        """)

    @Argument(help: ArgumentHelp("The transaction.", valueName: "id"), completion: StoreCompletion.transactions)
    var transaction: String

    @OptionGroup var options: ControlDoorOptions

    func validate() throws { try TransactionsCommand.check(transaction) }

    func run(on console: CommandConsole) async throws {
      try await options.asking(on: console) { door in
        let answer = try await door.expect("GET", ControlPath.to("transactions", transaction), nil)
        let details: ControlDoor.TransactionDetails = try door.read(answer)
        try options.show(answer, on: console) { TransactionReport(details).lines(on: console) }
      }
    }
  }
}
