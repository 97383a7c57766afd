import AppStoreEmulator
import ControlAPI
import Foundation
import HummingbirdTesting
import StoreModel
import Testing

@testable import AppStoreEmulatorServer

@Suite("Pages of the control API's lists", .timeLimit(.minutes(30)))
struct PageRoutesTests {
  /// A bakery with five elements in each list.
  private func filled() async throws -> (bakery: BakeryServer, subscription: TransactionID) {
    let bakery = try await BakeryServer()
    let store = bakery.store
    for number in 0..<3 {
      try await store.addCustomer(Customer(environment: .sandbox, name: AccountName("guest \(number)")))
    }
    for number in 0..<4 {
      try await store.serve(BundleID("org.example.bakery.\(number)"), catalog: [try BakeryServer.catalog()])
    }
    try await store.changeCustomer("guest 0", .sandbox) { $0.needsApproval = true }
    for number in [4, 2, 0, 3, 1] {
      let id = InstallationID("phone \(number)")
      _ = try await store.register(BakeryServer.registration(id))
      _ = try await store.signIn(SignInCredentials(account: "guest 0"), on: id)
      let payment = PaymentRequest(paymentID: PaymentID("payment \(number)"), productID: BakeryServer.loaf)
      _ = try await store.confirm(try await store.quote(payment, for: id), for: id)
    }
    let subscription = try await bakery.subscribe()
    for isOn in [false, true, false, true] {
      try await store.setAutoRenew(ofSubscription: subscription, isOn: isOn)
    }
    return (bakery, subscription)
  }

  /// The lists: the path, the name of the array, the member that differs between its elements, and the number of elements.
  private static func lists(_ subscription: TransactionID) -> [(path: String, list: String, member: String)] {
    [
      ("apps", "apps", "bundleId"), ("customers", "customers", "name"),
      ("installations", "installations", "installationId"), ("approvals", "approvals", "paymentId"),
      ("customers/sandbox/customer/subscriptions", "subscriptions", "originalTransactionId"),
      ("subscriptions/\(subscription)", "history", "step"),
    ]
  }

  @Test("every list has each element once, in its order, in pages that `next` joins; other positions are refused")
  func pages() async throws {
    let (bakery, subscription) = try await filled()
    try await bakery.withClient { client async throws in
      for (path, list, member) in Self.lists(subscription) {
        let all = try await client.get("/control/v1/\(path)")
        #expect(all.object["next"] == nil, "\(path): one page by default")
        let expected = all.list(list).map { "\($0["environment"] ?? "") \($0[member] ?? "")" }
        #expect(expected.count >= (list == "subscriptions" ? 1 : 5), "\(path): \(expected)")
        var (found, next): ([String], String?) = ([], nil)
        repeat {
          let after = next.map { "&after=\($0)" } ?? ""
          let page = try await client.get("/control/v1/\(path)?limit=2\(after)")
          #expect(page.status == 200, "\(page.text)")
          #expect((1...2).contains(page.list(list).count), "\(path)")
          found += page.list(list).map { "\($0["environment"] ?? "") \($0[member] ?? "")" }
          next = page.object["next"] as? String
        } while next != nil && found.count < 20
        #expect(found == expected, "\(path)")
        for query in ["after=x", "after=WyJhIl0", "limit=0", "limit=1001"]
        where query != "after=WyJhIl0" || !["apps", "subscriptions"].contains(list) {
          let refused = try await client.get("/control/v1/\(path)?\(query)")
          #expect([400, 422].contains(refused.status), "\(path)?\(query): \(refused.text)")
        }
      }
    }
  }

  @Test("a page of approvals begins after a payment that was decided meanwhile; after a reset, its position is refused")
  func decidedMeanwhile() async throws {
    let (bakery, _) = try await filled()
    try await bakery.withClient { client async throws in
      let first = try await client.get("/control/v1/approvals?limit=2")
      let next = try #require(first.object["next"] as? String)
      for approval in first.list("approvals") {
        let path = "phone%20\("\(approval["paymentId"] ?? "")".suffix(1))/payment%20"
        let id = "\(approval["paymentId"] ?? "")".suffix(1)
        #expect(try await client.post("/control/v1/approvals/\(path)\(id)", #"{"decision":"decline"}"#).status == 200)
      }
      #expect(try await client.get("/control/v1/approvals?after=\(next)").list("approvals").count == 3)
      #expect(try await client.post("/control/v1/reset", "").status == 200)
      let refused = try await client.get("/control/v1/approvals?after=\(next)")
      #expect((refused.status, refused.code) == (422, "unknownPage"))
    }
  }

  @Test("the client returns the elements of all pages as one list, and as the document of one page")
  func allPages() async throws {
    let bakery = try await BakeryServer()
    for number in 0..<1_001 {
      try await bakery.store.addCustomer(Customer(environment: .sandbox, name: AccountName("guest \(number)")))
    }
    try await bakery.listening { port in
      let client = ControlAPIClient(address: try #require(URL(string: "http://127.0.0.1:\(port)")))
      let answer = try await client.callAllPages(ControlEndpoints.customers)
      #expect(answer.value.customers.count == 1_003)
      #expect(Set(answer.value.customers.map { "\($0.environment) \($0.name)" }).count == 1_003)
      let document = try #require(try JSONSerialization.jsonObject(with: answer.document) as? [String: Any])
      #expect(document.keys.sorted() == ["customers"])
      #expect((document["customers"] as? [Any])?.count == 1_003)
    }
  }

  @Test("a page of apps ends with the app with which it has 10,000 products")
  func manyProducts() async throws {
    let bakery = try await BakeryServer()
    let products = (0..<10_000).map {
      #"{"productID":"p\#($0)","type":"Consumable","displayPrice":"1","referenceName":"P"}"#
    }
    let catalog = try StoreKitConfiguration(
      data: Data(#"{"products":[\#(products.joined(separator: ","))]}"#.utf8), name: "large.storekit")
    try await bakery.store.serve("com.example.large", catalog: [catalog])
    try await bakery.withClient { client async throws in
      let first = try await client.get("/control/v1/apps")
      #expect(first.list("apps").map { $0["bundleId"] as? String } == ["com.example.large"])
      let next = try #require(first.object["next"] as? String)
      let second = try await client.get("/control/v1/apps?after=\(next)")
      #expect(second.list("apps").map { $0["bundleId"] as? String } == [BakeryServer.app.rawValue])
      #expect(second.object["next"] == nil)
    }
  }

  @Test(
    "a transaction has the newest 1,000 refunds, with a note that there are older ones; its page the newest 500 events")
  func manyRefunds() async throws {
    let bakery = try await BakeryServer()
    let id = try await bakery.order().record.transactionID
    try await bakery.withClient { client async throws in
      #expect(try await client.get("/control/v1/transactions/\(id)").object["hasOlder"] as? Bool == false)
    }
    for _ in 0..<501 {
      try await bakery.store.refund(id)
      try await bakery.store.reverseRefund(of: id)
    }
    try await bakery.withClient { client async throws in
      let details = try await client.get("/control/v1/transactions/\(id)")
      #expect(details.list("refunds").count == 1_000)
      #expect(details.object["hasOlder"] as? Bool == true)
      #expect(details.list("timeline").count == 1_001)
      let page = try await client.get("/console/transactions/\(id)?tab=timeline").text
      #expect(page.components(separatedBy: "<li><time").count - 1 == 500)
      #expect(page.contains("The newest 500."))
    }
  }

  @Test("the catalog's page has 50 apps and a link to the next; an unknown app's answer names ten")
  func manyApps() async throws {
    let bakery = try await BakeryServer()
    for number in 0..<51 {
      try await bakery.store.serve(BundleID("com.example.\(number)"), catalog: [try BakeryServer.catalog()])
    }
    try await bakery.withClient { client async throws in
      let first = try await client.get("/console/catalog?q=loaf").text
      #expect(first.components(separatedBy: "App Store number").count - 1 == 50)
      #expect(first.contains("/console/catalog?after=com.example.8&amp;storefront=USA&amp;q=loaf"))
      let second = try await client.get("/console/catalog?after=com.example.8").text
      #expect(second.components(separatedBy: "App Store number").count - 1 == 2)
      #expect(!second.contains("More apps"))
      let unknown = try await client.get("/control/v1/apps/none/renewalRules")
      #expect(unknown.message.contains("and others") && unknown.message.utf8.count < 500, "\(unknown.message)")
      let which = try await client.get("/control/v1/connection")
      #expect(which.message.contains("and others") && which.message.utf8.count < 500, "\(which.message)")
    }
  }
}
