import AppStoreEmulator
import Foundation
import HummingbirdTesting
import StoreModel
import Testing

@testable import AppStoreEmulatorServer

@Suite("The console's page of faults", .timeLimit(.minutes(30)))
struct FaultPageTests {
  @Test("C4 each preset is set with one click, exactly as it is defined", arguments: FaultPreset.all.map(\.id))
  func presets(id: String) async throws {
    let bakery = try await BakeryServer()
    let preset = try #require(FaultPreset.all.first { $0.id == id })
    try await bakery.withClient { client async throws in
      let page = try await client.page("/console/faults")
      #expect(page.text.contains(preset.title) && page.text.contains(preset.summary))
      let form = try #require(page.calls["preset-\(id)"])
      #expect(try await client.submit(form, page: "/console/faults").status == 303)
      let report = try #require(bakery.store.faults().first)
      var fault = report.fault
      fault.id = nil
      let encoder = JSONEncoder()
      encoder.outputFormatting = .sortedKeys
      #expect(try encoder.encode(fault) == encoder.encode(preset.fault))
      let after = try await client.page("/console/faults")
      let removal = try #require(after.calls["remove-fault-1."])
      #expect(try await client.submit(removal, page: "/console/faults").status == 303)
      #expect(bakery.store.faults().isEmpty)
    }
  }

  @Test("an error of StoreKit is chosen by its name; other domains have a number")
  func errors() async throws {
    let bakery = try await BakeryServer()
    try await bakery.withClient { client async throws in
      let page = try await client.page("/console/faults")
      #expect(page.text.contains("paymentInvalid (3)"))
      let form = try #require(page.calls["fault"])
      for (domain, code) in [("SKErrorDomain", 3), ("SSServerErrorDomain", 5020)] {
        let fields = form.map { name, value in
          if name == "kind:text" { return (name, "appError") }
          if name.hasPrefix("error.domain:") { return (name, domain) }
          return name.hasPrefix("error.code:") && name.contains(domain) ? (name, "\(code)") : (name, value)
        }
        let reply = try await client.submit(fields, page: "/console/faults")
        #expect(reply.status == 303, "\(reply.text)")
        let fault = try #require(bakery.store.faults().last?.fault.kind as? AppErrorFault)
        #expect(fault.error == AppError(domain: domain, code: code))
      }
    }
  }

  @Test("every action's command is collapsed")
  func commands() async throws {
    let bakery = try await BakeryServer()
    try bakery.store.set(Fault(OutageFault(), scope: FaultScope(customer: "nobody")))
    try await bakery.withClient { client async throws in
      for path in ["/console/faults", "/console/clock", "/console/requests", "/console/purchase", "/console/customers"]
      {
        let page = try await client.page(path)
        let forms = page.calls.keys
        #expect(!forms.isEmpty)
        for form in forms {
          #expect(
            page.elements.contains { $0.name == "details" && $0.attributes["id"] == "\(form)-fold" },
            "\(path) \(form)")
        }
        #expect(
          !page.elements.contains {
            $0.name == "details" && $0.attributes["open"] != nil && $0.attributes["id"] != "clock-menu"
          })
      }
    }
  }

  @Test("what a fault's scope names and the store does not have is shown, escaped, until the store has it")
  func warnings() async throws {
    let bakery = try await BakeryServer()
    let name: AccountName = "<b>&\"'"
    let text = "There is no customer \(name) here yet. The fault strikes no request until there is."
    try await bakery.withClient { client async throws in
      let form = try #require(try await client.page("/console/faults").calls["fault"])
      // Only the customer, in both environments.
      let fields = form.map { field, value in
        (field, field.hasPrefix("scope.customer:") ? name.rawValue : field.hasPrefix("scope.") ? "" : value)
      }
      #expect(try await client.submit(fields, page: "/console/faults").status == 303)
      // The page is parsed strictly: markup in the name would be an unknown element, or one that is not closed.
      #expect(try await client.page("/console/faults", hasMarkupInNames: true).text.contains(text))
      for environment in [StoreEnvironment.sandbox, .production] {
        try await bakery.store.addCustomer(Customer(environment: environment, name: name))
      }
      let after = try await client.page("/console/faults", hasMarkupInNames: true).text
      #expect(!after.contains("here yet") && after.contains(name.rawValue))
    }
  }

  @Test("a row's forms are named by the fault: they stay the same when another fault is removed")
  func names() async throws {
    let bakery = try await BakeryServer()
    let ids: [FaultID] = ["first", "x", "x.-send", "with space", "ü/\"<"]
    for id in ids {
      try bakery.store.set(Fault(OutageFault(), id: id))
    }
    try await bakery.withClient { client async throws in
      func removals() async throws -> [String: String] {
        try await client.page("/console/faults", hasMarkupInNames: true).calls.filter { $0.key.hasPrefix("remove-") }
          .mapValues { $0.first { $0.0 == "call" }?.1 ?? "" }
      }
      let before = try await removals()
      #expect(before.count == ids.count)
      #expect(before["remove-x."] == "DELETE faults/x")
      #expect(before.keys.allSatisfy { !$0.contains(" ") && !$0.contains("<") })
      try bakery.store.removeFault("first")
      let after = try await removals()
      #expect(after == before.filter { $0.key != "remove-first." })
    }
  }
}
