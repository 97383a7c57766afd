import ArgumentParser
import ControlAPI
import ProgramSupport
import StoreModel

/// `openstorekit approvals`: works with the payments that wait for approval (Ask to Buy).
struct ApprovalsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "approvals",
    abstract: "List, approve and decline the payments that wait for approval (Ask to Buy).",
    discussion: "A payment that is not decided within 24 hours of the store's clock is declined.",
    subcommands: [List.self, Approve.self, Decline.self], defaultSubcommand: List.self)

  struct List: ConsoleCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List the payments that wait, the next to expire first.")

    @OptionGroup var options: ControlAPIOptions

    func run(on console: CommandConsole) async throws {
      try await options.asking(on: console) { store in
        let answer = try await store.callAllPages(ControlEndpoints.approvals)
        try options.show(answer, on: console) { console.lines(of: TextTable($0.approvals)) }
        if !options.json, answer.value.approvals.isEmpty { console.note("No payment waits for approval.") }
      }
    }
  }

  struct Approve: ConsoleCommand {
    static let configuration = CommandConfiguration(
      commandName: "approve",
      abstract: "Approve a payment: the customer is charged, and the device is notified.")

    @OptionGroup var payment: PaymentArguments

    @OptionGroup var options: ControlAPIOptions

    func run(on console: CommandConsole) async throws { try await payment.decide(.approve, options, on: console) }
  }

  struct Decline: ConsoleCommand {
    static let configuration = CommandConfiguration(
      commandName: "decline",
      abstract: "Decline a payment: nothing is charged, and the device is notified.")

    @OptionGroup var payment: PaymentArguments

    @OptionGroup var options: ControlAPIOptions

    func run(on console: CommandConsole) async throws { try await payment.decide(.decline, options, on: console) }
  }

  /// The arguments that identify a payment that waits.
  struct PaymentArguments: ParsableArguments {
    @Argument(help: "The payment.", transform: NameArgument.notEmpty)
    var payment: String

    @Option(
      help: ArgumentHelp("The installation that made it; optional if the payment's id is unique.", valueName: "id"),
      completion: StoreCompletion.installations, transform: NameArgument.notEmpty)
    var installation: String?

    func decide(
      _ decision: ApprovalDecision.Decision, _ options: ControlAPIOptions, on console: CommandConsole
    ) async throws {
      try await options.asking(on: console) { store in
        let path = PaymentPath(PaymentID(payment), on: try await madeOn(store))
        let answer = try await store.call(
          ControlEndpoints.decideApproval, path: path, body: ApprovalDecision(decision: decision))
        try options.show(answer, on: console) { outcome in
          guard let transaction = outcome.transaction else { return ["nothing was charged"] }
          return ["\(transaction.transactionId): \(transaction.price.text(in: transaction.currency)) was charged"]
        }
      }
    }

    /// The installation given by `--installation`; otherwise the only one on which a payment with this id waits.
    private func madeOn(_ store: ControlAPIClient) async throws -> InstallationID {
      if let installation { return InstallationID(installation) }
      let id = PaymentID(payment)
      let waiting = try await store.callAllPages(ControlEndpoints.approvals).value.approvals.filter {
        $0.paymentId == id
      }
      let shown = payment.madeVisible(limit: 200)
      guard let first = waiting.first else {
        throw CommandFailure.refused(
          "No payment \(shown) waits for approval. openstorekit approvals lists those that do.")
      }
      guard waiting.count == 1 else {
        throw CommandFailure.refused("\(waiting.count) installations have a payment \(shown). Add --installation.")
      }
      return first.installationId
    }
  }
}

extension TextTable {
  fileprivate init(_ approvals: [ApprovalView]) {
    self.init(
      columns: [
        .init(heading: "payment"), .init(heading: "date"), .init(heading: "customer"),
        .init(heading: "product"), .init(heading: "quantity", isNumber: true),
        .init(heading: "total", isNumber: true), .init(heading: "installation"),
      ],
      rows: approvals.map {
        [
          $0.paymentId.rawValue.visibleIdentifier, $0.date.readable, $0.customer.rawValue.visibleIdentifier,
          $0.productId.rawValue.visibleIdentifier, String($0.quantity), $0.total.text(in: $0.currency),
          $0.installationId.rawValue.visibleIdentifier,
        ]
      })
  }
}
