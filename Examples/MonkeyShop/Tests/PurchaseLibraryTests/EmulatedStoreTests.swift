import AppStoreEmulator
import PurchaseLibrary
import StoreKit
import StoreModel
import XCTest

/// Tests the library without mocks, on a device with an emulated store.
final class EmulatedStoreTests: XCTestCase {
  private var store: EmulatedAppStore!
  private let fetcher = StoreFetcher()

  override func setUp() async throws {
    let catalog = """
      {"identifier": "1", "products": [
        {"productID": "coin", "type": "Consumable", "displayPrice": "0.99", "internalID": "A1",
         "localizations": [{"locale": "en_US", "displayName": "Coin", "description": "One"}]},
        {"productID": "purse", "type": "Consumable", "displayPrice": "4.99", "internalID": "A2",
         "localizations": [{"locale": "en_US", "displayName": "Purse", "description": "Ten"}]}
      ], "subscriptionGroups": [], "nonRenewingSubscriptions": [], "settings": {}, "version": {"major": 4, "minor": 0}}
      """
    store = try EmulatedAppStore(.inMemory())
    try await store.serve(
      "com.example.library", catalog: [try StoreKitConfiguration(data: Data(catalog.utf8), name: "library.storekit")])
    StoreKitDevice.current = try StoreKitDevice(
      connection: store, bundleID: "com.example.library", storage: .inMemory,
      customer: AutomaticCustomer(credentials: SignInCredentials(account: "customer")))
  }

  override func tearDown() async throws { StoreKitDevice.current = nil }

  func testAPurchase() async throws {
    let controller = PurchaseController()
    let products = try await products(["coin", "gold"])
    let bought = expectation(description: "bought")
    var identifier: String?
    controller.purchase(products[0], quantity: 3) { result in
      identifier = (try? result.get())?.transactionIdentifier
      bought.fulfill()
    }
    await fulfillment(of: [bought], timeout: 10)
    let transactions = try await store.transactions()
    XCTAssertEqual(transactions.map(\.record.transactionID.rawValue), [identifier])
    XCTAssertEqual(controller.storefrontCountryCode, "USA")
  }

  func testRestoringWithNothingToRestore() async throws {
    let controller = PurchaseController()
    let ended = expectation(description: "ended")
    controller.restorePurchases { result in
      XCTAssertEqual((try? result.get())?.count, 0)
      ended.fulfill()
    }
    await fulfillment(of: [ended], timeout: 10)
  }

  func testARefreshedReceipt() async throws {
    let refreshed = expectation(description: "refreshed")
    fetcher.refreshReceipt { error in
      XCTAssertNil(error)
      refreshed.fulfill()
    }
    await fulfillment(of: [refreshed], timeout: 10)
    let receipt = try Data(contentsOf: XCTUnwrap(Bundle.main.appStoreReceiptURL))
    let response = try await store.verifyReceipt(
      JSONEncoder().encode(["receipt-data": receipt.base64EncodedString()]), at: .sandbox)
    XCTAssertEqual(response.status, .valid)
  }

  func testADownloadThatIsStartedFails() async throws {
    let controller = PurchaseController()
    let told = expectation(description: "told")
    controller.onDownloads = { downloads in
      XCTAssertEqual(downloads.map(\.state), [.failed])
      XCTAssertNotNil(downloads[0].error)
      told.fulfill()
    }
    SKPaymentQueue.default().start([SKDownload()])
    await fulfillment(of: [told], timeout: 10)
  }

  func testPromotions() async throws {
    let products = try await products(["coin", "purse"])
    let controller = SKProductStorePromotionController.default()
    let updated = expectation(description: "updated")
    controller.update(storePromotionVisibility: .hide, for: products[0]) { error in
      XCTAssertNil(error)
      updated.fulfill()
    }
    await fulfillment(of: [updated], timeout: 10)
    let visibility = try await controller.promotionVisibility(for: products[0])
    XCTAssertEqual(visibility, .hide)
    try await controller.update(promotionOrder: products.reversed())
    let order = try await controller.promotionOrder()
    XCTAssertEqual(order.map(\.productIdentifier), ["purse", "coin"])
  }

  private func products(_ identifiers: Set<String>) async throws -> [SKProduct] {
    let response = try await withCheckedThrowingContinuation { continuation in
      fetcher.products(identifiers) { continuation.resume(with: $0) }
    }
    return response.products.sorted { $0.productIdentifier < $1.productIdentifier }
  }
}
