import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("What the store refuses configuration files for", .timeLimit(.minutes(30)))
struct CatalogProblemTests {
  private func file(_ products: [ProductID], storefront: String? = nil) -> StoreKitConfiguration {
    var settings = StoreKitConfiguration.Settings()
    settings.storefront = storefront
    return StoreKitConfiguration(
      products: products.map { ProductDefinition(productID: $0, type: .consumable, price: Milliunits(1)) },
      settings: settings)
  }

  @Test("A4 problems are products in several files, and unknown storefronts, each with the files' positions")
  func problems() {
    let files = [
      file(["a", "b"], storefront: "DEU"), file(["c", "b", "c"], storefront: "ATL"), file(["b"], storefront: "deu"),
    ]
    #expect(
      CatalogProblem.all(in: files) == [
        CatalogProblem(error: .duplicateProduct("b"), files: [0, 1, 2]),
        CatalogProblem(error: .unknownStorefront("ATL"), files: [1]),
        CatalogProblem(error: .duplicateProduct("c"), files: [1]),
        CatalogProblem(error: .unknownStorefront("deu"), files: [2]),
      ])
    #expect(CatalogProblem.all(in: []).isEmpty)
    #expect(CatalogProblem.all(in: Territory.all.map { file([], storefront: $0.countryCode) }).isEmpty)
  }

  @Test("A4 the store throws the first problem, and serves files without one", arguments: ["UKR", "RUS", "COL", "KWT"])
  func served(storefront: String) async throws {
    let store = try EmulatedAppStore(.inMemory())
    let bad = file(["a"], storefront: "ATL")
    await #expect(throws: AppStoreEmulatorError.unknownStorefront("ATL")) {
      try await store.serve("org.example.shop", catalog: [file(["b"], storefront: storefront), bad])
    }
    let app = try await store.serve("org.example.shop", catalog: [file(["b"], storefront: storefront)])
    #expect(app.catalogStorefront == storefront)
    #expect(try await store.customers().map(\.storefrontCountryCode) == [storefront, storefront])
  }
}
