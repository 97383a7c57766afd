import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("Customers", .timeLimit(.minutes(30)))
struct CustomerTests {
  @Test("a new store has one customer in each environment, in the catalog's storefront")
  func firstCustomer() async throws {
    let shop = try await TeaShop()
    #expect(
      try await shop.store.customers() == [
        Customer(environment: .production, name: "customer"), Customer(environment: .sandbox, name: "customer"),
      ])
    let german = try EmulatedAppStore(.inMemory())
    try await german.serve(TeaShop.app, catalog: [TeaShop.file(TeaShop.catalog(), storefront: "DEU")])
    #expect(try await german.customers().map(\.storefrontCountryCode) == ["DEU", "DEU"])
  }

  @Test("a customer that was added is found, in its environment only")
  func add() async throws {
    let shop = try await TeaShop()
    let ada = Customer(
      environment: .sandbox, name: "ada", password: "secret", storefrontCountryCode: "JPN", paymentMethod: .declined)
    try await shop.store.addCustomer(ada)
    #expect(try await shop.store.customer("ada", .sandbox) == ada)
    await #expect(throws: AppStoreEmulatorError.unknownCustomer("ada", .production)) {
      try await shop.store.customer("ada", .production)
    }
    try await shop.store.addCustomer(Customer(environment: .production, name: "ada"))
    #expect(try await shop.store.customers().count == 4)
  }

  @Test("a name is taken once in an environment, and the first customer of it stays as it is")
  func duplicate() async throws {
    let shop = try await TeaShop()
    let before = try await shop.records()
    await #expect(throws: AppStoreEmulatorError.customerExists("customer", .sandbox)) {
      try await shop.store.addCustomer(Customer(environment: .sandbox, name: "customer", password: "mine now"))
    }
    #expect(try await shop.records() == before)
  }

  @Test("a name must not be empty, a storefront must be known, and Xcode's environment has no customers")
  func refusals() async throws {
    let shop = try await TeaShop()
    let before = try await shop.records()
    await #expect(throws: AppStoreEmulatorError.emptyName("customer's name")) {
      try await shop.store.addCustomer(Customer(environment: .sandbox, name: ""))
    }
    for code in ["", "usa", "US", "ATL"] {
      let customer = Customer(environment: .sandbox, name: "ada", storefrontCountryCode: code)
      await #expect(throws: AppStoreEmulatorError.unknownStorefront(code)) {
        try await shop.store.addCustomer(customer)
      }
    }
    await #expect(throws: AppStoreEmulatorError.environmentNotServed(.xcode)) {
      try await shop.store.addCustomer(Customer(environment: .xcode, name: "ada"))
    }
    await #expect(throws: AppStoreEmulatorError.unknownCustomer("ada", .sandbox)) {
      try await shop.store.changeCustomer("ada", .sandbox) { $0.paymentMethod = .declined }
    }
    await #expect(throws: AppStoreEmulatorError.unknownStorefront("ATL")) {
      try await shop.store.changeCustomer("customer", .sandbox) { $0.storefrontCountryCode = "ATL" }
    }
    #expect(try await shop.records() == before)
  }

  @Test("A4 a customer who moves keeps the purchases made at the old storefront as they were")
  func move() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    try await shop.buy(on: phone)
    let bought = try await shop.newestTransaction()
    try await shop.store.changeCustomer("customer", .sandbox) { $0.storefrontCountryCode = "DEU" }
    #expect(try await shop.newestTransaction() == bought)
    let list = try await shop.store.products([TeaShop.sencha], for: phone.id)
    #expect(list.products.map(\.price) == [Price(amount: Milliunits(800), currency: "EUR")])
  }

  @Test(
    "every error says what to do",
    arguments: [
      AppStoreEmulatorError.storeNotCreated, .unknownApp("a", known: ["b"]), .unknownCustomer("c", .sandbox),
      .customerExists("c", .sandbox), .unknownStorefront("ATL"), .unknownInstallation("i"),
      .environmentNotServed(.xcode), .emptyName("bundle id"), .duplicateProduct("p"), .noTimeZoneData, .epochExhausted,
    ])
  func text(error: AppStoreEmulatorError) {
    #expect(error.description.hasSuffix("."))
    #expect(error.description.count > 20)
  }
}
