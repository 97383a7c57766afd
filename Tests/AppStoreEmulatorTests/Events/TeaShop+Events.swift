import GRDB
import StoreModel

@testable import AppStoreEmulator

extension TeaShop {
  /// A shop in which every kind of event has happened.
  static func eventful() async throws -> TeaShop {
    let shop = try await lasting()
    let (store, day) = (shop.store, Int64(86_400_000))
    try await store.setRenewalRules(RenewalRules(gracePeriod: .standard), of: app)
    try await store.changeCustomer(customer, .sandbox) { $0.family = "tea" }
    try await store.addCustomer(Customer(environment: .sandbox, name: "ada", family: "tea"))
    let (phone, tablet) = (try await shop.phone(), try await shop.phone("tablet", signedInAs: "ada"))
    try await shop.buy(samovar, as: "one", on: phone)
    try await shop.buy(samovar, as: "again", on: phone)
    try await shop.refundNewest(samovar)
    try await store.reverseRefund(of: shop.newest(samovar).record.transactionID)
    try await shop.refundNewest(samovar)
    try await shop.buy(oolong, as: "two", on: phone)
    try await store.refund(shop.newest(oolong).record.transactionID, percentage: 50_000)
    // A free period: its refund pays nothing back.
    try await shop.buy(news, as: "free", on: phone)
    try await shop.refundNewest(news)
    try await store.reverseRefund(of: shop.newest(news).record.transactionID)
    try await shop.buy(yearly, as: "club", on: phone)
    let club = try await shop.newest(yearly).record.transactionID
    try await store.setAutoRenew(ofSubscription: club, isOn: false)
    try await store.setAutoRenew(ofSubscription: club, isOn: true)
    let end = try await store.subscription(club).periodEnd
    try await store.changeSubscription(club, by: [.extend(to: end.adding(seconds: 86_400))])
    try await store.changeClock(.advance(milliseconds: 367 * day))
    try await store.changeCustomer(customer, .sandbox) { $0.paymentMethod = .declined }
    _ = try await refusal { try await shop.buy(as: "declined", on: phone) }
    try await store.changeClock(.advance(milliseconds: 366 * day))
    try await store.changeCustomer(customer, .sandbox) { $0.paymentMethod = .needsAttention }
    _ = try await refusal { try await shop.buy(as: "interrupted", on: phone) }
    try await store.changeCustomer(customer, .sandbox) { $0.paymentMethod = .valid }
    try await store.changeCustomer("ada", .sandbox) { $0.needsApproval = true }
    for payment in ["yes", "no"] as [PaymentID] {
      _ = try await store.confirm(shop.quote(as: payment, on: tablet), for: tablet.id)
      _ = try await store.decideApproval(of: payment, on: tablet.id, isApproved: payment == "yes")
    }
    try await store.changeCustomer("ada", .sandbox) { ($0.storefrontCountryCode, $0.family) = ("DEU", nil) }
    _ = try await store.purchase(season, of: app, for: customer, in: .sandbox, installationID: phone.id)
    _ = try await store.purchase(teapot, of: app, for: customer, in: .sandbox)
    try await store.beginPromotedPurchase(of: sencha, on: phone.id)
    try await store.changeSettings(of: tablet.id) { $0.isRestricted = true }
    try await store.endSignIn(on: tablet.id)
    _ = try await store.signIn(SignInCredentials(account: "ada"), on: tablet.id)
    return shop
  }

  func newest(_ product: ProductID) async throws -> StoredTransaction {
    let own = try await store.transactions().first {
      $0.record.productID == product && $0.sharedTransactionID == nil
    }
    guard let own else { throw AppStoreEmulatorError.emptyName("\(product)") }
    return own
  }

  private func refundNewest(_ product: ProductID) async throws {
    try await store.refund(newest(product).record.transactionID)
  }

  /// The events, oldest first.
  func events() async throws -> [StoreEventRow] {
    try await store.database.read { try StoreEventRow.fetchAll($0.database, sql: "SELECT * FROM storeEvent") }
  }

  /// The rows of the devices' feed, with their numbers.
  func feed() async throws -> [String] {
    try await store.database.read {
      try Row.fetchAll($0.database, sql: "SELECT * FROM deviceChange ORDER BY sequence").map(\.description)
    }
  }
}
