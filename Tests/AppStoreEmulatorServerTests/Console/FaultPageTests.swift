import AppStoreEmulator
import Foundation
import HummingbirdTesting
import StoreModel
import Testing

@testable import AppStoreEmulatorServer

@Suite("The console's page of faults", .timeLimit(.minutes(10)))
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
      let removal = try #require(after.calls["remove-0"])
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
}
