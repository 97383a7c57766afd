import APIDescription
import AppStoreEmulator
import Foundation
import HTTPTypes
import HummingbirdTesting
import SharedFixtures
import StoreModel
import Testing
import WebSupport

@testable import AppStoreEmulatorServer

@Suite("Hostile names in the console", .timeLimit(.minutes(30)))
struct HostilePageTests {
  /// Returns a store in which everything that can have a name has this name.
  private func bakery(_ name: String) async throws -> (BakeryServer, TransactionID) {
    let bakery = try await BakeryServer()
    let store = bakery.store
    let product: [String: Any] = [
      "productID": name, "type": "Consumable", "displayPrice": "3.50", "referenceName": name,
      "localizations": [["locale": "en_US", "displayName": name, "description": name]],
    ]
    let catalog = try JSONSerialization.data(withJSONObject: ["products": [product]])
    try await store.serve(BundleID(name), catalog: [try StoreKitConfiguration(data: catalog, name: "hostile.storekit")])
    try await store.addCustomer(
      Customer(environment: .sandbox, name: AccountName(name), password: name, needsApproval: true, family: name))
    let bought = try await store.purchase(
      ProductID(name), of: BundleID(name), for: AccountName(name), in: .sandbox, applicationUsername: name)
    let phone = InstallationID(name)
    _ = try await store.register(
      InstallationRegistration(
        installationID: phone, bundleID: BundleID(name), environment: .sandbox, deviceID: BakeryServer.device,
        applicationVersion: name))
    _ = try await store.signIn(SignInCredentials(account: AccountName(name), password: name), on: phone)
    _ = try await store.send(UnfinishedCall(), for: phone)
    let payment = PaymentRequest(paymentID: PaymentID(name), productID: ProductID(name), applicationUsername: name)
    _ = try await store.confirm(try await store.quote(payment, for: phone), for: phone)
    try store.set(
      Fault(
        OutageFault(), id: FaultID(name),
        scope: FaultScope(
          calls: [.device(.quote)], customer: AccountName(name), bundleID: BundleID(name), productID: ProductID(name),
          installationID: InstallationID(name))))
    return (bakery, bought.record.transactionID)
  }

  @Test("every page is well-formed HTML with the name as text, whatever the name", arguments: HostileText.all)
  func everyPage(name: String) async throws {
    // The endpoints refuse NUL characters, because catalogs and databases do not accept them.
    let name = name.replacing("\u{0}", with: "")
    let (bakery, id) = try await bakery(name)
    let query = AddressText.query([
      ("app", name), ("product", name), ("customer", name), ("q", name), ("name", name), ("fault", name),
    ])
    try await bakery.withClient { client async throws in
      // The server accepts URLs of up to about 80 kB.
      let isShort = query.utf8.count < 60_000
      var paths = [
        "/", "/console/customers", "/console/catalog", "/console/faults", "/console/requests",
        "/console/notifications", "/console/transactions/\(id)", "/console/requests/1", "/console/requests/5",
      ]
      if isShort {
        let named = AddressText.query([("environment", "sandbox"), ("name", name)])
        paths += [
          "/\(query)", "/console/purchase\(query)", "/console/product\(query)", "/console/requests\(query)",
          "/console/notifications\(query)",
          "/console/catalog\(query)", "/console/customers\(query)", "/console/customer\(named)",
        ]
      }
      let visible = String(
        decoding: name.utf8.map { $0 < 0x20 && ![9, 10, 13].contains($0) || $0 == 0x7F ? 0x3F : $0 }, as: UTF8.self)
      for path in paths {
        let page = try await client.page(path, hasMarkupInNames: true)
        #expect(
          page.elements.filter { $0.name == "script" }.allSatisfy {
            $0.attributes["src"]?.hasPrefix("/assets/") == true
          })
        if name.utf8.count < 40, visible == name, path != "/console/requests" {
          #expect(page.text.contains(name) || path.hasPrefix("/console/requests"), "\(path)")
        }
      }
      if isShort {
        let nowhere = try await client.page(
          "/console/customer" + AddressText.query([("environment", "sandbox"), ("name", name + "?")]), status: 404,
          hasMarkupInNames: true)
        #expect(nowhere.elements.contains { $0.name == "h1" })
      }
    }
  }
}
