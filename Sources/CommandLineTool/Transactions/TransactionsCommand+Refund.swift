import ArgumentParser
import Foundation

extension TransactionsCommand {
  /// `transactions refund`: gives the money back.
  struct Refund: ConsoleCommand {
    static let configuration = CommandConfiguration(
      abstract: "Give the money back and take back what was bought. Devices are told.",
      discussion: "Of several transactions the first that cannot be refunded ends it; those before it are refunded.")

    enum Reason: String, ExpressibleByArgument, CaseIterable {
      case appIssue = "app-issue"
      case other

      /// As signed transactions say it.
      var code: Int { self == .appIssue ? 1 : 0 }
    }

    @Argument(help: ArgumentHelp("The transactions.", valueName: "id"), completion: StoreCompletion.transactions)
    var transactions: [String]

    @Option(help: "What the customer said.")
    var reason: Reason = .other

    @Option(help: ArgumentHelp("The share of the price to give back, up to 100.", valueName: "number"))
    var percent: Double = 100

    @OptionGroup var options: ControlDoorOptions

    private struct Order: Encodable {
      let reason: Int
      /// In thousandths of a percent.
      let percentage: Int
    }

    func validate() throws {
      try transactions.forEach(TransactionsCommand.check)
      if !(0.001...100).contains(percent) { throw ValidationError("--percent is above 0 and at most 100.") }
    }

    func run(on console: CommandConsole) async throws {
      let order = Order(reason: reason.code, percentage: Int((percent * 1_000).rounded()))
      try await TransactionsCommand.change(transactions, "POST", try JSONEncoder().encode(order), options, on: console)
      {
        "\($0): refunded"
      }
    }
  }

  /// `transactions reverse-refund`: named as the store's own notification of it, REFUND_REVERSED.
  struct ReverseRefund: ConsoleCommand {
    static let configuration = CommandConfiguration(
      abstract: "Take a refund back: the customer pays after all, and has what was bought again.")

    @Argument(help: ArgumentHelp("The transactions.", valueName: "id"), completion: StoreCompletion.transactions)
    var transactions: [String]

    @OptionGroup var options: ControlDoorOptions

    func validate() throws { try transactions.forEach(TransactionsCommand.check) }

    func run(on console: CommandConsole) async throws {
      try await TransactionsCommand.change(transactions, "DELETE", Data(), options, on: console) {
        "\($0): the refund was taken back"
      }
    }
  }

  /// Changes the refund of each, and shows them as they are then: one as it is, several as a list.
  private static func change(
    _ transactions: [String], _ method: String, _ body: Data, _ options: ControlDoorOptions, on console: CommandConsole,
    words: (String) -> String
  ) async throws {
    try await options.asking(on: console) { door in
      var documents: [JSONValue] = []
      for transaction in transactions {
        let answer: Data
        do {
          answer = try await door.expect(method, ControlPath.to("transactions", transaction, "refund"), body)
        } catch let failure as ControlDoorFailure where !documents.isEmpty {
          let done = transactions.prefix(documents.count).joined(separator: ", ")
          throw CommandFailure.refused("\(failure.description.madeVisible(limit: 2_000)) Done before it: \(done).")
        }
        documents.append(JSONValue(parsing: answer) ?? .null)
        if !options.json { try console.write(lines: [words(transaction)]) }
      }
      guard options.json else { return }
      try console.write(
        (documents.count == 1 ? documents[0] : .object(["transactions": .array(documents)])).document)
    }
  }
}
