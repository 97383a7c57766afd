import ArgumentParser
import ControlAPI
import Foundation
import ProgramSupport
import StoreModel

extension TransactionsCommand {
  /// `transactions refund`: refunds transactions.
  struct Refund: ConsoleCommand {
    static let configuration = CommandConfiguration(
      commandName: "refund",
      abstract: "Refund a transaction and revoke its product. Devices are notified.",
      discussion: "Stops at the first transaction that cannot be refunded. Transactions before it are refunded.")

    enum Reason: String, ExpressibleByArgument, CaseIterable {
      case appIssue = "app-issue"
      case other

      var revocationReason: RevocationReason { self == .appIssue ? .issueWithApp : .other }
    }

    @Argument(help: ArgumentHelp("The transactions.", valueName: "id"), completion: StoreCompletion.transactions)
    var transactions: [String]

    @Option(help: "The reason that the customer gave.")
    var reason: Reason = .other

    @Option(help: ArgumentHelp("The refunded percentage of the price, up to 100.", valueName: "number"))
    var percent: Double = 100

    @OptionGroup var options: ControlAPIOptions

    func validate() throws {
      try transactions.forEach(TransactionsCommand.check)
      if !(0.001...100).contains(percent) { throw ValidationError("--percent is above 0 and at most 100.") }
    }

    func run(on console: CommandConsole) async throws {
      let body = RefundRequest(
        reason: reason.revocationReason, percentage: Int((percent * 1_000).rounded()))
      try await TransactionsCommand.change(transactions, options, on: console, message: { "\($0): refunded" }) {
        try await $0.call(ControlEndpoints.refund, path: $1, body: body)
      }
    }
  }

  /// `transactions reverse-refund`: reverses refunds. Apple's notification of a reversal is REFUND_REVERSED.
  struct ReverseRefund: ConsoleCommand {
    static let configuration = CommandConfiguration(
      commandName: "reverse-refund",
      abstract: "Reverse refunds: the customer is charged again, and owns the product again.")

    @Argument(help: ArgumentHelp("The transactions.", valueName: "id"), completion: StoreCompletion.transactions)
    var transactions: [String]

    @OptionGroup var options: ControlAPIOptions

    func validate() throws { try transactions.forEach(TransactionsCommand.check) }

    func run(on console: CommandConsole) async throws {
      try await TransactionsCommand.change(transactions, options, on: console, message: { "\($0): refund reversed" }) {
        try await $0.call(ControlEndpoints.reverseRefund, path: $1)
      }
    }
  }

  /// Changes each transaction with `call` and shows the results. With `--json`, one transaction is printed as it is,
  /// several as a list.
  private static func change(
    _ transactions: [String], _ options: ControlAPIOptions, on console: CommandConsole, message: (String) -> String,
    call: (ControlAPIClient, TransactionPath) async throws -> ControlAPIClient.Answer<TransactionView>
  ) async throws {
    try await options.asking(on: console) { store in
      var documents: [JSONValue] = []
      for transaction in transactions {
        let answer: ControlAPIClient.Answer<TransactionView>
        do {
          answer = try await call(store, try path(transaction))
        } catch let failure as ControlAPIError where !documents.isEmpty {
          let done = transactions.prefix(documents.count).joined(separator: ", ")
          throw CommandFailure.refused("\(failure.description.madeVisible(limit: 2_000)) Done before it: \(done).")
        }
        documents.append(JSONValue(parsing: answer.document) ?? .null)
        if !options.json { try console.write(lines: [message(transaction)]) }
      }
      guard options.json else { return }
      try console.write(
        (documents.count == 1 ? documents[0] : .object(["transactions": .array(documents)])).document)
    }
  }
}
