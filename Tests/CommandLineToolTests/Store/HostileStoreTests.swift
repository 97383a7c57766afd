import AppStoreEmulator
import Foundation
import ProgramSupport
import SharedFixtures
import StoreModel
import Testing

@testable import CommandLineTool

@Suite("Hostile names in the store of the command line", .timeLimit(.minutes(30)))
struct HostileStoreTests {
  /// An argument that begins with a hyphen would be parsed as an option.
  private static let names =
    HostileText.all.filter { !$0.hasPrefix("-") } + [String(repeating: "長", count: 10_000)]

  /// A store in which every name is hostile.
  private func open(_ body: (RunningStore) async throws -> Void) async throws {
    try await RunningStore.open(selling: Self.names.map { ProductID($0) }) { store in
      for name in Self.names {
        try await store.store.addCustomer(Customer(environment: .sandbox, name: AccountName(name)))
        try await store.buy(ProductID(name), for: AccountName(name))
        let installation = InstallationID(name)
        _ = try await store.store.register(
          InstallationRegistration(
            installationID: installation, bundleID: RunningStore.app, environment: .sandbox, deviceID: UUID(),
            applicationVersion: "1"))
        _ = try await store.store.signIn(SignInCredentials(account: AccountName(name)), on: installation)
        try store.store.set(
          Fault(
            AppErrorFault(AppError(domain: name, code: 1)), id: FaultID(name),
            scope: FaultScope(customer: AccountName(name), productID: ProductID(name)), probability: 0.000001))
        let payment = PaymentRequest(paymentID: PaymentID(name), productID: ProductID(name), applicationUsername: name)
        let confirmed = try await store.store.confirm(
          try await store.store.quote(payment, for: installation), for: installation)
        guard case .purchased = confirmed else { throw CommandFailure.refused("a purchase was not made") }
      }
      try await body(store)
    }
  }

  private static let commands = [
    ["transactions", "list", "--all"], ["transactions", "list", "--limit", "3"], ["requests", "--limit", "1000"],
    ["faults", "list"], ["transactions", "list", "--search", "\u{1B}["],
  ]

  @Test("no command writes control characters, to a terminal or elsewhere, as text or as JSON", arguments: commands)
  func safe(arguments: [String]) async throws {
    try await open { store in
      let arguments = arguments + ["--store", store.address]
      for run in [
        try await RunningStore.run(arguments), try await RunningStore.run(arguments + ["--json"]),
        try await RunningStore.run(
          arguments, terminal: Terminal(environment: ["TERM": "xterm", "NO_COLOR": "1"], columns: 80)),
        try await RunningStore.run(arguments, terminal: Terminal(environment: ["TERM": "dumb"], columns: 20)),
      ] {
        #expect(run.status == 0)
        #expect(HostileTextTests.isSafe(run.output) && HostileTextTests.isSafe(run.messages))
        #expect(!run.output.isEmpty)
      }
      let colored = try await RunningStore.run(
        arguments, terminal: Terminal(environment: ["TERM": "xterm"], columns: 80))
      let plain = colored.output.replacing(/\u{1B}\[(0|1|31|32|33)m/, with: "")
      #expect(HostileTextTests.isSafe(plain))
    }
  }

  @Test("every purchase can be shown, found, refunded and its refund reversed, whatever its names")
  func everyPurchase() async throws {
    try await open { store in
      let transactions = try await store.store.transactions()
      #expect(transactions.count == 2 * Self.names.count)
      for transaction in transactions {
        let id = transaction.record.transactionID.rawValue
        let shown = try await store.run("transactions", "show", id)
        #expect(shown.status == 0 && HostileTextTests.isSafe(shown.output))
        #expect(try await store.run("transactions", "refund", id).status == 0)
        #expect(try await store.run("transactions", "reverse-refund", id).status == 0)
        let document = try await store.run("transactions", "show", id, "--json")
        let record = document.json?["transaction"] as? [String: Any]
        #expect(record?["customer"] as? String == transaction.account.rawValue)
        #expect(HostileTextTests.isSafe(document.output))
      }
      for name in Self.names {
        // A search text is used as typed, also if it does not fit into a request's head.
        let sought = name.utf8.count > 4_000 ? String(name.prefix(100)) : name
        let found = try await store.run("transactions", "list", "--search", sought, "--json")
        #expect(found.json?["total"] as? Int == 2, "\(name.prefix(40))")
        let bought = try await store.run("transactions", "buy", name, "--customer", name)
        #expect(bought.status == 0 && HostileTextTests.isSafe(bought.output), "\(name.prefix(40))")
      }
    }
  }

  @Test("faults of any name are set, shown and removed, and hostile text in refusals is escaped")
  func faults() async throws {
    try await open { store in
      for name in Self.names where name.utf8.count < 4_000 {
        for arguments in [["show", name], ["release", name], ["remove", name]] {
          let run = try await RunningStore.run(["faults"] + arguments + ["--store", store.address])
          #expect(run.status == 0 && HostileTextTests.isSafe(run.output), "\(name)")
        }
        let again = try await store.run("faults", "remove", name)
        #expect(again.status == 1)
        #expect(HostileTextTests.isSafe(again.messages) && !again.messages.isEmpty)
        let refused = try await store.run("transactions", "buy", "no \(name)")
        #expect(refused.status == 1 && HostileTextTests.isSafe(refused.messages))
      }
    }
  }
}
