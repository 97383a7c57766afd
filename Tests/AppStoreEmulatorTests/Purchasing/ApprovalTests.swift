import Foundation
import GRDB
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("Payments that wait for approval", .timeLimit(.minutes(30)))
struct ApprovalTests {
  /// Returns a shop with a child's phone, and the confirmed quote of a payment that waits for approval.
  private func waiting(
    as payment: PaymentID = "payment 1", quantity: Int = 2, keys: ScratchFolder? = nil
  ) async throws -> (shop: TeaShop, phone: Phone, quote: PaymentQuote) {
    let opening = keys == nil ? TeaShop.opening : TeaShop.lastDayOfKeys
    let shop = try await TeaShop(keyDirectory: keys?.url, opening: opening)
    try await shop.store.addCustomer(Customer(environment: .sandbox, name: "child", needsApproval: true))
    let phone = try await shop.phone(signedInAs: "child")
    let quote = try await shop.quote(quantity: quantity, as: payment, username: "leaf", on: phone)
    #expect(try await shop.store.confirm(quote, for: phone.id) == .deferred)
    return (shop, phone, quote)
  }

  private func changes(_ shop: TeaShop, _ phone: Phone) async throws -> [StoreChange] {
    try await shop.store.changes(after: ChangeCursor(rawValue: 0), waitSeconds: 0, for: phone.id).changes
  }

  @Test("B3 a payment that waits is charged nothing, is listed, and is answered the same however often it is asked")
  func waits() async throws {
    let (shop, phone, quote) = try await waiting()
    let before = try await shop.records()
    #expect(try await shop.store.confirm(quote, for: phone.id) == .deferred)
    #expect(try await shop.records() == before)
    #expect(try await shop.store.charges().isEmpty)
    #expect(try await shop.store.unfinished(for: phone.id).deliveries.isEmpty)
    #expect(
      try await shop.store.pendingApprovals() == [
        PendingApproval(
          installationID: phone.id, payment: quote.payment, account: "child",
          total: Price(amount: Milliunits(3980), currency: "USD"), date: TeaShop.opening)
      ])
  }

  @Test("B3 approved, it is charged once: exactly what was confirmed, and delivered to the phone that waits")
  func approved() async throws {
    let (shop, phone, quote) = try await waiting()
    shop.clock.advance(seconds: 100)
    // The confirmed price is charged, although the product's price changes.
    try await shop.store.changeProduct(TeaShop.oolong, of: TeaShop.app, ProductChange(price: Milliunits(9000)))
    let rings = shop.store.database.deviceChanges.count
    let stored = try #require(try await shop.store.decideApproval(of: "payment 1", on: phone.id, isApproved: true))
    #expect(shop.store.database.deviceChanges.count == rings + 1)
    #expect(try await changes(shop, phone) == [StoreChange(.paymentDecided)])
    #expect(stored.record.purchaseDate == TeaShop.opening.adding(seconds: 100).wholeSeconds)
    #expect((stored.paymentID, stored.installationID, stored.account) == ("payment 1", phone.id, "child"))
    #expect(stored.record.applicationUsername == "leaf")
    for _ in 1...2 {
      let batch = try await shop.store.confirm(quote, for: phone.id).purchase()
      #expect(batch.deliveries.map(\.paymentID) == ["payment 1"])
    }
    #expect(try await shop.store.unfinished(for: phone.id).deliveries.count == 1)
    #expect(try await shop.store.charges().map(\.amount) == [Milliunits(3980)])
    #expect(try await shop.store.pendingApprovals().isEmpty)
  }

  @Test("B3 declined, it is refused for good and nothing is charged")
  func declined() async throws {
    let (shop, phone, quote) = try await waiting()
    #expect(try await shop.store.decideApproval(of: "payment 1", on: phone.id, isApproved: false) == nil)
    for _ in 1...2 {
      #expect(try await refusal { _ = try await shop.store.confirm(quote, for: phone.id) } == .approvalDeclined)
    }
    #expect(try await changes(shop, phone) == [StoreChange(.paymentDecided)])
    #expect(try await shop.store.charges().isEmpty)
    #expect(try await shop.store.pendingApprovals().isEmpty)
  }

  @Test(
    "B3 is decided once: a second decision, or one of nothing, is refused and changes nothing",
    arguments: [true, false])
  func decidedOnce(isApproved: Bool) async throws {
    let (shop, phone, _) = try await waiting()
    _ = try await shop.store.decideApproval(of: "payment 1", on: phone.id, isApproved: isApproved)
    try await shop.buy(as: "paid", on: try await shop.phone("tablet"))
    let before = try await shop.records()
    for (payment, installation) in [
      ("payment 1", phone.id), ("payment 2", phone.id), ("payment 1", "stranger"), ("paid", "installation of tablet"),
    ] as [(PaymentID, InstallationID)] {
      for decision in [true, false] {
        await #expect(throws: AppStoreEmulatorError.noSuchApproval(installation, payment)) {
          try await shop.store.decideApproval(of: payment, on: installation, isApproved: decision)
        }
      }
    }
    #expect(try await shop.records() == before)
  }

  @Test("B3 two who decide at once: one decision counts, and at most one charge is made")
  func race() async throws {
    for _ in 1...20 {
      let (shop, phone, _) = try await waiting()
      let decided = await withTaskGroup(of: Bool.self) { group in
        for isApproved in [true, false, true] {
          group.addTask {
            do {
              try await shop.store.decideApproval(of: "payment 1", on: phone.id, isApproved: isApproved)
              return true
            } catch {
              return false
            }
          }
        }
        return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
      }
      #expect(decided == 1)
      #expect(try await shop.store.charges().count <= 1)
    }
  }

  @Test("C2 approved when the card is declined: refused for that, and remembered")
  func cardDeclined() async throws {
    let (shop, phone, quote) = try await waiting()
    try await shop.store.changeCustomer("child", .sandbox) { $0.paymentMethod = .declined }
    #expect(try await shop.store.decideApproval(of: "payment 1", on: phone.id, isApproved: true) == nil)
    try await shop.store.changeCustomer("child", .sandbox) { $0.paymentMethod = .valid }
    #expect(try await refusal { _ = try await shop.store.confirm(quote, for: phone.id) } == .paymentDeclined)
    #expect(try await shop.store.charges().isEmpty)
  }

  @Test("C2 approved when the account needs attention: interrupted, and bought once that is settled")
  func interrupted() async throws {
    let (shop, phone, quote) = try await waiting()
    try await shop.store.changeCustomer("child", .sandbox) { $0.paymentMethod = .needsAttention }
    #expect(try await shop.store.decideApproval(of: "payment 1", on: phone.id, isApproved: true) == nil)
    #expect(try await refusal { _ = try await shop.store.confirm(quote, for: phone.id) } == .purchaseInterrupted)
    try await shop.store.changeCustomer("child", .sandbox) { $0.paymentMethod = .valid }
    #expect(try await shop.store.charges().map(\.amount) == [Milliunits(3980)])
    #expect(try await shop.store.unfinished(for: phone.id).deliveries.map(\.paymentID) == [nil])
  }

  @Test("B3 approved when the product is gone: refused for that, and no longer waiting")
  func productGone() async throws {
    let (shop, phone, quote) = try await waiting()
    try await shop.sell([])
    #expect(try await shop.store.decideApproval(of: "payment 1", on: phone.id, isApproved: true) == nil)
    #expect(try await refusal { _ = try await shop.store.confirm(quote, for: phone.id) } == .productNotAvailable)
    #expect(try await shop.store.pendingApprovals().isEmpty)
    #expect(try await shop.store.charges().isEmpty)
  }

  @Test("a store that cannot sign leaves the payment waiting rather than charge it")
  func unsignable() async throws {
    let keys = try ScratchFolder()
    let (shop, phone, _) = try await waiting(keys: keys)
    shop.loseKeys(in: keys, days: 0.75)
    await #expect(throws: StoreRefusal.self) {
      try await shop.store.decideApproval(of: "payment 1", on: phone.id, isApproved: true)
    }
    #expect(try await shop.store.charges().isEmpty)
    #expect(try await shop.store.pendingApprovals().count == 1)
    #expect(try await shop.store.decideApproval(of: "payment 1", on: phone.id, isApproved: false) == nil)
  }

  @Test("B9 the same payment id with other content is a conflict while it waits, as it is afterwards")
  func conflict() async throws {
    let (shop, phone, _) = try await waiting(quantity: 2)
    let other = try await shop.quote(quantity: 3, as: "payment 1", username: "leaf", on: phone)
    #expect(try await refusal { _ = try await shop.store.confirm(other, for: phone.id) } == .paymentConflict)
    #expect(try await shop.store.pendingApprovals().map(\.payment.quantity) == [2])
  }

  @Test(
    "in the sandbox an app may ask for it itself; in production nobody listens",
    arguments: [StoreEnvironment.sandbox, .production])
  func simulated(environment: StoreEnvironment) async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone(in: environment)
    for (number, simulates) in [true, false, nil].enumerated() {
      let payment = PaymentRequest(
        paymentID: PaymentID("\(number)"), productID: TeaShop.oolong, simulatesAskToBuyInSandbox: simulates)
      let answer = try await shop.store.confirm(try await shop.store.quote(payment, for: phone.id), for: phone.id)
      #expect((answer == .deferred) == (simulates == true && environment == .sandbox))
    }
  }

  @Test("are listed oldest first, of all customers, also after a restart")
  func listed() async throws {
    let folder = try ScratchFolder()
    defer { folder.remove() }
    let shop = try await TeaShop(directory: folder.url)
    for (place, name) in (["cy", "ben", "amy"] as [AccountName]).enumerated() {
      try await shop.store.addCustomer(Customer(environment: .sandbox, name: name, needsApproval: true))
      let phone = try await shop.phone("phone of \(name)", signedInAs: name)
      // The second and the third payment have the same date.
      if place < 2 { shop.clock.advance(seconds: 1) }
      _ = try await shop.store.confirm(try await shop.quote(on: phone), for: phone.id)
    }
    try shop.store.close()
    let again = try await TeaShop(directory: folder.url, opening: shop.clock.now)
    #expect(try await again.store.pendingApprovals().map(\.account) == ["cy", "ben", "amy"])
    try again.store.close()
  }

  @Test("are listed with a filter of customer, environment, app, product and text, at most as many as asked for")
  func filtered() async throws {
    let (shop, phone, first) = try await waiting()
    try await shop.store.addCustomer(Customer(environment: .sandbox, name: "twin", needsApproval: true))
    let other = try await shop.phone("other", signedInAs: "twin")
    for payment in ["payment 2", "payment 3"] as [PaymentID] {
      let quote = try await shop.quote(TeaShop.sencha, as: payment, on: other)
      _ = try await shop.store.confirm(quote, for: other.id)
    }
    func found(_ filter: RecordFilter) async throws -> [PaymentID] {
      try await shop.store.approvals(fitting: filter).map(\.approval.payment.paymentID)
    }
    #expect(try await found(RecordFilter()) == ["payment 1", "payment 2", "payment 3"])
    #expect(try await found(RecordFilter(limit: 2)) == ["payment 1", "payment 2"])
    #expect(try await found(RecordFilter(account: "twin", limit: 1)) == ["payment 2"])
    #expect(try await found(RecordFilter(productID: TeaShop.oolong)) == ["payment 1"])
    #expect(try await found(RecordFilter(search: "LEAF")) == ["payment 1"])
    #expect(try await found(RecordFilter(bundleID: TeaShop.app, environment: .sandbox, account: "child")).count == 1)
    for filter in [RecordFilter(bundleID: "org.example.other"), RecordFilter(environment: .production)] {
      #expect(try await found(filter) == [])
    }
    let installations = try await shop.store.approvals(fitting: RecordFilter(account: "child")).map(\.installation)
    #expect(installations.map(\.installationID) == [phone.id])
    _ = try await shop.store.decideApproval(of: first.payment.paymentID, on: phone.id, isApproved: false)
    #expect(try await found(RecordFilter(account: "child")) == [])
  }

  @Test(
    "C6 those of a customer are found without reading those of others, or what the customer was refused",
    arguments: [nil, "child"] as [AccountName?])
  func plan(of account: AccountName?) async throws {
    let shop = try await TeaShop()
    let plan = try await shop.store.database.read { work in
      let request = RecordListing.waiting(RecordFilter(environment: .sandbox, account: account))
      let statement = try request.makePreparedRequest(work.database, forSingleResult: false).statement
      return try Row.fetchAll(
        work.database, sql: "EXPLAIN QUERY PLAN \(statement.sql)", arguments: statement.arguments
      ).map { $0["detail"] as String }
    }
    let index = account == nil ? "SCAN payment USING INDEX paymentWaiting" : "paymentWaitingOfCustomer (account=?)"
    #expect(plan.first?.contains(index) == true && plan.count == 2, "\(plan)")
  }
}
