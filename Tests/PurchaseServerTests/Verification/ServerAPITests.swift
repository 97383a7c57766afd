import AppStoreEmulator
import AppStoreServerAPI
import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger
@testable import PurchaseServer

@Suite("Verification by the Server API", .timeLimit(.minutes(30)))
struct ServerAPITests {
  @Test(
    "a reversed refund of a consumable that was never given is learnt, and its credits are given once",
    arguments: LedgerDatabaseKind.allCases)
  func reversedRefund(kind: LedgerDatabaseKind) async throws {
    try await ServerAPIShop.running(on: kind) { shop in
      let (token, clock) = (try await shop.anonymous(), shop.bookStore.clock)
      let phone = try await shop.bookStore.phone()
      let coins = try await shop.bookStore.buy(on: phone)
      clock.advance(seconds: 60)
      try await shop.store.refund(coins.id)

      // The proof is older than the refund, and the newest receipt has the purchase no longer.
      let refused = try await shop.redeem(["signedTransaction": coins.signedTransaction], [coins.id], token: token)
      #expect((refused.status, refused.code) == (410, "refunded"), "\(refused.text)")
      #expect(try await shop.coins(of: token) == 0)

      clock.advance(seconds: 86_400)
      #expect(try await shop.reverify() == 1)
      #expect(try await shop.coins(of: token) == 0)
      try await shop.store.reverseRefund(of: coins.id)
      clock.advance(seconds: 86_400)
      #expect(try await shop.reverify() == 1)
      #expect(try await shop.coins(of: token) == 5)

      clock.advance(seconds: 86_400)
      #expect(try await shop.reverify() == 1)
      let again = try await shop.redeem(["signedTransaction": coins.signedTransaction], [coins.id], token: token)
      #expect(again.status == 200, "\(again.text)")
      #expect(try await shop.coins(of: token) == 5)
    }
  }

  @Test("all signed kinds are verified, and a refund after the proof was signed is known", arguments: [true, false])
  func kinds(isRefunded: Bool) async throws {
    try await ServerAPIShop.running { shop in
      for (number, kind) in ["appReceipt", "legacyReceipt", "signedTransaction"].enumerated() {
        let token = try await shop.anonymous()
        let coins = try await shop.bookStore.buy(
          as: PaymentID("payment \(number)"), on: try await shop.bookStore.phone("phone \(number)"))
        let proof = [
          "appReceipt": coins.appReceipt.base64EncodedString(),
          "legacyReceipt": coins.legacyReceipt.base64EncodedString(), "signedTransaction": coins.signedTransaction,
        ]
        shop.bookStore.clock.advance(seconds: 60)
        if isRefunded { try await shop.store.refund(coins.id) }
        let reply = try await shop.redeem([kind: try #require(proof[kind])], [coins.id], token: token)
        #expect(reply.status == (isRefunded ? 410 : 200), "\(kind): \(reply.text)")
        #expect(try await shop.coins(of: token) == (isRefunded ? 0 : 5), "\(kind)")
      }
    }
  }

  @Test("G6 a finished consumable that the receipt lacks is given to its customer, and a stranger's is not")
  func finished() async throws {
    try await ServerAPIShop.running { shop in
      let (phone, token) = (try await shop.bookStore.phone(), try await shop.anonymous())
      let coins = try await shop.bookStore.buy(on: phone)
      try await shop.store.addCustomer(Customer(environment: .sandbox, name: "stranger"))
      let strange = try await shop.bookStore.buy(
        as: "payment 2", on: shop.bookStore.phone("other phone", signedInAs: "stranger"))
      let client = try #require(shop.server.serverAPIClients[BookStore.app])
      try await client.send(FinishTransaction(transactionId: coins.id))
      let book = try await shop.bookStore.buy(BookStore.book, as: "payment 3", on: phone)
      let reply = try await shop.redeem(
        book.proof, [coins.id, strange.id, book.id, TransactionID(1)], token: token)
      #expect(reply.status == 200, "\(reply.text)")
      let refusals = reply.list("purchases").map { ($0["refusal"] as? [String: Any])?["code"] as? String }
      #expect(refusals == [nil, "notInProof", nil, "notInProof"], "\(reply.text)")
      #expect(try await shop.coins(of: token) == 5)
    }
  }

  @Test("G6 bare ids of a stranger's purchases give nothing, and do not show whether there is such a purchase")
  func bareIDs() async throws {
    try await ServerAPIShop.running { shop in
      let (ada, eve) = (try await shop.identified("ada"), try await shop.identified("eve"))
      let phone = try await shop.bookStore.phone()
      let named = try await shop.bookStore.buy(for: ada.id, on: phone)
      let unnamed = try await shop.bookStore.buy(as: "payment 2", on: phone)
      let anonymous = try await shop.anonymous()

      let before = shop.serverAPICalls
      var refused = [try await shop.redeem(["transactionId": named.id.rawValue], [named.id], token: anonymous)]
      #expect(shop.serverAPICalls == before, "the store is not asked for a customer who is anonymous")
      for (id, token) in [
        (named.id, eve.token), (unnamed.id, eve.token), (unnamed.id, ada.token), (TransactionID(1), eve.token),
        (TransactionID(1), anonymous),
      ] {
        refused.append(try await shop.redeem(["transactionId": id.rawValue], [id], token: token))
        refused.append(
          try await shop.client.post(
            "\(ServerFixture.path)/restores", json(["proof": ["transactionId": id.rawValue]]), token: token))
      }
      #expect(refused.allSatisfy { ($0.status, $0.code) == (422, "kindNotAccepted") })
      #expect(Set(refused.map(\.text)).count == 1)

      let given = try await shop.redeem(["transactionId": named.id.rawValue], [named.id], token: ada.token)
      #expect(given.status == 200, "\(given.text)")
      #expect(try await shop.coins(of: ada.token) == 5)
      #expect(try await shop.coins(of: eve.token) == 0)
    }
  }

  @Test(
    "G6 the holder of a stranger's app receipt cannot claim a consumable that names its customer",
    arguments: LedgerDatabaseKind.allCases)
  func strangersReceipt(kind: LedgerDatabaseKind) async throws {
    try await ServerAPIShop.running(on: kind) { shop in
      let (ada, eve) = (try await shop.identified("ada"), try await shop.identified("eve"))
      let phone = try await shop.bookStore.phone()
      let named = try await shop.bookStore.buy(for: ada.id, on: phone)
      let unnamed = try await shop.bookStore.buy(as: "payment 2", on: phone)

      let refused = try await shop.redeem(unnamed.proof, [named.id], token: eve.token)
      #expect((refused.status, refused.code) == (409, "namesAnotherCustomer"), "\(refused.text)")
      #expect(try await shop.coins(of: eve.token) == 0)
      let given = try await shop.redeem(unnamed.proof, [named.id, unnamed.id], token: ada.token)
      #expect(given.status == 200, "\(given.text)")
      #expect(try await shop.coins(of: ada.token) == 10)

      // Claimed purchases are not asked about again, which leaves the refund history.
      shop.bookStore.clock.advance(seconds: 60)
      let before = shop.serverAPICalls
      _ = try await shop.redeem(unnamed.proof, [named.id, unnamed.id], token: ada.token)
      #expect(shop.serverAPICalls == before + 1)
    }
  }

  @Test(
    "G6 in one receipt, consumables of another customer do not block one's own: a repeated request is about the next ones",
    arguments: LedgerDatabaseKind.allCases)
  func manyOfAnother(kind: LedgerDatabaseKind) async throws {
    try await ServerAPIShop.running(on: kind) { shop in
      let (ada, bob) = (try await shop.identified("ada"), try await shop.identified("bob"))
      let (phone, most) = (try await shop.bookStore.phone(), ServerAPIVerification.mostSingleCalls)
      var ids: [TransactionID] = []
      for number in 0...most {
        ids.append(try await shop.bookStore.buy(as: PaymentID("payment \(number)"), for: ada.id, on: phone).id)
      }
      let own = try await shop.bookStore.buy(as: "own", for: bob.id, on: phone)
      ids.append(own.id)

      let before = shop.serverAPICalls
      let first = try await shop.redeem(own.proof, ids, token: bob.token)
      #expect((first.status, first.code) == (409, "namesAnotherCustomer"), "\(first.text)")
      #expect(try await shop.coins(of: bob.token) == 0)
      // The refund history is one more.
      #expect(shop.serverAPICalls == before + 1 + most)
      let second = try await shop.redeem(own.proof, ids, token: bob.token)
      #expect(second.status == 200, "\(second.text)")
      #expect(second.given.last?["claim"] as? String == own.id.rawValue, "\(second.text)")
      #expect(try await shop.coins(of: bob.token) == 5)
      #expect(shop.serverAPICalls <= before + 2 * (1 + most))
      // Nothing of the other customer was given.
      #expect(second.given.filter { !$0.isEmpty }.count == 1)
    }
  }

  @Test("G6 the id and the legacy receipt of a redelivery stand for the purchase that was delivered again")
  func redelivery() async throws {
    try await ServerAPIShop.running { shop in
      let (ada, eve) = (try await shop.identified("ada"), try await shop.identified("eve"))
      let phone = try await shop.bookStore.phone()
      let book = try await shop.bookStore.buy(BookStore.book, for: ada.id, on: phone)
      let again = try await shop.bookStore.purchase(BookStore.book, as: "payment 2", on: phone)
      let delivery = try #require(again.deliveries.first)
      let id = try #require(delivery.redelivery?.transactionID)
      let legacy = try #require(delivery.transactionReceipt).base64EncodedString()
      #expect(id != book.id)

      let strange = try await shop.redeem(["transactionId": id.rawValue], [id], token: eve.token)
      let unknown = try await shop.redeem(["transactionId": "1"], [TransactionID(1)], token: eve.token)
      #expect((strange.status, strange.code) == (422, "kindNotAccepted"), "\(strange.text)")
      #expect(unknown.status == 422 && unknown.text == strange.text, "\(unknown.text)")
      let named = try await shop.redeem(["legacyReceipt": legacy], [book.id], token: eve.token)
      #expect((named.status, named.code) == (409, "namesAnotherCustomer"), "\(named.text)")

      for proof in [["transactionId": id.rawValue], ["legacyReceipt": legacy]] {
        for requested in [id, book.id] {
          let given = try await shop.redeem(proof, [requested], token: ada.token)
          #expect(given.status == 200, "\(given.text)")
          #expect(given.given.first?["claim"] as? String == book.id.rawValue, "\(given.text)")
        }
      }
    }
  }

  @Test(
    "a purchase that the store does not know yet: 503 for a new signed proof, also in an import, and 422 for an old one"
  )
  func notKnownYet() async throws {
    try await ServerAPIShop.running { shop in
      let (ada, key) = (try await shop.identified("ada"), try await shop.adminKey())
      let phone = try await shop.bookStore.phone()
      let coins = try await shop.bookStore.buy(for: ada.id, on: phone)
      try shop.store.set(Fault(TransactionNotFoundYetFault(), id: "unknown"))
      let rows: [[String: String]] = [
        ["subject": "ada"], ["subject": "ada", "signedTransaction": coins.signedTransaction],
      ]

      for proof in [coins.proof, ["signedTransaction": coins.signedTransaction]] {
        let reply = try await shop.redeem(proof, [coins.id], token: ada.token)
        #expect((reply.status, reply.code) == (503, "purchaseNotKnownYet"), "\(reply.text)")
        #expect(reply.headers[.retryAfter] == "30")
      }
      // A bare id has no date. The answer is that for all ids.
      let bare = try await shop.redeem(["transactionId": coins.id.rawValue], [coins.id], token: ada.token)
      #expect((bare.status, bare.code) == (422, "kindNotAccepted"), "\(bare.text)")
      let imported = try await shop.client.post(ImportPages.path, ImportPages.page(rows, apply: true), token: key)
      #expect(
        imported.object["nextRow"] as? Int == 3 && imported.object["retryAfterSeconds"] as? Int == 30,
        "\(imported.text)")

      shop.bookStore.clock.advance(seconds: 3_602)
      let old = try await shop.redeem(["signedTransaction": coins.signedTransaction], [coins.id], token: ada.token)
      #expect((old.status, old.code) == (422, "accountNotFound"), "\(old.text)")

      try shop.store.removeFault("unknown")
      let known = try await shop.redeem(["signedTransaction": coins.signedTransaction], [coins.id], token: ada.token)
      #expect(known.status == 200, "\(known.text)")
      #expect(try await shop.coins(of: ada.token) == 5)
    }
  }

  @Test(
    "G6 before the first release, production refuses the key: bare ids of the sandbox are accepted, and no answer shows which exist"
  )
  func notReleased() async throws {
    try await ServerAPIShop.running { shop in
      let (ada, eve, key) = (
        try await shop.identified("ada"), try await shop.identified("eve"), try await shop.adminKey()
      )
      let named = try await shop.bookStore.buy(for: ada.id, on: try await shop.bookStore.phone())
      try shop.store.set(Fault(AppNotReleasedFault(), id: "unreleased"))
      let strange = try await shop.redeem(["transactionId": named.id.rawValue], [named.id], token: eve.token)
      let unknown = try await shop.redeem(["transactionId": "1"], [TransactionID(1)], token: eve.token)
      #expect((strange.status, strange.code) == (422, "kindNotAccepted"), "\(strange.text)")
      #expect(unknown.status == 422 && unknown.text == strange.text, "\(unknown.text)")
      let given = try await shop.redeem(["transactionId": named.id.rawValue], [named.id], token: ada.token)
      #expect(given.status == 200, "\(given.text)")
      // An import refuses no row for an id that may be one of production.
      let row = try await shop.client.post(
        ImportPages.path, ImportPages.page([["subject": "ada", "transactionId": "1"]], apply: true), token: key)
      #expect((row.status, row.code) == (503, "misconfigured"), "\(row.text)")
      #expect(row.text.contains("never released"), "\(row.text)")
    }
  }

  @Test("the purchases of one store account share a stored transaction id, whatever proved them; no receipt is kept")
  func shared() async throws {
    try await ServerAPIShop.running { shop in
      let (phone, token) = (try await shop.bookStore.phone(), try await shop.anonymous())
      for number in 1...3 {
        let coins = try await shop.bookStore.buy(as: PaymentID("payment \(number)"), on: phone)
        let reply = try await shop.redeem(["signedTransaction": coins.signedTransaction], [coins.id], token: token)
        #expect(reply.status == 200, "\(reply.text)")
      }
      shop.bookStore.clock.advance(seconds: 86_400)
      let due = try await shop.ledger.takeDueProofs()
      #expect(due.map(\.proof.kind) == [.transactionID])
    }
  }

  @Test("a long history is read in pages, and an interrupted reading goes on after its last page")
  func longHistory() async throws {
    try await ServerAPIShop.running { shop in
      let (phone, token) = (try await shop.bookStore.phone(), try await shop.anonymous())
      let first = try await shop.bookStore.buy(on: phone)
      _ = try await shop.redeem(["signedTransaction": first.signedTransaction], [first.id], token: token)
      for number in 2...45 { _ = try await shop.bookStore.buy(as: PaymentID("payment \(number)"), on: phone) }
      shop.bookStore.clock.advance(seconds: 60)
      // The refund is the last change of the history.
      try await shop.store.refund(first.id)
      shop.bookStore.clock.advance(seconds: 86_400)
      let proof = try #require(try await shop.ledger.takeDueProofs().first)
      let verification = StoredProofVerification(
        ledger: shop.ledger, verifier: shop.server.verifier, metrics: ServiceMetrics(),
        clock: shop.bookStore.clock)
      var revisions: [String] = []
      for _ in 1...2 {
        let outcome = await verification.verify(proof, DownloadFixture.logger) { true }
        guard case .failed(isTemporary: true) = outcome else {
          Issue.record("\(outcome)")
          return
        }
        revisions.append(try #require(try await shop.ledger.historyRevision(of: proof)))
        #expect(try await shop.coins(of: token) == 5)
      }
      #expect(Set(revisions).count == 2)
      let before = shop.serverAPICalls
      guard case .recorded(changed: 1) = await verification.verify(proof, DownloadFixture.logger) else {
        Issue.record("the refund is not recorded")
        return
      }
      // The last page and the subscriptions.
      #expect(shop.serverAPICalls == before + 2)
      #expect(try await shop.coins(of: token) == 0)
    }
  }

  @Test("a revision that the store does not know: the whole history is read again")
  func unknownRevision() async throws {
    try await ServerAPIShop.running { shop in
      let (phone, token) = (try await shop.bookStore.phone(), try await shop.anonymous())
      let coins = try await shop.bookStore.buy(on: phone)
      _ = try await shop.redeem(["signedTransaction": coins.signedTransaction], [coins.id], token: token)
      shop.bookStore.clock.advance(seconds: 86_400)
      let proof = try #require(try await shop.ledger.takeDueProofs().first)
      try await shop.ledger.record(StoreHistoryPart(statements: nil, revision: "of another store"), for: proof)
      let verification = StoredProofVerification(
        ledger: shop.ledger, verifier: shop.server.verifier, metrics: ServiceMetrics(),
        clock: shop.bookStore.clock)
      guard case .recorded(changed: 0) = await verification.verify(proof, DownloadFixture.logger) else {
        Issue.record("the history is not read")
        return
      }
      #expect(try await shop.ledger.historyRevision(of: proof) != "of another store")
    }
  }

  @Test("a subscription has its renewal from the signed renewal information, and its next period from the history")
  func subscription() async throws {
    try await ServerAPIShop.running { shop in
      let (phone, token) = (try await shop.bookStore.phone(), try await shop.anonymous())
      let club = try await shop.bookStore.buy(BookStore.club, on: phone)
      let redeemed = try await shop.redeem(["signedTransaction": club.signedTransaction], [club.id], token: token)
      #expect(redeemed.status == 200, "\(redeemed.text)")
      func entitlement() async throws -> [String: Any] {
        let list = try await shop.client.get("\(ServerFixture.path)/entitlements", token: token)
        return try #require(list.list("entitlements").first, "\(list.text)")
      }
      let first = try await entitlement()
      #expect(first["renewal"] != nil && first["isActive"] as? Bool == true, "\(first)")
      _ = try await shop.store.changeClock(.advance(milliseconds: 40 * 86_400_000))
      shop.bookStore.clock.advance(seconds: 86_400)
      #expect(try await shop.reverify() == 1)
      let second = try await entitlement()
      #expect(second["isActive"] as? Bool == true && "\(second["expires"] ?? "")" > "\(first["expires"] ?? "")")
    }
  }

  @Test("the status of certificates: a revoked one is forged; without an answer, hard is temporary and soft accepts")
  func certificateStatus() async throws {
    for (mode, fault, status, code) in [
      ("hard", nil, 200, nil), ("hard", OCSPDownFault(.tryLater) as (any FaultKind)?, 503, "storeUnavailable"),
      ("hard", OCSPDownFault(.unreachable), 503, "storeUnavailable"),
      ("hard", OCSPStaleFault(), 503, "storeUnavailable"),
      ("hard", OCSPRevokedFault(), 422, "forgedProof"), ("soft", OCSPDownFault(), 200, nil),
      ("soft", OCSPRevokedFault(.intermediate), 422, "forgedProof"), ("off", OCSPRevokedFault(), 200, nil),
    ] as [(String, (any FaultKind)?, Int, String?)] {
      try await ServerAPIShop.running(app: ["certificateStatus": mode]) { shop in
        let token = try await shop.anonymous()
        let coins = try await shop.bookStore.buy(on: try await shop.bookStore.phone())
        if let fault { try shop.store.set(Fault(fault)) }
        let reply = try await shop.redeem(["signedTransaction": coins.signedTransaction], [coins.id], token: token)
        #expect((reply.status, reply.code) == (status, code), "\(mode) \(String(describing: fault)): \(reply.text)")
        let asked = shop.store.requests(RequestFilter(.certificateStatus)).count
        #expect((asked > 0) == (mode != "off"))
        // The answer is cached, and a forged chain is never asked about.
        _ = try await shop.redeem(["signedTransaction": coins.signedTransaction], [coins.id], token: token)
        _ = try await shop.redeem(["signedTransaction": "a.b.c"], [coins.id], token: token)
        #expect(shop.store.requests(RequestFilter(.certificateStatus)).count == asked)
      }
    }
  }
}
