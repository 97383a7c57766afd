import AppStoreEmulator
import ControlAPI
import Foundation
import HTTPTypes
import SharedFixtures
import StoreModel
import Testing
import WebSupport

@testable import AppStoreEmulatorServer

@Suite("The console over a port", .timeLimit(.minutes(30)))
struct LiveConsoleTests {
  @Test("an open page is notified of a purchase; the server stops at once although the page is connected")
  func stream() async throws {
    let bakery = try await BakeryServer()
    let (lines, tell) = AsyncStream.makeStream(of: String.self)
    let listening = try await bakery.listening { port async throws in
      let listening = Task {
        defer { tell.finish() }
        try await EventListener.listen(port: port, path: "/console/live") { tell.yield($0) }
      }
      var events = lines.filter { $0 == "event: changed" }.makeAsyncIterator()
      // The first event comes at once, the second one after the purchase.
      #expect(await events.next() != nil)
      try await bakery.order()
      #expect(await events.next() != nil)
      return listening
    }
    _ = await listening.result
  }

  @Test("the command that a page shows does what the form does", arguments: [nil, "sesame's \"token\" $HOME"])
  func command(token: String?) async throws {
    let bakery = try await BakeryServer(.init(port: 0, controlToken: token))
    _ = try await bakery.receipt()
    let id = try #require(try await bakery.store.transactions().first?.record.transactionID)
    let folder = try ScratchFolder()
    try await bakery.listening { port async throws in
      func run(_ form: String) async throws -> Program.Outcome {
        let headers = token.map { ["Authorization": "Bearer \($0)"] } ?? [:]
        let reply = try await send(
          .get, "/console/transactions/\(id)", host: "127.0.0.1:\(port)", headers: headers, toPort: port)
        let page = try HTMLCheck(String(decoding: reply.body, as: UTF8.self))
        let command = try #require(page.preformatted["\(form)-command"])
        if let token { #expect(!command.contains(token)) }
        let given = token.map { "export OPENSTOREKIT_CONTROL_TOKEN=\(ShellText.quoted($0))\n" } ?? ""
        return try await folder.run("sh", "-c", given + command + " --silent --show-error --fail-with-body")
      }
      let refund = try await run("refund")
      #expect(refund.status == 0, "\(refund.output)")
      #expect(try await bakery.store.transactions().map(\.record.revocationPercentage) == [100_000])
      let reversal = try await run("reverse")
      #expect(reversal.status == 0, "\(reversal.output)")
      #expect(try await bakery.store.transactions().map(\.record.revocationDate) == [nil])
    }
  }

  @Test("commands send every name unchanged", arguments: HostileText.all)
  func hostileNames(name: String) async throws {
    let bakery = try await BakeryServer()
    let folder = try ScratchFolder()
    try await bakery.listening { port async throws in
      let calls = CallContext(
        origin: "http://127.0.0.1:\(port)", api: ControlEndpoints.basePath, site: "/console", tokenVariable: nil)
      func run(_ call: APICall) async throws {
        let text = calls.command(of: call) + " --silent --show-error --fail-with-body"
        let outcome = try await folder.run("sh", "-c", text)
        #expect(outcome.status == 0, "\(outcome.output)")
      }
      func field(_ name: String, _ text: String) -> FormField { FormField(name, .textOrNull, "", text: text) }
      try await run(
        APICall(
          "add", ControlEndpoints.addCustomer,
          fields: [
            field("name", name), field("environment", "Sandbox"), field("password", name), field("family", name),
          ]))
      let added = try await bakery.store.customer(AccountName(name), .sandbox)
      #expect((added.password, added.family) == (name, name))
      try await run(
        APICall(
          "change", ControlEndpoints.changeCustomer, "sandbox", name,
          fields: [field("password", ""), field("family", "x" + name)]))
      let changed = try await bakery.store.customer(AccountName(name), .sandbox)
      #expect((changed.password, changed.family) == (nil, "x" + name))
      try await run(APICall("remove", ControlEndpoints.removeCustomer, "sandbox", name))
      #expect(try await bakery.store.customers().map(\.name) == ["customer", "customer"])
    }
  }
}
