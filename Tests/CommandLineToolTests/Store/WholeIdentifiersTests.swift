import AppStoreEmulator
import Foundation
import StoreModel
import Testing

@testable import CommandLineTool

@Suite("Identifiers in lists", .timeLimit(.minutes(30)))
struct WholeIdentifiersTests {
  @Test(
    "are whole on a narrow terminal, because they differ at their ends",
    arguments: [
      ["transactions"], ["requests"], ["requests", "--follow"], ["customers"], ["approvals"], ["faults"],
    ])
  func whole(arguments: [String]) async throws {
    let product = ProductID("org.example.florist.bouquets.of.the.month.for.subscribers.with.a.long.name.number.1")
    let customer = AccountName("a customer whose name is long enough to be cut in a table, number 1")
    let phone = InstallationID("D1B2A5C4-0000-4000-8000-000000000001 of a device with a long name")
    try await RunningStore.open(selling: [product]) { store in
      try await store.store.addCustomer(Customer(environment: .sandbox, name: customer, needsApproval: true))
      _ = try await store.store.register(
        InstallationRegistration(
          installationID: phone, bundleID: RunningStore.app, environment: .sandbox, deviceID: UUID(),
          applicationVersion: "1"))
      _ = try await store.store.signIn(SignInCredentials(account: customer), on: phone)
      let payment = PaymentID("a payment with an identifier that is longer than most, number 1")
      let quote = try await store.store.quote(PaymentRequest(paymentID: payment, productID: product), for: phone)
      #expect(try await store.store.confirm(quote, for: phone) == .deferred)
      #expect(try await store.run("customers", "change", customer.rawValue, "--ask-to-buy", "off").status == 0)
      try await store.buy(product, for: customer)
      try store.store.set(
        Fault(
          DeclinedCardFault(), id: "a fault with an identifier that is longer than most, number 1",
          scope: FaultScope(customer: customer)))
      let expected: [String] =
        switch arguments.first {
        case "transactions": [product.rawValue, customer.rawValue]
        case "requests": [product.rawValue, customer.rawValue, phone.rawValue]
        case "customers": [customer.rawValue]
        case "approvals": [payment.rawValue, product.rawValue, customer.rawValue, phone.rawValue]
        default: ["a fault with an identifier that is longer than most, number 1", customer.rawValue]
        }
      let output = try await output(of: arguments, from: store)
      for identifier in expected { #expect(output.contains(identifier), "\(identifier): \(output)") }
    }
  }

  /// The output on a terminal; of `--follow`, until the newest request is listed.
  private func output(of arguments: [String], from store: RunningStore) async throws -> String {
    guard arguments.contains("--follow") else {
      let terminal = Terminal(environment: ["TERM": "dumb"], columns: 80)
      return try await RunningStore.run(arguments + ["--store", store.address], terminal: terminal).output
    }
    let (pieces, piece) = AsyncStream.makeStream(of: String.self)
    let console = CommandConsole(readInput: { _ in Data() }, write: { piece.yield($0) })
    let command = try #require(
      try OpenStoreKitCommand.parseAsRoot(arguments + ["--store", store.address]) as? any ConsoleCommand)
    let following = Task { try await command.run(on: console) }
    defer { following.cancel() }
    return await pieces.first { _ in true } ?? ""
  }
}
