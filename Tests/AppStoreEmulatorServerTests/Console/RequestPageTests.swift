import AppStoreEmulator
import Foundation
import HummingbirdTesting
import StoreModel
import Testing

@testable import AppStoreEmulatorServer

@Suite("The console's pages of requests", .timeLimit(.minutes(30)))
struct RequestPageTests {
  @Test("a request's page has its properties, its body and that of its answer, without secrets")
  func page() async throws {
    let bakery = try await BakeryServer()
    _ = try await bakery.receipt()
    let secret = try await bakery.store.app(BakeryServer.app).sharedSecret
    _ = try await bakery.store.verifyReceipt(Data(#"{"password":"\#(secret)"}"#.utf8), at: .production)
    let requests = bakery.store.requests()
    let confirm = try #require(requests.first { $0.metadata.kind == .device(.confirm) })
    try await bakery.withClient { client async throws in
      let page = try await client.page("/console/requests/\(confirm.sequence)")
      for text in [
        "Request \(confirm.sequence): confirm", "answered", "\"paymentID\" : \"p\"", "\"purchased\"", "(redacted)",
      ] { #expect(page.text.contains(text), "\(text)") }
      for id in ["request-body", "answer-body"] {
        #expect(page.elements.contains { $0.attributes["data-copy"] == id }, "\(id)")
      }
      let last = try await client.page("/console/requests/\(requests.count)")
      #expect(last.text.contains("status 21002") && !last.text.contains(secret))
      #expect(try await client.page("/console/requests/99", status: 404).text.contains("no request 99"))
      #expect(try await client.page("/console/requests/x", status: 404).text.contains("x is no number"))
    }
  }

  @Test("a request whose answer was lost has no answer's body, and its page says so")
  func unanswered() async throws {
    let bakery = try await BakeryServer()
    try bakery.store.set(Fault(ReceiptServerErrorFault(httpStatus: 503)))
    _ = try? await bakery.store.verifyReceipt(Data("{}".utf8), at: .sandbox)
    try await bakery.withClient { client async throws in
      let page = try await client.page("/console/requests/1")
      #expect(page.text.contains("The answer was HTTP 503 without a JSON body."))
    }
  }

  @Test("polls without news are hidden until they are asked for")
  func polls() async throws {
    let bakery = try await BakeryServer()
    _ = try await bakery.receipt()
    let phone: InstallationID = "phone in sandbox"
    let cursor = try await bakery.store.changes(after: ChangeCursor(rawValue: 0), waitSeconds: 0, for: phone).cursor
    for _ in 0..<3 { _ = try await bakery.store.changes(after: cursor, waitSeconds: 0, for: phone) }
    let idle = bakery.store.requests().filter(\.isIdlePoll)
    #expect(idle.count >= 3)
    try await bakery.withClient { client async throws in
      func listed(_ query: String) async throws -> (page: HTMLCheck, numbers: Set<Int64>) {
        let page = try await client.page("/console/requests\(query)")
        let numbers = page.elements.compactMap { $0.attributes["id"] }.filter { $0.hasPrefix("r-") }
        return (page, Set(numbers.compactMap { Int64($0.dropFirst(2)) }))
      }
      let (page, numbers) = try await listed("")
      #expect(page.text.contains("\(idle.count) polls hidden"))
      #expect(page.elements.contains { $0.attributes["href"] == "/console/requests?polls=shown" })
      #expect(numbers.isDisjoint(with: idle.map(\.sequence)) && !numbers.isEmpty)
      let all = Set(bakery.store.requests().map(\.sequence))
      let shown = try await listed("?polls=shown")
      #expect(shown.numbers == all)
      #expect(shown.page.elements.contains { $0.attributes["href"] == "/console/requests" && $0.name == "a" })
      #expect(try await listed("?call=changes").numbers.isSuperset(of: idle.map(\.sequence)))
      #expect(try await client.page("/console/requests?polls=x", status: 400).text.contains("polls is one of shown"))
    }
  }

  @Test(
    "durations have a unit and three digits",
    arguments: [
      (0, "0 µs"), (999, "999 µs"), (1_000, "1.00 ms"), (12_345, "12.3 ms"), (99_960, "100 ms"), (999_400, "999 ms"),
      (999_600, "1.00 s"), (3_000_000, "3.00 s"), (61_000_000, "61.0 s"),
    ])
  func durations(microseconds: Int64, text: String) {
    #expect(DurationText.text(microseconds: microseconds) == text)
  }

  @Test("the filters suggest the names that the store has")
  func suggestions() async throws {
    let bakery = try await BakeryServer()
    _ = try await bakery.receipt()
    try bakery.store.set(Fault(OutageFault(), id: "flood", scope: FaultScope(customer: "nobody")))
    try await bakery.withClient { client async throws in
      for (path, names) in [
        ("/console/requests", ["customer", BakeryServer.loaf.rawValue, "phone in sandbox", "flood"]),
        ("/console/purchase", ["customer", BakeryServer.oven.rawValue, "phone in sandbox"]),
        ("/console/faults", ["customer", BakeryServer.oven.rawValue, "phone in sandbox"]),
      ] {
        let page = try await client.page(path)
        let options = page.elements.filter { $0.name == "option" }.compactMap { $0.attributes["value"] }
        #expect(Set(names).isSubset(of: options), "\(path)")
        let lists = Set(page.elements.filter { $0.name == "datalist" }.compactMap { $0.attributes["id"] })
        let used = Set(page.elements.filter { $0.name == "input" }.compactMap { $0.attributes["list"] })
        #expect(!used.isEmpty && used.isSubset(of: lists), "\(path)")
        #expect(options.filter { $0 == "customer" }.count == 1, "in both environments, but once in the list")
      }
    }
  }
}
