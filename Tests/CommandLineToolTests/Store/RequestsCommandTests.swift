import AppStoreEmulator
import Foundation
import StoreModel
import Testing

@testable import CommandLineTool

@Suite("openstorekit requests", .timeLimit(.minutes(30)))
struct RequestsCommandTests {
  @Test("lists requests and their results, filtered by call and by fault, and empties the journal")
  func list() async throws {
    try await RunningStore.open { store in
      #expect(try await store.run("requests").messages == "No requests.\n")
      _ = try await store.store.register(
        InstallationRegistration(
          installationID: "phone", bundleID: RunningStore.app, environment: .sandbox, deviceID: UUID(),
          applicationVersion: "1"))
      _ = try await store.store.signIn(SignInCredentials(account: "customer"), on: "phone")
      try store.store.set(Fault(DeclinedCardFault(), id: "card"))
      let payment = PaymentRequest(paymentID: "p", productID: RunningStore.rose)
      let quote = try await store.store.quote(payment, for: "phone")
      await #expect(throws: StoreRefusal.self) { try await store.store.confirm(quote, for: "phone") }
      let confirmed = try await store.run("requests", "--call", "confirm")
      #expect(
        confirmed.lines == [
          "number  date                  call     end                       fault                customer  installation  about",
          "     \(store.store.requestJournalExtent.last)  2026-07-01 12:00:00Z  confirm  refused: paymentDeclined  card (declinedCard)  customer  phone         org.example.florist.rose",
        ])
      let struck = try await store.run("requests", "--fault", "card", "--json").json?["requests"] as? [[String: Any]]
      #expect(struck?.map { $0["call"] as? String } == ["confirm"])
      #expect(try await store.run("requests", "--installation", "phone", "--product", "none").lines.isEmpty)
      #expect(try await store.run("requests", "--outcome", "noAnswer").lines.isEmpty)
      #expect(try await store.run("requests", "--limit", "1").lines.count == 2)
      let numbers = try await store.run("requests").lines.dropFirst().compactMap { line in
        line.split(separator: " ").first.flatMap { Int64($0) }
      }
      #expect(numbers.count > 1 && numbers == numbers.sorted(by: >), "newest first")
      #expect(try await store.run("requests", "clear").lines.count == 1)
      #expect(store.store.requests().isEmpty)
    }
  }

  @Test("--follow goes on with new requests, one line each, until the command is ended")
  func follow() async throws {
    try await RunningStore.open { store in
      func register(_ phone: InstallationID) async throws {
        _ = try await store.store.register(
          InstallationRegistration(
            installationID: phone, bundleID: RunningStore.app, environment: .sandbox, deviceID: UUID(),
            applicationVersion: "1"))
      }
      try await register("first")
      let (lines, line) = AsyncStream.makeStream(of: String.self)
      let console = CommandConsole(readInput: { _ in Data() }, write: { line.yield($0) })
      let command = try #require(
        try OpenStoreKitCommand.parseAsRoot(["requests", "--follow", "--store", store.address]) as? any ConsoleCommand)
      let following = Task { try await command.run(on: console) }
      var written = lines.makeAsyncIterator()
      #expect(await written.next()?.hasSuffix("register answered  first\n") == true)
      try await register("second")
      #expect(await written.next()?.hasSuffix("register answered  second\n") == true)
      following.cancel()
      await #expect(throws: CancellationError.self) { try await following.value }
    }
  }

  @Test(
    "wrong usage is exit status 2",
    arguments: [
      ["--follow", "--json"], ["--call", "buy"], ["--outcome", "well"], ["--limit", "0"], ["--after", "-1"],
      ["--call", ""],
      ["--customer", ""],
      ["--installation", ""], ["--product", ""], ["--payment", ""], ["--fault", ""],
    ])
  func usage(arguments: [String]) async throws {
    #expect(try await RunningStore.run(["requests"] + arguments).status == 2)
  }
}
