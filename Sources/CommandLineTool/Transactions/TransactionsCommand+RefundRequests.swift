import AppStoreEmulator
import AppStoreServerAPI
import ArgumentParser
import ControlAPI
import StoreModel

extension TransactionsCommand {
  /// `transactions refund-request`: works with refunds that customers ask for.
  struct RefundRequests: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "refund-request",
      abstract: "Ask for a refund as the customer, list the requests, or decide one.",
      discussion:
        "A request asks the developer's server for information (CONSUMPTION_REQUEST). The list shows what it told.",
      subcommands: [List.self, Ask.self, Decide.self])

    struct List: ConsoleCommand {
      static let configuration = CommandConfiguration(commandName: "list", abstract: "List a transaction's requests.")

      @OptionGroup var subject: Subject
      @OptionGroup var options: ControlAPIOptions

      func run(on console: CommandConsole) async throws {
        try await options.asking(on: console) { store in
          let answer = try await store.call(ControlEndpoints.refundRequests, path: try subject.path)
          try options.show(answer, on: console) { $0.refundRequests.flatMap(RefundRequests.lines) }
          if !options.json, answer.value.refundRequests.isEmpty { console.note("No refund was asked for.") }
        }
      }
    }

    struct Ask: ConsoleCommand {
      static let configuration = CommandConfiguration(
        commandName: "ask", abstract: "Ask for a refund, as the customer. Nothing is refunded yet.")

      enum Reason: String, ExpressibleByArgument, CaseIterable {
        case unintendedPurchase = "unintended-purchase"
        case fulfillmentIssue = "fulfillment-issue"
        case unsatisfied
        case legal, other

        var reason: ConsumptionRequestReason {
          switch self {
          case .unintendedPurchase: .unintendedPurchase
          case .fulfillmentIssue: .fulfillmentIssue
          case .unsatisfied: .unsatisfiedWithPurchase
          case .legal: .legal
          case .other: .other
          }
        }
      }

      @OptionGroup var subject: Subject

      @Option(help: "The customer's reason.")
      var reason: Reason = .other

      @OptionGroup var options: ControlAPIOptions

      func run(on console: CommandConsole) async throws {
        try await options.asking(on: console) { store in
          let answer = try await store.call(
            ControlEndpoints.requestRefund, path: try subject.path, body: RefundAsked(reason: reason.reason))
          try options.show(answer, on: console, as: RefundRequests.lines)
        }
      }
    }

    struct Decide: ConsoleCommand {
      static let configuration = CommandConfiguration(
        commandName: "decide", abstract: "Decide a request: refund the transaction, or decline.")

      enum Outcome: String, ExpressibleByArgument, CaseIterable {
        case full, prorated, declined

        var outcome: RequestedRefund.Outcome {
          switch self {
          case .full: .full
          case .prorated: .prorated
          case .declined: .declined
          }
        }
      }

      @OptionGroup var subject: Subject

      @Argument(help: "The number of the request.")
      var request: Int64

      @Argument(help: "The decision.")
      var outcome: Outcome

      @Option(help: ArgumentHelp("The refunded percentage of the price, with prorated.", valueName: "number"))
      var percent: Double?

      @OptionGroup var options: ControlAPIOptions

      func validate() throws {
        guard (outcome == .prorated) == (percent != nil) else {
          throw ValidationError("--percent belongs to prorated, and only to that.")
        }
        if let percent, !(0.001...99.999).contains(percent) {
          throw ValidationError("--percent is above 0 and below 100.")
        }
      }

      func run(on console: CommandConsole) async throws {
        try await options.asking(on: console) { store in
          let answer = try await store.call(
            ControlEndpoints.decideRefundRequest, path: RefundRequestPath(request, of: try subject.path.transactionId),
            body: RefundDecision(
              outcome: outcome.outcome, percentage: percent.map { Int(($0 * 1_000).rounded()) }))
          try options.show(answer, on: console, as: RefundRequests.lines)
        }
      }
    }

    /// The transaction.
    struct Subject: ParsableArguments {
      @Argument(help: ArgumentHelp("The transaction.", valueName: "id"), completion: StoreCompletion.transactions)
      var transaction: String

      var path: TransactionPath { get throws { try TransactionsCommand.path(transaction) } }

      func validate() throws { try TransactionsCommand.check(transaction) }
    }

    private static func lines(_ request: RefundRequestView) -> [String] {
      let outcome =
        switch request.outcome {
        case .full: "refunded"
        case .prorated: "refunded in part: \(Double(request.percentage ?? 0) / 1_000) percent"
        case .declined: "declined"
        case nil: "waits for a decision"
        }
      let told = request.consumptionInformation.map {
        ["   the server told on \($0.date.readable): \($0.content.madeVisible(limit: 2_000))"]
      }
      return ["\(request.id)  \(request.date.readable)  \(request.reason.rawValue)  \(outcome)"] + (told ?? [])
    }
  }
}
