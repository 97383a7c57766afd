import AppStoreEmulator
import ArgumentParser
import ControlAPI
import Foundation
import StoreModel

/// `openstorekit requests`: lists the requests that devices and purchase servers made to a running store.
struct RequestsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "requests",
    abstract: "List the requests to a running store, and their results.",
    discussion: "The store keeps the newest 10,000 requests in memory, without passwords and receipts.",
    subcommands: [List.self, Clear.self], defaultSubcommand: List.self)

  struct List: ConsoleCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "List requests, newest first.",
      discussion: "With --follow, the oldest is first, and new ones come at the end.")

    @Option(help: "Only these requests.", completion: .list(RequestKind.allCases.map(\.rawValue)))
    var call: String?

    @Option(help: "Only requests with this result.", completion: .list(RequestOutcome.Name.allCases.map(\.rawValue)))
    var outcome: String?

    @Option(
      help: ArgumentHelp("Only those of this customer.", valueName: "name"), completion: StoreCompletion.customers,
      transform: NameArgument.notEmpty)
    var customer: String?

    @Option(
      help: ArgumentHelp("Only those of this installation.", valueName: "id"),
      completion: StoreCompletion.installations, transform: NameArgument.notEmpty)
    var installation: String?

    @Option(
      help: ArgumentHelp("Only those about this product.", valueName: "id"), completion: StoreCompletion.products,
      transform: NameArgument.notEmpty)
    var product: String?

    @Option(help: ArgumentHelp("Only those about this payment.", valueName: "id"), transform: NameArgument.notEmpty)
    var payment: String?

    @Option(
      help: ArgumentHelp("Only requests that this fault was applied to.", valueName: "id"),
      completion: StoreCompletion.faults,
      transform: NameArgument.notEmpty)
    var fault: String?

    @Option(help: ArgumentHelp("Only requests after the one with this number.", valueName: "number"))
    var after: Int64?

    @OptionGroup var limit: ListLimit

    @Flag(help: "Go on listing new requests until the command is ended, one line each.")
    var follow = false

    @OptionGroup var options: ControlAPIOptions

    func validate() throws {
      if follow, options.json { throw ValidationError("--follow prints lines, so it cannot be combined with --json.") }
      if let after, after < 0 { throw ValidationError("--after is the number of a request.") }
      try ListedValue.check("--call", call, RequestKind.allCases.map(\.rawValue))
      try ListedValue.check("--outcome", outcome, RequestOutcome.Name.allCases.map(\.rawValue))
    }

    private var query: RequestQuery {
      var query = RequestQuery()
      query.call = call.flatMap(RequestKind.init)
      query.outcome = outcome.flatMap(RequestOutcome.Name.init)
      query.customer = customer.map(AccountName.init)
      query.installationId = installation.map(InstallationID.init)
      query.productId = product.map(ProductID.init)
      query.paymentId = payment.map(PaymentID.init)
      query.faultId = fault.map(FaultID.init)
      query.after = after
      query.limit = limit.count
      return query
    }

    func run(on console: CommandConsole) async throws {
      try await options.asking(on: console) { store in
        if follow { return try await follow(store, on: console) }
        let answer = try await store.call(ControlEndpoints.requests, query: query)
        try options.show(answer, on: console) { console.lines(of: .init($0.requests.reversed())) }
        if !options.json, answer.value.requests.isEmpty { console.note("No requests.") }
      }
    }

    /// Prints the listed requests, and then new ones until the task is cancelled.
    private func follow(_ store: ControlAPIClient, on console: CommandConsole) async throws {
      var query = query
      while true {
        let journal = try await store.call(ControlEndpoints.requests, query: query).value
        try console.write(lines: journal.requests.map(RequestText.line))
        // Uses the number of the last listed request, not `journal.last`. If a request arrives after the list was made,
        // `journal.last` may include it, and the request would be skipped.
        query.after = journal.requests.last?.sequence ?? query.after
        // Only the first call has the limit of `--limit`. More requests may arrive between two calls.
        query.limit = 10_000
        try await Task.sleep(for: .milliseconds(500))
      }
    }
  }

  struct Clear: ConsoleCommand {
    static let configuration = CommandConfiguration(
      commandName: "clear", abstract: "Empty the store's journal of requests.")

    @OptionGroup var options: ControlAPIOptions

    func run(on console: CommandConsole) async throws {
      try await options.removeAll(ControlEndpoints.removeRequests, on: console)
    }
  }
}

extension TextTable {
  /// A table of requests, one row each. Untrusted text is escaped.
  init(_ requests: [RequestView]) {
    func shown(_ text: String?) -> String { (text ?? "").visibleIdentifier }
    self.init(
      columns: [
        .init(heading: "number", isNumber: true), .init(heading: "date"), .init(heading: "call"),
        .init(heading: "end", style: { TextStyle.ofEnd($0) }), .init(heading: "fault", style: { _ in .waiting }),
        .init(heading: "customer"), .init(heading: "installation"), .init(heading: "about"),
      ],
      rows: requests.map { request in
        [
          String(request.sequence), request.date.readable, shown(request.call.rawValue), RequestText.end(request),
          request.fault.map { "\(shown($0.id.rawValue)) (\(shown($0.kind)))" } ?? "", shown(request.customer?.rawValue),
          shown(request.installationId?.rawValue),
          RequestText.about(request),
        ]
      })
  }
}

extension TextStyle {
  fileprivate static func ofEnd(_ end: String) -> TextStyle? {
    switch end {
    case "answered": .good
    case "under way", "got no answer": .waiting
    default: .bad
    }
  }
}
