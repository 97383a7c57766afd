import AppStoreEmulator
import Foundation
import HTTPTypes
import StoreModel
import Testing

@testable import AppStoreEmulatorServer

@Suite("The console's page of a transaction", .timeLimit(.minutes(30)))
struct TransactionPageTests {
  @Test("H1 the tabs show one record as each API has it, before and after a refund")
  func tabs() async throws {
    let bakery = try await BakeryServer()
    _ = try await bakery.receipt()
    let id = try #require(try await bakery.store.transactions().first?.record.transactionID)
    let texts: [TransactionTab: (before: [String], after: [String])] = [
      .details: (["3.50 USD", "unfinished", "A loaf"], ["refunded"]),
      .timeline: (["Bought: 3.50 USD charged"], ["Refunded: 3.50 USD given back"]),
      .responses: (
        [
          "\"transactionId\" : \"\(id)\"", "\"transaction_id\" : \"\(id)\"", "21007",
          "a receipt of the sandbox: ask there", "In the list of installation",
        ], ["\"cancellation_date\"", "\"revocationDate\""]
      ),
      .signed: (["transaction-id = \(id)", "is in it", "ES256"], ["\"revocationDate\""]),
    ]
    try await bakery.withClient { client async throws in
      for tab in TransactionTab.allCases {
        let address = ConsoleAddress.transaction(id, tab: tab)
        let page = try await client.page(address)
        let wanted = try #require(texts[tab])
        for text in wanted.before { #expect(page.text.contains(text), "\(tab): \(text)") }
        for text in wanted.after { #expect(!page.text.contains(text), "\(tab): \(text)") }
        #expect(page.calls.keys.sorted() == ["ask", "refund"], "\(tab)")
        let before = try await client.get(address).body
        #expect(try await client.get(address).body == before, "looked at again, it is the same")
      }
      #expect(bakery.store.requests(RequestFilter(.verifyReceipt)).isEmpty, "no request was made")
      try await bakery.store.refund(id)
      for tab in TransactionTab.allCases {
        let page = try await client.page(ConsoleAddress.transaction(id, tab: tab))
        for text in try #require(texts[tab]).after { #expect(page.text.contains(text), "\(tab): \(text)") }
        #expect(page.calls.keys.sorted() == ["reverse"], "\(tab)")
      }
    }
  }

  @Test("each tab has its own address and contains only its own part", arguments: TransactionTab.allCases)
  func address(tab: TransactionTab) async throws {
    let bakery = try await BakeryServer()
    let id = try await bakery.order().record.transactionID
    try await bakery.withClient { client async throws in
      let address = ConsoleAddress.transaction(id, tab: tab)
      let page = try await client.page(address)
      #expect(page.currentPages == ["/", address])
      #expect(page.tabs == [tab.rawValue])
      // An action returns to the tab that it was taken on.
      let form = try #require(page.calls["refund"])
      #expect(try await client.submit(form, page: address).headers[.location] == address)
    }
  }

  @Test("the first tab is that of the details; an unknown tab is refused")
  func otherAddresses() async throws {
    let bakery = try await BakeryServer()
    let id = try await bakery.order().record.transactionID
    try await bakery.withClient { client async throws in
      #expect(try await client.page("/console/transactions/\(id)").tabs == ["details"])
      let refused = try await client.page("/console/transactions/\(id)?tab=all", status: 400)
      #expect(refused.text.contains("tab is one of"))
    }
  }

  @Test("H1 every text of the tabs can be downloaded, with the same content and a name of its own")
  func downloads() async throws {
    let bakery = try await BakeryServer()
    _ = try await bakery.receipt()
    let id = try #require(try await bakery.store.transactions().first?.record.transactionID)
    try await bakery.withClient { client async throws in
      var shown: [String: String] = [:]
      var links: Set<String> = []
      for tab in [TransactionTab.responses, .signed] {
        let page = try await client.page(ConsoleAddress.transaction(id, tab: tab))
        shown.merge(page.preformatted) { $1 }
        links.formUnion(page.elements.filter { $0.attributes["download"] != nil }.compactMap { $0.attributes["href"] })
      }
      #expect(links == Set(TransactionFile.allCases.map { ConsoleAddress.file($0, of: id) }))
      var names: Set<String> = []
      for file in TransactionFile.allCases {
        let reply = try await client.get(ConsoleAddress.file(file, of: id))
        #expect((reply.status, reply.text) == (200, try #require(shown[file.rawValue])), "\(file)")
        let disposition = try #require(reply.headers[.contentDisposition])
        #expect(disposition.wholeMatch(of: /attachment; filename="[A-Za-z0-9.\-]+"/) != nil)
        names.insert(disposition)
        #expect(reply.headers[.contentType]?.hasPrefix("text/html") == false)
      }
      #expect(names.count == TransactionFile.allCases.count)
      #expect(try await client.get("/console/transactions/\(id)/files/none").status == 404)
      #expect(try await client.get("/console/transactions/1/files/jws").status == 404)
    }
  }

  @Test("a receipt that is too large for a page is neither shown nor downloaded, and the page says where it is")
  func largeReceipt() async throws {
    let bakery = try await BakeryServer()
    let id = try await bakery.subscribe()
    try await bakery.store.setRenewalRules(RenewalRules(rate: .oneRenewalEveryTwoSeconds), of: BakeryServer.club)
    try await bakery.store.changeClock(.advance(milliseconds: 31 * 86_400_000 + 1_010_000))
    try await bakery.withClient { client async throws in
      for tab in [TransactionTab.responses, .signed] {
        let page = try await client.page(ConsoleAddress.transaction(id, tab: tab))
        #expect(page.text.contains("more than 500 transactions"))
      }
      #expect(try await client.get(ConsoleAddress.file(.jws, of: id)).status == 409)
      #expect(try await client.get(ConsoleAddress.file(.control, of: id)).status == 200)
    }
  }

  @Test("a purchase that no device has requested yet has receipts for an invented device, and the page says so")
  func withoutDevice() async throws {
    let bakery = try await BakeryServer()
    let id = try await bakery.order().record.transactionID
    try await bakery.withClient { client async throws in
      let page = try await client.page(ConsoleAddress.transaction(id, tab: .signed))
      #expect(page.text.contains("a device made up for it: the customer is signed in on none with this app"))
      #expect(page.text.contains("is in it"))
      #expect(!page.text.contains("is not in it"))
      #expect(page.text.contains("\"transactionId\" : \"\(id)\""))
    }
  }
}

extension HTMLCheck {
  /// The addresses of the links to the current page.
  fileprivate var currentPages: [String] {
    elements.filter { $0.attributes["aria-current"] == "page" }.compactMap { $0.attributes["href"] }
  }

  /// The names of the tabs whose content is on the page.
  fileprivate var tabs: [String] {
    let ids = Set(elements.compactMap { $0.attributes["id"] })
    return TransactionTab.allCases.map(\.rawValue).filter(ids.contains)
  }
}
