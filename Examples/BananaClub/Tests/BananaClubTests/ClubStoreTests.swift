import AppStoreEmulator
import BananaClub
import StoreKit
import StoreModel
import Testing

/// Tests the club without mocks, on a device with an emulated store. The tests run serially, because they share the current
/// device.
@Suite("The club in an emulated store", .serialized, .timeLimit(.minutes(30)))
@MainActor
struct ClubStoreTests {
  private static let bundleID: BundleID = "com.example.bananaclub"
  private let store: EmulatedAppStore

  init() async throws {
    let catalog = """
      {"identifier": "1", "products": [
        {"productID": "banana", "type": "Consumable", "displayPrice": "0.49", "internalID": "A1",
         "localizations": [{"locale": "en_US", "displayName": "Banana", "description": "One"}]},
        {"productID": "bunch", "type": "Consumable", "displayPrice": "1.99", "internalID": "A2",
         "localizations": [{"locale": "en_US", "displayName": "Bunch", "description": "Six"}]}
      ], "subscriptionGroups": [], "nonRenewingSubscriptions": [], "settings": {}, "version": {"major": 4, "minor": 0}}
      """
    store = try EmulatedAppStore(.inMemory())
    try await store.serve(
      Self.bundleID, catalog: [try StoreKitConfiguration(data: Data(catalog.utf8), name: "club.storekit")])
    StoreKitDevice.current = try StoreKitDevice(
      connection: store, bundleID: Self.bundleID, storage: .inMemory,
      customer: AutomaticCustomer(credentials: SignInCredentials(account: "customer")))
  }

  @Test("a banana is bought on the main actor, and finished")
  func purchase() async throws {
    let model = ClubModel()
    defer { model.close() }
    let response = try await ProductLoader.products(["banana", "coconut"])
    #expect(response.invalidProductIdentifiers == ["coconut"])
    let banana = try #require(response.products.first)
    #expect(model.canBuy)
    model.buy(banana, quantity: 2)
    var seen: [ClubModel.Sale] = []
    for await sale in model.sales.stream {
      seen.append(sale)
      if sale == .bought("banana") { break }
    }
    #expect(seen == [.buying("banana"), .bought("banana")])
    #expect(model.bananas == 2)
    #expect(model.country == "USA")
    #expect(try await store.charges().map(\.amount.rawValue) == [980])
  }

  @Test("a receipt is refreshed, and the store calls it valid")
  func receipt() async throws {
    let receipt = try #require(try await ReceiptLoader().refreshedReceipt())
    let body = try JSONEncoder().encode(["receipt-data": receipt.base64EncodedString()])
    #expect(try await store.verifyReceipt(body, at: .sandbox).status == .valid)
  }

  @Test("promotions are arranged, and stay so")
  func promotions() async throws {
    let products = try await ProductLoader.products(["banana", "bunch"]).products
      .sorted { $0.productIdentifier < $1.productIdentifier }
    try await Promotions.arrange(first: products.reversed(), hidden: [products[0]])
    #expect(try await Promotions.arrangement() == ["bunch", "banana"])
    #expect(try await Promotions.isHidden(products[0]))
    #expect(try await !Promotions.isHidden(products[1]))
    await #expect(throws: SKError.self) {
      try await Promotions.arrange(first: [MockProduct("coconut")], hidden: [])
    }
    #expect(try await Promotions.arrangement() == ["bunch", "banana"])
  }
}
