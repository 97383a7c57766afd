import Foundation
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("Confirming a quote", .timeLimit(.minutes(30)))
struct ConfirmationTests {
  @Test("B3 confirming charges exactly the quote and records one transaction, in one commit")
  func chargesTheQuote() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    let token = "6F6A3A1C-7B7B-4F3E-9E33-0A1B2C3D4E5F"
    try await shop.buy(as: "payment 1", username: token, on: phone)

    let charges = try await shop.store.charges()
    let stored = try await shop.newestTransaction()
    let order = try #require(charges.first?.orderID)
    #expect(order.wholeMatch(of: /M[0-9A-HJKMNP-TV-Z]{10}/) != nil, "an order id like those of invoices")
    #expect(try await shop.store.transactions().count == 1)
    #expect(
      charges == [
        Charge(
          transactionID: stored.record.transactionID, orderID: order, environment: .sandbox,
          account: TeaShop.customer, bundleID: TeaShop.app, productID: TeaShop.oolong, amount: Milliunits(1990),
          currency: "USD", date: stored.record.purchaseDate)
      ])
    #expect(stored.account == TeaShop.customer)
    #expect(stored.installationID == phone.id)
    #expect(stored.paymentID == "payment 1")
    #expect(stored.finishedDate == nil)
    let record = stored.record
    #expect(record.originalTransactionID == record.transactionID)
    #expect(record.purchaseDate == TeaShop.opening.wholeSeconds)
    #expect(record.originalPurchaseDate == record.purchaseDate)
    #expect(record.applicationUsername == token)
    #expect(record.appAccountToken == UUID(uuidString: token))
    #expect(record.storefrontID == "143441")
    #expect(record.reason == .purchase)
    #expect(record.type == .consumable)
  }

  @Test("B6 quantity 4 is one charge of four times the unit price, one transaction")
  func quantity() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    let batch = try await shop.buy(quantity: 4, on: phone)
    #expect(batch.deliveries.count == 1)
    #expect(try await shop.store.charges().map(\.amount) == [Milliunits(7960)])
    let record = try await shop.newestTransaction().record
    #expect(record.quantity == 4)
    #expect(record.price == Milliunits(7960))
  }

  @Test("B5 the same product can be bought again and again, each time under a new payment id")
  func again() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    for number in 1...3 { try await shop.buy(as: PaymentID("payment \(number)"), on: phone) }
    let records = try await shop.store.transactions().map(\.record.transactionID)
    #expect(records == records.sorted(by: >))
    #expect(Set(records).count == 3)
    #expect(try await shop.store.charges().count == 3)
  }

  @Test("a transaction id begins with the store's ten digits of epoch and counts on from there")
  func transactionIDs() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    try await shop.buy(as: "one", on: phone)
    try await shop.buy(as: "two", on: phone)
    #expect(shop.store.epoch.rawValue.count == 10)
    let ids = try await shop.store.transactions().map(\.record.transactionID.rawValue)
    #expect(ids == ["000000002", "000000001"].map { shop.store.epoch.rawValue + $0 })
  }

  @Test("an epoch ends after 999,999,999 transactions rather than give a number twice")
  func epochExhausted() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    try await shop.store.database.write { try $0.database.execute(sql: "UPDATE store SET nextSequence = 999999999") }
    try await shop.buy(as: "last", on: phone)
    let before = try await shop.records()
    await #expect(throws: AppStoreEmulatorError.epochExhausted) { try await shop.buy(as: "too many", on: phone) }
    #expect(try await shop.records() == before)
  }

  @Test("B2 after a change of price the quote is stale: the new one is offered, and nothing is charged")
  func stalePrice() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    let old = try await shop.quote(on: phone)
    try await shop.sell(TeaShop.catalog(oolongPrice: 2490))
    let before = try await shop.records()
    let replacement = try #require(try await shop.store.confirm(old, for: phone.id).replacement)
    #expect(try await shop.records() == before)
    #expect(replacement.unitPrice.amount == Milliunits(2490))
    #expect(replacement.payment == old.payment)

    _ = try await shop.store.confirm(replacement, for: phone.id).purchase()
    #expect(try await shop.store.charges().map(\.amount) == [Milliunits(2490)])
  }

  @Test("B2 a customer who moved to another storefront is asked again in its currency")
  func movedCustomer() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    let old = try await shop.quote(TeaShop.sencha, on: phone)
    try await shop.store.changeCustomer(TeaShop.customer, .sandbox) { $0.storefrontCountryCode = "DEU" }
    let replacement = try #require(try await shop.store.confirm(old, for: phone.id).replacement)
    #expect(replacement.total == Price(amount: Milliunits(800), currency: "EUR"))
    #expect(try await shop.store.charges().isEmpty)
  }

  @Test("B2 another account signed in meanwhile: the account that confirmed is charged")
  func anotherAccount() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    let quote = try await shop.quote(on: phone)
    try await shop.store.addCustomer(Customer(environment: .sandbox, name: "bob"))
    _ = try await shop.store.signIn(SignInCredentials(account: "bob"), on: phone.id)
    _ = try await shop.store.confirm(quote, for: phone.id).purchase()
    #expect(try await shop.store.charges().map(\.account) == [TeaShop.customer])
    #expect(try await shop.newestTransaction().account == TeaShop.customer)
  }

  @Test("C2 a declined card refuses the payment, and that id stays refused when the card is good again")
  func declinedCard() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    try await shop.store.changeCustomer(TeaShop.customer, .sandbox) { $0.paymentMethod = .declined }
    let quote = try await shop.quote(on: phone)
    #expect(try await refusal { _ = try await shop.store.confirm(quote, for: phone.id) } == .paymentDeclined)

    try await shop.store.changeCustomer(TeaShop.customer, .sandbox) { $0.paymentMethod = .valid }
    #expect(try await refusal { _ = try await shop.store.confirm(quote, for: phone.id) } == .paymentDeclined)
    #expect(try await shop.store.charges().isEmpty)
    try await shop.buy(as: "another payment", on: phone)
    #expect(try await shop.store.charges().count == 1)
  }

  @Test("C6 if the control API restricts the installation after the quote, the payment is refused without a charge")
  func restrictedAfterQuote() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    let quote = try await shop.quote(on: phone)
    let charged = try await shop.quote(as: "charged before", on: phone)
    _ = try await shop.store.confirm(charged, for: phone.id).purchase()
    try await shop.store.changeSettings(of: phone.id) { $0.isRestricted = true }
    #expect(try await refusal { _ = try await shop.store.confirm(quote, for: phone.id) } == .paymentNotAllowed)
    // A payment that was charged before keeps its answer.
    _ = try await shop.store.confirm(charged, for: phone.id).purchase()
    try await shop.store.changeSettings(of: phone.id) { $0.isRestricted = nil }
    #expect(try await refusal { _ = try await shop.store.confirm(quote, for: phone.id) } == .paymentNotAllowed)
    #expect(try await shop.store.charges().count == 1)
  }

  @Test("B3 a product taken off sale after the quote is refused, nothing is charged, and the refusal is remembered")
  func takenOffSale() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    let quote = try await shop.quote(on: phone)
    try await shop.sell([])
    #expect(try await refusal { _ = try await shop.store.confirm(quote, for: phone.id) } == .productNotAvailable)
    try await shop.sell(TeaShop.catalog())
    #expect(try await refusal { _ = try await shop.store.confirm(quote, for: phone.id) } == .productNotAvailable)
    #expect(try await shop.store.charges().isEmpty)
  }

  @Test("B3 a store whose clock is before its certificates' time charges nothing, for it could not deliver")
  func unsignableTime() async throws {
    // 2001: the certificates begin in 2014.
    let shop = try await TeaShop(opening: StoreDate(millisecondsSince1970: 1_000_000_000_000))
    let phone = try await shop.phone()
    let quote = try await shop.quote(on: phone)
    await #expect(throws: (any Error).self) { try await shop.store.confirm(quote, for: phone.id) }
    #expect(try await shop.store.charges().isEmpty)
  }
}
