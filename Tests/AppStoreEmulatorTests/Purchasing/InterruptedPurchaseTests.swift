import Foundation
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("Purchases that are interrupted", .timeLimit(.minutes(30)))
struct InterruptedPurchaseTests {
  /// Returns a shop whose customer's payment method needs attention, and the quote of a payment that was interrupted for it.
  private func interrupted(
    report: @escaping @Sendable (StoreProblem) -> Void = { _ in }
  ) async throws -> (shop: TeaShop, phone: Phone, quote: PaymentQuote) {
    let shop = try await TeaShop(report: report)
    let phone = try await shop.phone()
    try await method(.needsAttention, in: shop)
    let quote = try await shop.quote(quantity: 3, username: "leaf", on: phone)
    #expect(try await refusal { _ = try await shop.store.confirm(quote, for: phone.id) } == .purchaseInterrupted)
    return (shop, phone, quote)
  }

  private func method(_ method: Customer.PaymentMethod, in shop: TeaShop) async throws {
    try await shop.store.changeCustomer(TeaShop.customer, .sandbox) { $0.paymentMethod = method }
  }

  @Test("C2 the payment fails for good, and nothing is charged while the matter is open")
  func fails() async throws {
    let (shop, phone, quote) = try await interrupted()
    let before = try await shop.records()
    #expect(try await refusal { _ = try await shop.store.confirm(quote, for: phone.id) } == .purchaseInterrupted)
    #expect(try await shop.records() == before)
    #expect(try await shop.store.charges().isEmpty)
  }

  @Test("C2 once it is settled the purchase is made: one transaction of its own, at the price that was confirmed")
  func resumed() async throws {
    let (shop, phone, quote) = try await interrupted()
    shop.clock.advance(seconds: 60)
    try await shop.store.changeProduct(TeaShop.oolong, of: TeaShop.app, ProductChange(price: Milliunits(5)))
    let rings = shop.store.database.deviceChanges.count
    try await method(.valid, in: shop)
    #expect(shop.store.database.deviceChanges.count == rings + 1)
    let stored = try await shop.newestTransaction()
    #expect((stored.paymentID, stored.installationID, stored.account) == (nil, phone.id, TeaShop.customer))
    #expect((stored.record.quantity, stored.record.price) == (3, Milliunits(5970)))
    #expect(stored.record.applicationUsername == "leaf")
    #expect(stored.record.purchaseDate == TeaShop.opening.adding(seconds: 60).wholeSeconds)
    #expect(try await shop.store.charges().map(\.amount) == [Milliunits(5970)])
    let received = try await shop.store.changes(after: ChangeCursor(rawValue: 0), waitSeconds: 0, for: phone.id).changes
    #expect(received == [StoreChange(.transactionsWaiting)])
    #expect(try await shop.store.unfinished(for: phone.id).deliveries.count == 1)
    // The payment itself stays failed, because the device has received that result for its id.
    #expect(try await refusal { _ = try await shop.store.confirm(quote, for: phone.id) } == .purchaseInterrupted)
  }

  @Test("B9 it is bought once, however often the customer is changed afterwards")
  func once() async throws {
    let (shop, _, _) = try await interrupted()
    for method in [.valid, .valid, .needsAttention, .valid] as [Customer.PaymentMethod] {
      try await self.method(method, in: shop)
    }
    try await shop.store.changeCustomer(TeaShop.customer, .sandbox) { $0.storefrontCountryCode = "JPN" }
    #expect(try await shop.store.charges().count == 1)
  }

  @Test("B9 of several attempts to buy one product on one installation the last is bought, and no other")
  func lastAttempt() async throws {
    let (shop, phone, _) = try await interrupted()
    for quantity in 4...6 {
      let code = try await refusal {
        try await shop.buy(quantity: quantity, as: PaymentID("again \(quantity)"), on: phone)
      }
      #expect(code == .purchaseInterrupted)
    }
    try await method(.valid, in: shop)
    #expect(try await shop.store.charges().map(\.amount) == [Milliunits(6 * 1990)])
    #expect(try await shop.store.transactions().map(\.record.quantity) == [6])
    // The earlier attempts are deleted, and not bought the next time.
    try await method(.needsAttention, in: shop)
    try await method(.valid, in: shop)
    #expect(try await shop.store.charges().count == 1)
  }

  @Test("B9 attempts on two installations, and for two products, are bought once each")
  func attemptsApart() async throws {
    let (shop, phone, _) = try await interrupted()
    let tablet = try await shop.phone("tablet")
    let attempts: [(ProductID, PaymentID, Phone)] = [
      (TeaShop.oolong, "on the tablet", tablet), (TeaShop.sencha, "sencha", phone),
      (TeaShop.oolong, "again", phone), (TeaShop.sencha, "sencha again", phone),
    ]
    for (product, payment, phone) in attempts {
      #expect(try await refusal { try await shop.buy(product, as: payment, on: phone) } == .purchaseInterrupted)
    }
    try await method(.valid, in: shop)
    let bought = try await shop.store.transactions().map {
      [$0.installationID?.rawValue, $0.record.productID.rawValue]
    }
    #expect(bought.count == 3)
    #expect(
      Set(bought) == [
        [phone.id.rawValue, TeaShop.oolong.rawValue], [phone.id.rawValue, TeaShop.sencha.rawValue],
        [tablet.id.rawValue, TeaShop.oolong.rawValue],
      ])
    #expect(try await shop.store.charges().count == 3)
  }

  @Test(
    "B3 where the customer needs approval before it is settled, it is charged once that is given, and not before",
    arguments: ["settled with it", "settled before the approval", "settled after the approval"])
  func needsApproval(order: String) async throws {
    let (shop, phone, quote) = try await interrupted()
    let store = shop.store
    #expect(
      try await refusal { try await shop.buy(quantity: 2, as: "again", username: "leaf", on: phone) }
        == .purchaseInterrupted)
    try await store.changeCustomer(TeaShop.customer, .sandbox) {
      $0.needsApproval = true
      if order == "settled with it" { $0.paymentMethod = .valid }
    }
    if order == "settled before the approval" { try await method(.valid, in: shop) }
    #expect(try await store.charges().isEmpty)
    let waiting = try await store.pendingApprovals()
    #expect(waiting.map(\.total.amount) == [Milliunits(3980)])
    #expect(waiting.map(\.payment.paymentID) != ["again"])
    let payment = try #require(waiting.first?.payment.paymentID)
    try await store.decideApproval(of: payment, on: phone.id, isApproved: true)
    if order == "settled after the approval" {
      #expect(try await store.charges().isEmpty)
      try await method(.valid, in: shop)
    }
    #expect(try await store.charges().map(\.amount) == [Milliunits(3980)])
    #expect(try await store.unfinished(for: phone.id).deliveries.count == 1)
    try await store.changeCustomer(TeaShop.customer, .sandbox) { $0.needsApproval = false }
    #expect(try await store.charges().count == 1)
    #expect(try await store.pendingApprovals().isEmpty)
    #expect(try await refusal { _ = try await store.confirm(quote, for: phone.id) } == .purchaseInterrupted)
  }

  @Test("B3 what was interrupted and is then not approved is never charged, whatever becomes of the customer")
  func notApproved() async throws {
    let (shop, phone, _) = try await interrupted()
    // The payment id that the store would choose first may be taken by an app.
    let taken = try await refusal { try await shop.buy(TeaShop.sencha, as: "payment 1 resumed", on: phone) }
    #expect(taken == .purchaseInterrupted)
    try await shop.store.changeCustomer(TeaShop.customer, .sandbox) { $0.needsApproval = true }
    let waiting = try await shop.store.pendingApprovals().map(\.payment.paymentID)
    #expect(waiting == ["payment 1 resumed resumed", "payment 1 resumed resumed resumed"])
    for payment in waiting { try await shop.store.decideApproval(of: payment, on: phone.id, isApproved: false) }
    try await method(.valid, in: shop)
    try await shop.store.changeCustomer(TeaShop.customer, .sandbox) { $0.needsApproval = false }
    #expect(try await shop.store.charges().isEmpty)
    #expect(try await shop.store.pendingApprovals().isEmpty)
  }

  @Test("a change that settles nothing buys nothing", arguments: ["storefront", "declined"])
  func notSettled(change: String) async throws {
    let (shop, _, _) = try await interrupted()
    if change == "declined" {
      try await method(.declined, in: shop)
    } else {
      try await shop.store.changeCustomer(TeaShop.customer, .sandbox) { $0.storefrontCountryCode = "JPN" }
    }
    #expect(try await shop.store.charges().isEmpty)
    try await method(.valid, in: shop)
    #expect(try await shop.store.charges().count == 1)
  }

  @Test("another customer's matter, or the same name's in the other environment, settles nothing here")
  func others() async throws {
    let (shop, _, _) = try await interrupted()
    try await shop.store.addCustomer(Customer(environment: .sandbox, name: "bob"))
    try await shop.store.changeCustomer("bob", .sandbox) { $0.paymentMethod = .valid }
    try await shop.store.changeCustomer(TeaShop.customer, .production) { $0.paymentMethod = .valid }
    #expect(try await shop.store.charges().isEmpty)
  }

  @Test("C2 what is no longer for sale then is not bought, which is reported, and the customer is settled all the same")
  func productGone() async throws {
    let problems = LockedValue<[StoreProblem]>([])
    let (shop, phone, quote) = try await interrupted { problem in problems.withLock { $0.append(problem) } }
    #expect(try await refusal { try await shop.buy(TeaShop.sencha, as: "sencha", on: phone) } == .purchaseInterrupted)
    try await shop.store.changeProduct(TeaShop.oolong, of: TeaShop.app, ProductChange(isOnSale: false))
    try await method(.valid, in: shop)
    #expect(try await shop.store.charges().map(\.productID) == [TeaShop.sencha])
    #expect(
      problems.value == [
        .interruptedPurchaseGivenUp(
          phone.id, quote.payment.paymentID, reason: "\(TeaShop.oolong) is not for sale")
      ])
    #expect(try await shop.store.customer(TeaShop.customer, .sandbox).paymentMethod == .valid)
    try await shop.store.changeProduct(TeaShop.oolong, of: TeaShop.app, ProductChange(isOnSale: true))
    try await method(.valid, in: shop)
    #expect(try await shop.store.charges().count == 1)
  }

  @Test("what could not be signed is not bought: the matter stays open, and the next attempt settles it")
  func unsignable() async throws {
    let keys = try ScratchFolder()
    let shop = try await TeaShop(keyDirectory: keys.url)
    try await method(.needsAttention, in: shop)
    #expect(
      try await refusal { try await shop.buy(on: try await shop.phone()) } == .purchaseInterrupted)
    shop.loseKeys(in: keys)
    let before = try await shop.trade()
    #expect(try await refusal { try await method(.valid, in: shop) } == .temporarilyUnavailable)
    #expect(try await shop.trade() == before)
    // This change needs no signature.
    try await shop.store.changeCustomer(TeaShop.customer, .sandbox) { $0.storefrontCountryCode = "JPN" }
  }

  @Test("an interrupted purchase outside the app is not repeated: the error says so, and nothing is bought later")
  func outside() async throws {
    let shop = try await TeaShop()
    try await method(.needsAttention, in: shop)
    let code = try await refusal {
      _ = try await shop.store.purchase(TeaShop.oolong, of: TeaShop.app, for: TeaShop.customer, in: .sandbox)
    }
    #expect(code == .purchaseInterrupted)
    try await method(.valid, in: shop)
    #expect(try await shop.store.charges().isEmpty)
  }
}
