import AppStoreEmulator
import ArgumentParser
import ControlAPI
import StoreModel

/// `openstorekit customers`: works with the customers of a running store.
struct CustomersCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "customers",
    abstract: "List, add, change and remove the customers of a running store.",
    discussion: "A customer is an account of one environment, with a name and a payment method.",
    subcommands: [List.self, Add.self, Change.self, Remove.self], defaultSubcommand: List.self)

  struct List: ConsoleCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List all customers, by environment and name.")

    @OptionGroup var options: ControlAPIOptions

    func run(on console: CommandConsole) async throws {
      try await options.asking(on: console) { store in
        let answer = try await store.callAllPages(ControlEndpoints.customers)
        try options.show(answer, on: console) { console.lines(of: TextTable($0.customers)) }
        if !options.json, answer.value.customers.isEmpty { console.note("No customers.") }
      }
    }
  }

  struct Add: ConsoleCommand {
    static let configuration = CommandConfiguration(commandName: "add", abstract: "Add a customer.")

    @OptionGroup var customer: CustomerArguments

    @OptionGroup var properties: CustomerProperties

    @OptionGroup var options: ControlAPIOptions

    func run(on console: CommandConsole) async throws {
      let body = properties.customer(customer)
      try await options.asking(on: console) { store in
        let answer = try await store.call(ControlEndpoints.addCustomer, body: CustomerView(body))
        try options.show(answer, on: console) { console.lines(of: TextTable([$0])) }
      }
    }
  }

  struct Change: ConsoleCommand {
    static let configuration = CommandConfiguration(
      commandName: "change",
      abstract: "Change the given properties of a customer.",
      discussion: "An empty --password or --family removes it.")

    @OptionGroup var customer: CustomerArguments

    @OptionGroup var properties: CustomerProperties

    @OptionGroup var options: ControlAPIOptions

    func validate() throws {
      if properties.isEmpty {
        throw ValidationError(
          "Nothing to change: give --password, --storefront, --payment-method, --ask-to-buy or --family.")
      }
    }

    func run(on console: CommandConsole) async throws {
      try await options.asking(on: console) { store in
        let answer = try await store.call(
          ControlEndpoints.changeCustomer, path: customer.path, body: properties.change)
        try options.show(answer, on: console) { console.lines(of: TextTable([$0])) }
      }
    }
  }

  struct Remove: ConsoleCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove",
      abstract: "Remove a customer that no purchase, charge or payment refers to.")

    @OptionGroup var customer: CustomerArguments

    @OptionGroup var options: ControlAPIOptions

    func run(on console: CommandConsole) async throws {
      try await options.asking(on: console) { store in
        let answer = try await store.call(ControlEndpoints.removeCustomer, path: customer.path)
        try options.show(answer, on: console) { ["\($0.name.rawValue.madeVisible(limit: 300)) was removed"] }
      }
    }
  }
}

extension TextTable {
  fileprivate init(_ customers: [CustomerView]) {
    self.init(
      columns: [
        .init(heading: "customer"), .init(heading: "environment"), .init(heading: "storefront"),
        .init(heading: "payment method", style: { $0 == "valid" ? .good : .bad }), .init(heading: "asks to buy"),
        .init(heading: "family"), .init(heading: "password"),
      ],
      rows: customers.map {
        [
          $0.name.rawValue.visibleIdentifier, $0.environment.rawValue,
          ($0.storefront ?? "").madeVisible(limit: 10),
          ($0.paymentMethod ?? .valid).rawValue, $0.needsApproval == true ? "yes" : "",
          ($0.family ?? "").visibleIdentifier, $0.password == nil ? "" : "yes",
        ]
      })
  }
}
