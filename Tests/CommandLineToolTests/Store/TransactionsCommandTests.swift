import AppStoreEmulator
import Foundation
import SignedData
import StoreModel
import Testing

@testable import CommandLineTool

@Suite("openstorekit transactions", .timeLimit(.minutes(30)))
struct TransactionsCommandTests {
  @Test("lists transactions as a table, newest first, and prints the option for the next page")
  func list() async throws {
    try await RunningStore.open { store in
      let nothing = try await store.run("transactions")
      #expect((nothing.status, nothing.output, nothing.messages) == (0, "", "No transactions.\n"))
      var ids: [String] = []
      for quantity in 1...3 { ids.append(try await store.buy(quantity: quantity)) }
      let run = try await store.run("transactions", "list", "--limit", "2")
      #expect(
        run.lines == [
          "transaction          bought                product                   quantity  customer      price  state",
          "\(ids[2])  2026-07-01 12:00:00Z  org.example.florist.rose         3  customer  10.50 USD  unfinished",
          "\(ids[1])  2026-07-01 12:00:00Z  org.example.florist.rose         2  customer   7.00 USD  unfinished",
        ])
      #expect(run.messages == "2 of 3. For older ones: --before 2; for all: --all\n")
      let rest = try await store.run("transactions", "list", "--before", "2")
      #expect(rest.lines.count == 2 && rest.lines[1].hasPrefix(ids[0]))
      #expect(rest.messages.isEmpty)
    }
  }

  @Test("searches and filters, each alone and together")
  func filters() async throws {
    try await RunningStore.open { store in
      try await store.store.addCustomer(Customer(environment: .sandbox, name: "Ada 100%"))
      let rose = try await store.buy(for: "Ada 100%")
      let vase = try await store.buy(RunningStore.vase)
      try await store.store.refund(try #require(TransactionID(rawValue: vase)))
      for (arguments, ids) in [
        (["--search", "ADA"], [rose]), (["--search", "%"], [rose]), (["--search", "VASE"], [vase]),
        (["--search", rose], [rose]), (["--product", "org.example.florist.vase"], [vase]),
        (["--customer", "Ada 100%"], [rose]), (["--state", "refunded"], [vase]), (["--state", "unfinished"], [rose]),
        (["--environment", "sandbox"], [vase, rose]), (["--environment", "production"], []),
        (["--bundle-id", "org.example.florist"], [vase, rose]), (["--search", "florist", "--state", "finished"], []),
      ] {
        let run = try await RunningStore.run(["transactions", "list", "--json", "--store", store.address] + arguments)
        let list = run.json?["transactions"] as? [[String: Any]]
        #expect(list?.map { $0["transactionId"] as? String } == ids, "\(arguments)")
        #expect(run.json?["total"] as? Int == ids.count)
      }
    }
  }

  @Test("--all goes through every page, as one table or one document")
  func all() async throws {
    try await RunningStore.open { store in
      for _ in 0..<1_002 { try await store.buy() }
      let most = try await store.run("transactions", "list", "--limit", "1001")
      #expect(most.lines.count == 1_002 && most.messages.hasPrefix("1001 of 1002. For older ones: --before "))
      let page = try await store.run("transactions", "list", "--limit", "1001", "--json")
      #expect((page.json?["transactions"] as? [Any])?.count == 1_001 && page.json?["next"] is Int)
      let table = try await store.run("transactions", "list", "--all")
      #expect(table.lines.count == 1_003)
      #expect(Set(table.lines).count == 1_003)
      let document = try await store.run("transactions", "list", "--all", "--json")
      #expect((document.json?["transactions"] as? [Any])?.count == 1_002)
      #expect(document.json?["total"] as? Int == 1_002)
    }
  }

  @Test("shows one transaction and its timeline, in order")
  func show() async throws {
    try await RunningStore.open { store in
      let id = try await store.buy(quantity: 2)
      _ = try await store.run("transactions", "refund", id, "--percent", "33.333", "--reason", "app-issue")
      let run = try await store.run("transactions", "show", id)
      #expect(run.status == 0)
      #expect(
        run.lines == [
          "transaction        \(id)",
          "state              refunded",
          "product            org.example.florist.rose",
          "type               Consumable",
          "reason             PURCHASE",
          "quantity           2",
          "price              7.00 USD",
          "customer           customer",
          "environment        Sandbox",
          "app                org.example.florist",
          "storefront         USA",
          "purchase date      2026-07-01 12:00:00Z",
          "revocation date    2026-07-01 12:00:00Z",
          "revocation reason  an issue with the app",
          "revocation type    REFUND_PRORATED",
          "refunded share     33.333 %",
          "",
          "date                  what happened      of it", "2026-07-01 12:00:00Z  charged 7.00 USD   customer",
          "2026-07-01 12:00:00Z  refunded 2.33 USD  customer",
        ])
      let document = try await store.run("transactions", "show", id, "--json")
      #expect((document.json?["timeline"] as? [[String: Any]])?.count == 2)
    }
  }

  @Test(
    "buys for a customer, refunds, and reverses refunds; each refusal is exit status 1 with the store's message"
  )
  func changes() async throws {
    try await RunningStore.open { store in
      let bought = try await store.run("transactions", "buy", "org.example.florist.rose", "--quantity", "2", "--json")
      #expect(bought.json?["price"] as? Int == 7_000)
      let first = try #require(bought.json?["transactionId"] as? String)
      let second = try await store.buy()
      let offer = try await store.run(
        "transactions", "buy", "org.example.florist.rose", "--offer-type", "winBack", "--offer-id", "x")
      #expect(offer.status == 1 && offer.messages.contains("has no offers"))
      let refused = try await store.run("transactions", "buy", "no such thing")
      #expect(refused.status == 1 && refused.messages.contains("no such thing"))

      let refunded = try await store.run("transactions", "refund", first, second)
      #expect(refunded.lines == ["\(first): refunded", "\(second): refunded"])
      #expect(try await store.store.refunds().count == 2)
      let again = try await store.run("transactions", "refund", first, "--json")
      #expect(again.status == 1)
      #expect((again.json?["error"] as? String)?.contains("refunded before") == true)
      let third = try await store.buy()
      let half = try await store.run("transactions", "refund", third, first)
      #expect(half.status == 1 && half.messages.contains("Done before it: \(third)"))

      let reversed = try await store.run("transactions", "reverse-refund", first, second, "--json")
      #expect(
        (reversed.json?["transactions"] as? [[String: Any]])?.map { $0["state"] as? String } == [
          "unfinished", "unfinished",
        ])
      let unknown = try await store.run("transactions", "show", "12")
      #expect(unknown.status == 1 && unknown.messages.contains("12"))
    }
  }

  @Test("F3 proves one transaction, also after a refund: one proof alone, all three, or the store's response")
  func proof() async throws {
    try await RunningStore.open { store in
      let id = try await store.buy()
      _ = try await store.run("transactions", "refund", id)
      let receipt = try await store.run("transactions", "proof", id, "--receipt")
      let legacy = try await store.run("transactions", "proof", id, "--legacy")
      let jws = try await store.run("transactions", "proof", id, "--jws")
      let all = try await store.run("transactions", "proof", id)
      let document = try await store.run("transactions", "proof", id, "--json")
      #expect([receipt, legacy, jws, all, document].map(\.status) == [0, 0, 0, 0, 0])
      #expect([receipt, legacy, jws, all].map(\.lines.count) == [1, 1, 1, 3])
      #expect(all.lines.map { $0.prefix { $0 != ":" } } == ["app receipt", "receipt of iOS 6", "signed transaction"])
      #expect(Set(document.json?.keys.map(\.self) ?? []) == ["signedTransaction", "appReceipt", "legacyReceipt"])
      let verifier = SignedDataVerifier(anchors: try store.store.authority.anchors)
      let signed = try await verifier.verifyTransaction(jws.lines[0]).value
      #expect(signed.transactionID.rawValue == id && signed.revocationDate != nil)
      let receipts = try [receipt, legacy].map { try #require(Data(base64Encoded: $0.lines[0])) }
      let listed = try await verifier.verifyAppReceipt(receipts[0]).value
      #expect(listed.inAppPurchases.map(\.transactionID.rawValue) == [id])
      #expect(listed.inAppPurchases.first?.cancellationDate != nil)
      let old = try await verifier.verifyLegacyReceipt(receipts[1]).value
      #expect(old.transactionID.rawValue == id)
      #expect(try await store.run("transactions", "proof", "12").status == 1)
    }
  }

  @Test(
    "B9 buying again under the same --payment-id is the same purchase; the message after a lost response contains the id"
  )
  func buyAgain() async throws {
    try await RunningStore.open { store in
      let rose = RunningStore.rose.rawValue
      let runs = [
        try await store.run("transactions", "buy", rose, "--payment-id", "mine"),
        try await store.run("transactions", "buy", rose, "--payment-id", "mine"),
        try await store.run("transactions", "buy", rose), try await store.run("transactions", "buy", rose),
      ]
      #expect(runs.map(\.status) == [0, 0, 0, 0])
      #expect(runs[0].lines == runs[1].lines)
      #expect(try await store.store.charges().count == 3)
      let other = try await store.run("transactions", "buy", rose, "--payment-id", "mine", "--quantity", "2")
      #expect(other.status == 1 && other.messages.contains("mine"))
    }
    // A store that accepts the request and never responds.
    let silent = try SilentStore()
    let run = try await RunningStore.run(["transactions", "buy", "p", "--bundle-id", "b", "--store", silent.address])
    let id = try #require(run.messages.firstMatch(of: /--payment-id ([0-9a-f-]{36})/)).output.1
    #expect(run.status == 1)
    #expect(silent.received.contains("\"paymentId\":\"\(id)\""))
  }

  @Test(
    "wrong usage is exit status 2, and no request is sent",
    arguments: [
      ["show", "abc"], ["show", ""], ["show"], ["refund"], ["refund", "1", "x"], ["refund", "1", "--percent", "0"],
      ["refund", "1", "--percent", "101"], ["refund", "1", "--reason", "none"], ["list", "--limit", "0"],
      ["list", "--limit", "10001"], ["list", "--state", "gone"], ["list", "--all", "--limit", "5"],
      ["list", "--environment", "xcode"], ["buy"], ["buy", "p", "--quantity", "0"],
      ["buy", "p", "--offer-id", "x"], ["buy", "p", "--offer-type", "introductory", "--offer-id", "x"],
      ["list", "--store", "nowhere"],
      ["list", "--store", "ftp://127.0.0.1"], ["list", "--unknown"],
      ["proof"], ["proof", "abc"], ["proof", "1", "--jws", "--receipt"], ["buy", "p", "--payment-id", ""],
      ["list", "--customer", ""], ["list", "--product", ""], ["list", "--bundle-id", ""], ["list", "--search", ""],
    ])
  func usage(arguments: [String]) async throws {
    let run = try await RunningStore.run(["transactions"] + arguments)
    #expect(run.status == 2, "\(run)")
    #expect(!run.messages.isEmpty && run.output.isEmpty)
  }
}
