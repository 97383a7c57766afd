import AppStoreEmulator
import Foundation
import ShopFixtures
import StoreModel
import Testing

@testable import OpenStoreKit

/// The tables "A purchase" and "Errors" of Documentation/storekit2.md.
@Suite("StoreKit 2: purchases", .timeLimit(.minutes(30)))
struct ProductPurchaseTests {
  @Test(
    "B4 a purchase returns its verified transaction, is unfinished until it is finished, and is charged once",
    arguments: [false, true])
  func purchase(isObserved: Bool) async throws {
    let test = try await TestStore.club()
    let device = try test.clubDevice(isObserved: isObserved)
    let five = try await device.product(TestStore.five)
    let result: Product.PurchaseResult = try await five.purchase()
    guard case .success(.verified(let bought)) = result else {
      Issue.record("not purchased")
      return
    }
    #expect(bought.productID == TestStore.five && bought.productType == .consumable)
    #expect(try await device.unfinished().map(\.id) == [bought.id])
    await bought.finish()
    await bought.finish()
    #expect(try await device.unfinished().isEmpty)
    #expect(try await test.chargeCount() == 1)
  }

  @Test("options reach the store: the token, the quantity")
  func options() async throws {
    let test = try await TestStore.club()
    let device = try test.clubDevice()
    let token = UUID()
    let bought = try await device.purchase(
      TestStore.five,
      [
        .appAccountToken(token), .quantity(3), .custom(key: "text", value: "a"), .custom(key: "number", value: 1.5),
        .custom(key: "flag", value: true), .custom(key: "data", value: Data([1])), .simulatesAskToBuyInSandbox(false),
        .billingPlanType(.upFront),
      ])
    #expect(bought.appAccountToken == token && bought.purchasedQuantity == 3)
    #expect(bought.price == Decimal(string: "2.97"))
  }

  @Test("options are equal if their contents are; each closure is one of its own")
  func optionEquality() {
    let options: Set<Product.PurchaseOption> = [.quantity(3), .quantity(3), .appAccountToken(UUID())]
    #expect(options.count == 2 && options.contains(.quantity(3)) && !options.contains(.quantity(2)))
    let change = Product.PurchaseOption.onStorefrontChange { _ in true }
    #expect(change == change && change != .onStorefrontChange { _ in true })
    #expect(Product.PurchaseOption.promotionalOffer("half", compactJWS: "a.b.c").count == 1)
    #expect(Product.PurchaseOption.quantity(3).debugDescription == "quantity: 3")
  }

  @Test(
    "a wrong quantity throws before anything is stored or sent",
    arguments: [
      (TestStore.five, 0), (TestStore.five, 11), (TestStore.five, -1), (TestStore.sepia, 2), (TestStore.monthly, 2),
    ])
  func quantity(product: String, quantity: Int) async throws {
    let test = try await TestStore.club()
    let connection = ScriptedConnection(test.store)
    let device = try test.clubDevice(through: connection)
    let product = try await device.product(product)
    let calls = connection.sent.count
    await #expect(throws: Product.PurchaseError.invalidQuantity) {
      try await product.purchase(options: [.quantity(quantity)])
    }
    #expect(connection.sent.count == calls && device.paymentQueue.transactions.isEmpty)
  }

  @Test("a non-renewing subscription can be bought several times, also at once")
  func nonRenewing() async throws {
    let test = try await TestStore.club()
    let device = try test.clubDevice()
    let first = try await device.purchase(TestStore.season, [.quantity(2)])
    let second = try await device.purchase(TestStore.season)
    #expect(first.purchasedQuantity == 2 && first.id != second.id)
    #expect(try await device.entitlements().map(\.id) == [second.id, first.id])
  }

  @Test("a customer who cancels gets no product, and nothing is charged", arguments: [false, true])
  func cancelled(isObserved: Bool) async throws {
    let test = try await TestStore.club()
    let device = try test.clubDevice(
      customer: ScriptedCustomer(confirmations: [.cancel]), isObserved: isObserved)
    guard case .userCancelled = try await device.product(TestStore.five).purchase() else {
      Issue.record("not cancelled")
      return
    }
    #expect(try await test.chargeCount() == 0)
    #expect(
      device.paymentQueue.transactions.isEmpty, "observers of StoreKit 1 do not see a failed payment of StoreKit 2")
    // The next purchase is not affected.
    try await device.purchase(TestStore.five)
  }

  @Test("a customer who does not sign in cancels the purchase")
  func noSignIn() async throws {
    let test = try await TestStore.club()
    let device = try test.clubDevice(customer: ScriptedCustomer(signIns: [.cancel, .cancel]))
    guard case .userCancelled = try await device.product(TestStore.five).purchase() else {
      Issue.record("not cancelled")
      return
    }
  }

  @Test("Ask to Buy is pending; after the approval, the transaction arrives on updates", arguments: [true, false])
  func askToBuy(isSimulated: Bool) async throws {
    let test = try await TestStore.club()
    let device = try test.clubDevice()
    var updates = device.transactionUpdates()
    if !isSimulated { _ = try await test.store.changeCustomer("customer", .sandbox) { $0.needsApproval = true } }
    let options: Set<Product.PurchaseOption> = isSimulated ? [.simulatesAskToBuyInSandbox(true)] : []
    guard case .pending = try await device.product(TestStore.five).purchase(options: options) else {
      Issue.record("not pending")
      return
    }
    #expect(try await device.unfinished().isEmpty)
    let pending = try #require(try await test.store.pendingApprovals().first)
    try await test.store.decideApproval(of: pending.payment.paymentID, on: pending.installationID, isApproved: true)
    let approved = try await updates.nextTransaction()
    #expect(approved.productID == TestStore.five)
    #expect(try await device.unfinished().map(\.id) == [approved.id])
  }

  @Test("an interrupted purchase is pending; the store buys later, in another transaction")
  func interrupted() async throws {
    let test = try await TestStore.club()
    let device = try test.clubDevice()
    var updates = device.transactionUpdates()
    try await test.pay(.needsAttention)
    guard case .pending = try await device.product(TestStore.five).purchase() else {
      Issue.record("not pending")
      return
    }
    #expect(device.paymentQueue.transactions.isEmpty)
    try await test.pay(.valid)
    #expect(try await updates.nextTransaction().productID == TestStore.five)
    #expect(try await test.chargeCount() == 1)
  }

  @Test(
    "D1 what is owned is returned without a charge, with the id of the transaction that the customer has",
    arguments: [TestStore.sepia, TestStore.basic])
  func owned(product: String) async throws {
    let test = try await TestStore.club()
    let device = try test.clubDevice()
    let first = try await device.purchase(product)
    let second = try await device.purchase(product, finishes: false)
    #expect(second.id == first.id)
    #expect(try await device.unfinished().isEmpty, "it has no purchase of its own to finish")
    #expect(try await test.chargeCount() == 1)
  }

  @Test("an unfinished consumable is returned again until it is finished; no sheet appears")
  func unfinishedConsumable() async throws {
    let test = try await TestStore.club()
    let customer = ScriptedCustomer()
    let device = try test.clubDevice(customer: customer)
    let first = try await device.purchase(TestStore.five, finishes: false)
    #expect(try await device.purchase(TestStore.five, finishes: false).id == first.id)
    #expect(customer.askedToConfirm.count == 1)
    await first.finish()
    #expect(try await device.purchase(TestStore.five).id != first.id)
    #expect(try await test.chargeCount() == 2)
  }

  @Test("an upgrade is a new transaction of the same subscription; the one before is upgraded, and entitles no more")
  func upgrade() async throws {
    let test = try await TestStore.club()
    let device = try test.clubDevice()
    let basic = try await device.purchase(TestStore.basic)
    let monthly = try await device.purchase(TestStore.monthly)
    #expect(monthly.id != basic.id && monthly.originalID == basic.originalID)
    #expect(try await device.entitlements().map(\.id) == [monthly.id])
    let before = try #require(try await device.all(of: TestStore.basic).first)
    #expect(before.id == basic.id && before.isUpgraded)
  }

  @Test(
    "the cause of a failure decides the error",
    arguments: [
      (0, nil), (1, nil), (3, nil), (4, .purchaseNotAllowed), (5, .productUnavailable), (11, .invalidOfferIdentifier),
      (12, .invalidOfferSignature), (13, .missingOfferParameters), (14, .invalidOfferPrice), (18, .ineligibleForOffer),
    ] as [(Int, Product.PurchaseError?)])
  func errors(code: Int, expected: Product.PurchaseError?) async throws {
    let test = try await TestStore.club()
    let device = try test.clubDevice()
    _ = try test.store.set(Fault(AppErrorFault(AppError(domain: SKErrorDomain, code: code)), id: "fault"))
    do {
      _ = try await device.product(TestStore.sepia).purchase()
      Issue.record("the purchase has not failed")
    } catch let error as Product.PurchaseError {
      #expect(error == expected)
      let texts = [error.errorDescription, error.failureReason]
      #expect(texts.allSatisfy { $0?.isEmpty == false })
    } catch StoreKitError.unknown {
      #expect(expected == nil)
    }
    #expect(device.paymentQueue.transactions.isEmpty, "nothing stays to be finished")
    try test.store.removeFault("fault")
    try await device.purchase(TestStore.sepia)
  }

  @Test("an error of another domain is a system error with domain and code")
  func otherDomain() async throws {
    let test = try await TestStore.club()
    let device = try test.clubDevice()
    _ = try test.store.set(Fault(AppErrorFault(AppError(domain: "ASDErrorDomain", code: 907)), id: "fault"))
    do {
      _ = try await device.product(TestStore.sepia).purchase()
      Issue.record("the purchase has not failed")
    } catch StoreKitError.systemError(let error) {
      #expect((error as NSError).domain == "ASDErrorDomain" && (error as NSError).code == 907)
    }
  }

  @Test("restricted purchases are not allowed")
  func restricted() async throws {
    let test = try await TestStore.club()
    let device = try test.clubDevice()
    let product = try await device.product(TestStore.five)
    device.paymentsAllowed = false
    await #expect(throws: Product.PurchaseError.purchaseNotAllowed) { try await product.purchase() }
  }

  @Test("a product that is no longer on sale is not available, with Apple's text")
  func unavailable() async throws {
    let test = try await TestStore.club()
    let device = try test.clubDevice()
    let product = try await device.product(TestStore.five)
    var change = ProductChange()
    change.isOnSale = false
    try await test.store.changeProduct(ProductID(TestStore.five), of: TestStore.bundleID, change)
    do {
      _ = try await product.purchase()
      Issue.record("it was sold")
    } catch let error as Product.PurchaseError {
      #expect(error == .productUnavailable && error.errorDescription == "Item Unavailable")
      #expect(error.recoverySuggestion != nil)
    }
  }

  @Test("offers without an identifier, a key or a signature lack parameters; a plan with a commitment is not sold")
  func incompleteOffers() async throws {
    let device = try await TestStore.club().clubDevice()
    let product = try await device.product(TestStore.monthly)
    let signature = Product.SubscriptionOffer.Signature(
      keyID: "", nonce: UUID(), timestamp: 1, signature: Data([1]))
    for options: Set<Product.PurchaseOption> in [
      [.promotionalOffer(offerID: "half", signature: signature)],
      [.promotionalOffer(offerID: "", keyID: "K", nonce: UUID(), signature: Data([1]), timestamp: 1)],
      Set(Product.PurchaseOption.promotionalOffer("half", compactJWS: "")),
    ] {
      await #expect(throws: Product.PurchaseError.missingOfferParameters) {
        try await product.purchase(options: options)
      }
    }
    do {
      _ = try await product.purchase(options: [.billingPlanType(.monthly)])
      Issue.record("a commitment was sold")
    } catch StoreKitError.unsupported {}
    await #expect(throws: Product.PurchaseError.invalidOfferSignature) {
      try await product.purchase(options: [.introductoryOfferEligibility(compactJWS: "a.b.c")])
    }
  }

  @Test("a win-back offer is applied to a subscription that has expired")
  func winBack() async throws {
    let test = try await TestStore.club()
    let device = try test.clubDevice()
    let first = try await device.purchase(TestStore.monthly)
    try await device.changeSubscription(TransactionID(first.id), .autoRenew(isOn: false))
    try await test.nextStep()
    let offer = try #require(try await device.product(TestStore.monthly).subscription?.winBackOffers.first)
    let back = try await device.purchase(TestStore.monthly, [.winBackOffer(offer)])
    #expect(back.offer?.type == .winBack && back.offer?.id == "back" && back.price == Decimal(string: "1.49"))
    #expect(back.originalID == first.originalID)
  }

  @Test("a cancelled task stops waiting; the purchase goes on, and its transaction arrives on updates")
  func cancelledTask() async throws {
    let test = try await TestStore.club()
    let connection = ScriptedConnection(test.store)
    let device = try test.clubDevice(through: connection)
    var updates = device.transactionUpdates()
    let product = try await device.product(TestStore.five)
    let answer = connection.holdAnswer(to: .confirm)
    let purchase = Task { try await product.purchase() }
    await answer.isGiven()
    purchase.cancel()
    do {
      _ = try await purchase.value
      Issue.record("the purchase has ended")
    } catch StoreKitError.systemError(let error) {
      #expect(error is CancellationError)
    }
    answer.release()
    #expect(try await updates.nextTransaction().productID == TestStore.five)
    #expect(try await test.chargeCount() == 1)
  }

  @Test("C4 an answer that is lost after the charge is asked for again; the caller receives the one transaction")
  func answerLost() async throws {
    let test = try await TestStore.club()
    let connection = ScriptedConnection(test.store)
    connection.script(.confirm, .answerLost, .answerLost)
    let device = try test.clubDevice(through: connection)
    let bought = try await device.purchase(TestStore.five)
    #expect(try await test.store.transactions().map(\.record.transactionID.number) == [bought.id])
    #expect(try await test.chargeCount() == 1)
  }

  @Test("concurrent purchases are made one after the other, each for its own caller")
  func concurrent() async throws {
    let test = try await TestStore.club()
    let device = try test.clubDevice()
    async let sepia = device.purchase(TestStore.sepia)
    async let season = device.purchase(TestStore.season)
    async let five = device.purchase(TestStore.five)
    #expect(try await [sepia, season, five].map(\.productID) == [TestStore.sepia, TestStore.season, TestStore.five])
    #expect(try await test.chargeCount() == 3)
  }
}
