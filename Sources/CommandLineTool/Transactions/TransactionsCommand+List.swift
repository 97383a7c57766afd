import AppStoreEmulator
import ArgumentParser
import ControlAPI
import Foundation
import StoreModel

extension TransactionsCommand {
  /// `transactions list`: lists transactions, newest first.
  struct List: ConsoleCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "List and search transactions, newest first.",
      discussion: """
        --search finds text anywhere in the transaction's ids, product id, customer, application username or app account \
        token, upper or lower case.
        """)

    @Option(
      help: ArgumentHelp("Only transactions that contain this text.", valueName: "text"),
      transform: NameArgument.notEmpty)
    var search: String?

    @Option(help: "Only those of this product.", completion: StoreCompletion.products, transform: NameArgument.notEmpty)
    var product: String?

    @Option(
      help: ArgumentHelp("Only those of this customer.", valueName: "name"), completion: StoreCompletion.customers,
      transform: NameArgument.notEmpty)
    var customer: String?

    @Option(help: "Only transactions with this status.")
    var state: TransactionState?

    @Option(help: "Only those of one environment.")
    var environment: EnvironmentArgument?

    @Option(help: ArgumentHelp("Only those of this app.", valueName: "id"), transform: NameArgument.notEmpty)
    var bundleID: String?

    @OptionGroup var limit: ListLimit

    @Option(help: ArgumentHelp("Continue a list: the number that it printed at its end.", valueName: "number"))
    var before: Int64?

    @Flag(help: "List all transactions.")
    var all = false

    @OptionGroup var options: ControlAPIOptions

    func validate() throws {
      if all, limit.limit != nil || before != nil { throw ValidationError("--all goes without --limit and --before.") }
      if let before, before < 0 { throw ValidationError("--before is the number that a list printed at its end.") }
    }

    func run(on console: CommandConsole) async throws {
      try await options.asking(on: console) { store in
        if all || limit.count > Self.pageLimit { return try await listPages(of: store, on: console) }
        let answer = try await store.call(
          ControlEndpoints.transactions, query: query(limit: limit.count, before: before))
        try options.show(answer, on: console) { console.lines(of: .init($0.transactions)) }
        if !options.json { note(answer.value, shown: answer.value.transactions.count, on: console) }
      }
    }

    private func query(limit: Int, before: Int64?) -> TransactionQuery {
      var query = TransactionQuery()
      query.withTotal = true
      query.records.search = search
      query.records.productId = product.map(ProductID.init)
      query.records.customer = customer.map(AccountName.init)
      query.records.state = state
      query.records.environment = environment.map { EnvironmentName($0.environment) }
      query.records.bundleId = bundleID.map(BundleID.init)
      query.records.limit = limit
      query.records.before = before
      return query
    }

    private func note(_ list: TransactionListView, shown: Int, on console: CommandConsole) {
      guard let total = list.total, shown > 0 else { return console.note("No transactions.") }
      if let next = list.next {
        console.note("\(shown) of \(total). For older ones: --before \(next); for all: --all")
      }
    }

    /// The maximum number of transactions in one answer of the store.
    private static let pageLimit = 1_000

    /// Fetches as many pages as the options ask for, and prints them as one document or one table.
    private func listPages(of store: ControlAPIClient, on console: CommandConsole) async throws {
      var pages = TransactionPages(isJSON: options.json)
      var before = before
      var wanted = all ? Int.max : limit.count
      // The progress text is removed whenever this function ends, also after an error.
      var isShown = false
      defer { if isShown { console.showProgress?("") } }
      while true {
        let answer = try await store.call(
          ControlEndpoints.transactions, query: query(limit: min(wanted, Self.pageLimit), before: before))
        try pages.add(answer)
        wanted -= answer.value.transactions.count
        guard let next = answer.value.next, wanted > 0 else { break }
        before = next
        isShown = true
        console.showProgress?("\(pages.count) of \(answer.value.total ?? 0) transactions…")
      }
      if isShown { console.showProgress?("") }
      isShown = false
      guard !options.json else { return try console.write(pages.document.document) }
      try console.write(lines: console.lines(of: .init(pages.transactions)))
      if let last = pages.last { note(last, shown: pages.count, on: console) }
    }
  }
}

extension TransactionState: ExpressibleByArgument {}

extension TextTable {
  /// A table of transactions, one row each. The app and environment are shown only if there are several.
  init(_ transactions: [TransactionView]) {
    let manyApps = Set(transactions.map(\.bundleId)).count > 1
    let manyEnvironments = Set(transactions.map(\.environment)).count > 1
    self.init(
      columns: [
        .init(heading: "transaction"), .init(heading: "bought"), .init(heading: "product"),
        .init(heading: "quantity", isNumber: true), .init(heading: "customer"),
        .init(heading: "price", isNumber: true),
        .init(heading: "state", style: { TextStyle.ofState($0) }), .init(heading: "environment"),
        .init(heading: "app"),
      ],
      rows: transactions.map { transaction in
        [
          transaction.transactionId.rawValue, transaction.purchaseDate.readable,
          transaction.productId.rawValue.visibleIdentifier,
          transaction.quantity == 1 ? "" : String(transaction.quantity),
          transaction.customer.rawValue.visibleIdentifier, transaction.price.text(in: transaction.currency),
          transaction.state.rawValue,
          manyEnvironments ? transaction.environment.rawValue : "",
          manyApps ? transaction.bundleId.rawValue.visibleIdentifier : "",
        ]
      })
  }
}

extension TextStyle {
  static func ofState(_ state: String) -> TextStyle? {
    switch state {
    case "unfinished": .waiting
    case "finished": .good
    case "refunded": .bad
    default: nil
    }
  }
}
