import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("The sums and entitlements of a customer", .timeLimit(.minutes(30)))
struct CustomerTotalsTests {
  private func totals(_ shop: TeaShop, _ name: AccountName = TeaShop.customer) async throws -> CustomerTotals {
    try await shop.store.totals(of: name, .sandbox)
  }

  private func entitlements(
    _ shop: TeaShop, _ name: AccountName = TeaShop.customer
  ) async throws -> CustomerEntitlements {
    try await shop.store.entitlements(of: name, .sandbox, limit: 10)
  }

  private func purchase(
    _ product: ProductID, in shop: TeaShop, for name: AccountName = TeaShop.customer,
    environment: StoreEnvironment = .sandbox
  ) async throws -> TransactionID {
    try await shop.store.purchase(product, of: TeaShop.app, for: name, in: environment).record.transactionID
  }

  @Test("what is spent is the charges without the refunds, by currency, of this customer in this environment")
  func spent() async throws {
    let shop = try await TeaShop()
    #expect(
      try await totals(shop) == CustomerTotals(spent: [], purchases: 0, refunds: 0, refusedPayments: 0))
    try await shop.store.addCustomer(Customer(environment: .sandbox, name: "ada"))
    _ = try await purchase(TeaShop.oolong, in: shop, for: "ada")
    _ = try await purchase(TeaShop.teapot, in: shop, environment: .production)
    let refunded = try await purchase(TeaShop.oolong, in: shop)
    try await shop.store.refund(refunded)
    let partly = try await purchase(TeaShop.teapot, in: shop)
    try await shop.store.refund(partly, percentage: 50_000)
    try await shop.store.changeCustomer(TeaShop.customer, .sandbox) { $0.storefrontCountryCode = "DEU" }
    _ = try await purchase(TeaShop.sencha, in: shop)
    let sums = try await totals(shop)
    #expect(
      sums.spent == [
        Price(amount: Milliunits(800), currency: "EUR"), Price(amount: Milliunits(12_000), currency: "USD"),
      ])
    #expect((sums.purchases, sums.refunds) == (3, 2))
    try await shop.store.reverseRefund(of: refunded)
    #expect(try await totals(shop).spent.last == Price(amount: Milliunits(13_990), currency: "USD"))
  }

  @Test("a refused payment counts as a failed attempt, an approved one does not")
  func refusedPayments() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    try await shop.store.changeCustomer(TeaShop.customer, .sandbox) { $0.paymentMethod = .declined }
    #expect(try await refusal { try await shop.buy(as: "declined", on: phone) } == .paymentDeclined)
    try await shop.store.changeCustomer(TeaShop.customer, .sandbox) { $0.paymentMethod = .valid }
    try await shop.store.changeCustomer(TeaShop.customer, .sandbox) { $0.needsApproval = true }
    for (payment, isApproved) in [("yes", true), ("no", false)] as [(PaymentID, Bool)] {
      _ = try await shop.store.confirm(try await shop.quote(as: payment, on: phone), for: phone.id)
      try await shop.store.decideApproval(of: payment, on: phone.id, isApproved: isApproved)
    }
    let sums = try await totals(shop)
    #expect((sums.purchases, sums.refusedPayments) == (1, 2))
  }

  @Test("D1 a customer owns non-consumables, subscriptions with access and shares, and nothing that was revoked")
  func owned() async throws {
    let shop = try await TeaShop.lasting()
    for name in ["ada", "bob"] as [AccountName] {
      try await shop.store.addCustomer(Customer(environment: .sandbox, name: name, family: "tea drinkers"))
    }
    let samovar = try await purchase(TeaShop.samovar, in: shop, for: "ada")
    _ = try await purchase(TeaShop.oolong, in: shop, for: "ada")
    _ = try await purchase(TeaShop.monthly, in: shop, for: "ada")
    let teapot = try await purchase(TeaShop.teapot, in: shop, for: "ada")
    let ada = try await entitlements(shop, "ada")
    #expect(ada.transactions.map(\.record.transactionID) == [teapot, samovar])
    #expect(ada.subscriptions.map(\.productID) == [TeaShop.monthly])
    let bob = try await entitlements(shop, "bob")
    #expect(bob.transactions.map(\.sharedTransactionID) == [samovar])
    #expect(bob.subscriptions.isEmpty)
    #expect(try await totals(shop, "bob").purchases == 0)
    try await shop.store.refund(samovar)
    #expect(try await entitlements(shop, "ada").transactions.map(\.record.transactionID) == [teapot])
    #expect(try await entitlements(shop, "bob").transactions.isEmpty)
  }

  @Test("A1 a subscription is an entitlement in its grace period, and no longer after it")
  func gracePeriod() async throws {
    let shop = try await TeaShop.lasting()
    try await shop.store.setRenewalRules(RenewalRules(gracePeriod: .standard), of: TeaShop.app)
    _ = try await purchase(TeaShop.monthly, in: shop)
    try await shop.store.changeCustomer(TeaShop.customer, .sandbox) { $0.paymentMethod = .declined }
    let day: Int64 = 86_400_000
    try await shop.store.changeClock(.advance(milliseconds: 32 * day))
    let inGrace = try await entitlements(shop)
    #expect(inGrace.subscriptions.map(\.state) == [.gracePeriod])
    #expect(inGrace.transactions.isEmpty)
    try await shop.store.changeClock(.advance(milliseconds: 100 * day))
    #expect(try await entitlements(shop) == CustomerEntitlements(transactions: [], subscriptions: []))
  }
}
