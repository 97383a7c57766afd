import AppStoreEmulator
import StoreKit
import StoreModel
import XCTest

@testable import MonkeyShop

final class ShopTests: XCTestCase {
  private var store: EmulatedAppStore!
  private var customer: Customer!
  private let pantry = Pantry()
  private var shop: Shop!

  override func setUp() async throws {
    let file = try XCTUnwrap(Bundle.module.url(forResource: "MonkeyShop", withExtension: "storekit"))
    store = try EmulatedAppStore(.inMemory())
    try await store.serve("com.example.monkeyshop", catalog: [try StoreKitConfiguration(contentsOf: file)])
    customer = Customer()
    StoreKitDevice.current = try StoreKitDevice(
      connection: store, bundleID: "com.example.monkeyshop", storage: .inMemory, customer: customer)
    shop = Shop(pantry: pantry)
    shop.open()
  }

  override func tearDown() async throws {
    shop.close()
    StoreKitDevice.current = nil
  }

  func testPricesComeFromTheStore() async throws {
    try await loadProducts()
    XCTAssertTrue(shop.canBuy)
    XCTAssertEqual(shop.products.map(\.localizedTitle), ["Banana", "Bunch"])
    XCTAssertEqual(shop.products.map(shop.priceLabel(for:)), ["$0.49", "$1.99"])
    XCTAssertEqual(shop.invalidIdentifiers, ["coconut"])
  }

  func testABananaIsPaidForStoredAndFinished() async throws {
    try await loadProducts()
    let user = UUID()
    let bought = expectation(description: "bought")
    shop.onPurchase = { _ in bought.fulfill() }
    shop.buy(shop.products[0], quantity: 3, for: user)
    await fulfillment(of: [bought], timeout: 10)

    XCTAssertEqual(pantry.bananas, 3)
    let transactions = try await store.transactions()
    XCTAssertEqual(transactions.map(\.record.quantity), [3])
    XCTAssertEqual(transactions.map(\.record.appAccountToken), [user])
    let charges = try await store.charges()
    XCTAssertEqual(charges.map(\.amount.rawValue), [1470])
  }

  func testTheReceiptIsWhereAppleSaysItIs() async throws {
    try await loadProducts()
    XCTAssertNil(shop.receipt)
    let bought = expectation(description: "bought")
    shop.onPurchase = { _ in bought.fulfill() }
    shop.buy(shop.products[1])
    await fulfillment(of: [bought], timeout: 10)

    let receipt = try XCTUnwrap(shop.receipt)
    let body = try JSONEncoder().encode(["receipt-data": receipt.base64EncodedString()])
    let response = try await store.verifyReceipt(body, at: .sandbox)
    XCTAssertEqual(response.status, .valid)
  }

  func testACancelledPurchaseCostsNothing() async throws {
    try await loadProducts()
    customer.confirms = false
    let failed = expectation(description: "failed")
    shop.onFailure = { error in
      XCTAssertEqual(error.code, .paymentCancelled)
      failed.fulfill()
    }
    shop.buy(shop.products[0])
    await fulfillment(of: [failed], timeout: 10)
    XCTAssertEqual(pantry.bananas, 0)
    let charges = try await store.charges()
    XCTAssertEqual(charges, [])
  }

  private func loadProducts() async throws {
    let loaded = expectation(description: "loaded")
    shop.onProducts = { loaded.fulfill() }
    shop.loadProducts()
    await fulfillment(of: [loaded], timeout: 10)
  }
}

/// A customer that answers StoreKit's sheets.
private final class Customer: StoreCustomer, @unchecked Sendable {
  var confirms = true

  func signIn(_ reason: SignInReason) async -> SignInAnswer {
    .credentials(.init(account: "customer"))
  }

  func confirm(_ quote: PaymentQuote) async -> ConfirmationAnswer { confirms ? .confirm : .cancel }
}
