import Foundation
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("Installations", .timeLimit(.minutes(30)))
struct RegistrationTests {
  private let device = UUID(uuid: (1, 2, 3, 4, 5, 6, 0x47, 8, 0x89, 10, 11, 12, 13, 14, 15, 16))

  private func registration(
    _ id: InstallationID = "i", app: BundleID = TeaShop.app, in environment: StoreEnvironment = .sandbox,
    device: UUID? = nil, version: String = "1"
  ) -> InstallationRegistration {
    InstallationRegistration(
      installationID: id, bundleID: app, environment: environment, deviceID: device ?? self.device,
      applicationVersion: version)
  }

  @Test("a registration is greeted with the epoch and the roots that everything signed leads to")
  func greeting() async throws {
    let shop = try await TeaShop()
    let greeting = try await shop.store.register(registration())
    #expect(greeting.epoch == shop.store.epoch)
    #expect(greeting.account == nil)
    #expect(greeting.storefrontCountryCode == "USA")
    #expect(try Array(greeting.rootCertificate) == shop.store.authority.jwsRootCertificate)
    #expect(try Array(greeting.receiptRootCertificate) == shop.store.authority.receiptRootCertificate)
  }

  @Test("a second registration changes only the version, and returns the signed-in account")
  func again() async throws {
    let shop = try await TeaShop()
    _ = try await shop.store.register(registration())
    try await shop.store.addCustomer(Customer(environment: .sandbox, name: "ada", storefrontCountryCode: "JPN"))
    _ = try await shop.store.signIn(SignInCredentials(account: "ada"), on: "i")
    shop.clock.advance(seconds: 60)
    let before = try await shop.records()
    let greeting = try await shop.store.register(registration())
    #expect(greeting.account == "ada")
    #expect(greeting.storefrontCountryCode == "JPN")
    #expect(try await shop.records() == before)
    _ = try await shop.store.register(registration(version: "2"))
    let installation = try await shop.store.database.read { try Installation.fetchOne($0.database, key: "i") }
    #expect(installation?.applicationVersion == "2")
    #expect(installation?.registrationDate == TeaShop.opening)
  }

  @Test("an id that belongs to another device, app or environment is refused, and stays whose it is")
  func taken() async throws {
    let shop = try await TeaShop()
    try await shop.store.serve("org.example.other", catalog: [])
    _ = try await shop.store.register(registration())
    let before = try await shop.records()
    for other in [
      registration(device: UUID()), registration(app: "org.example.other"), registration(in: .production),
    ] {
      #expect(try await refusal { _ = try await shop.store.register(other) } == .malformedRequest)
    }
    #expect(try await shop.records() == before)
  }

  @Test("an unknown app, an empty id and Xcode's environment are refused")
  func refusals() async throws {
    let shop = try await TeaShop()
    #expect(try await refusal { _ = try await shop.store.register(registration(app: "none")) } == .unknownApp)
    #expect(try await refusal { _ = try await shop.store.register(registration("")) } == .malformedRequest)
    #expect(try await refusal { _ = try await shop.store.register(registration(in: .xcode)) } == .malformedRequest)
  }

  @Test(
    "B2 a sign-in needs the right name, and the right password if there is one; the refusal does not say which was wrong"
  )
  func signIn() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone(signedInAs: nil)
    try await shop.store.addCustomer(Customer(environment: .sandbox, name: "ada", password: "lovelace"))
    func attempt(_ account: AccountName, _ password: String?) async throws -> StoreRefusal.Code? {
      try await refusal {
        _ = try await shop.store.signIn(SignInCredentials(account: account, password: password), on: phone.id)
      }
    }
    #expect(try await attempt("ada", nil) == .signInRefused)
    #expect(try await attempt("ada", "") == .signInRefused)
    #expect(try await attempt("ada", "Lovelace") == .signInRefused)
    #expect(try await attempt("nobody", "lovelace") == .signInRefused)
    #expect(try await attempt("ada", "lovelace") == nil)
    #expect(try await attempt("customer", "anything") == nil, "without a password set, any will do")
    #expect(try await attempt("customer", nil) == nil)
  }

  @Test("B2 a refused sign-in keeps the signed-in account, and an accepted one replaces it")
  func whoIsSignedIn() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    try await shop.store.addCustomer(Customer(environment: .sandbox, name: "ada", password: "lovelace"))
    _ = try await refusal { _ = try await shop.store.signIn(SignInCredentials(account: "ada"), on: phone.id) }
    #expect(try await shop.quote(on: phone).account == "customer")
    let signedIn = try await shop.store.signIn(
      SignInCredentials(account: "ada", password: "lovelace"), on: phone.id)
    #expect(signedIn == SignedInAccount(account: "ada", storefrontCountryCode: "USA"))
    #expect(try await shop.quote(on: phone).account == "ada")
  }

  @Test("a customer of one environment cannot sign in to the other")
  func environments() async throws {
    let shop = try await TeaShop()
    try await shop.store.addCustomer(Customer(environment: .production, name: "ada"))
    let phone = try await shop.phone(signedInAs: nil)
    let attempt = try await refusal {
      _ = try await shop.store.signIn(SignInCredentials(account: "ada"), on: phone.id)
    }
    #expect(attempt == .signInRefused)
  }

  @Test("A4 products are returned in the requested order; unknown ids are returned as invalid, not as an error")
  func products() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    let list = try await shop.store.products([TeaShop.teapot, "x", TeaShop.oolong, ""], for: phone.id)
    #expect(list.products.map(\.productID) == [TeaShop.teapot, TeaShop.oolong])
    #expect(list.invalidProductIDs == ["x", ""])
    #expect(list.products.last?.displayName == "A pot of oolong")
    #expect(try await shop.store.products([], for: phone.id) == ProductList(products: [], invalidProductIDs: []))
  }

  @Test("A4 prices can be asked for without a sign-in, in the storefront of a customer who never was")
  func productsSignedOut() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone(signedInAs: nil)
    let list = try await shop.store.products([TeaShop.sencha], for: phone.id)
    #expect(list.products.map(\.price) == [Price(amount: Milliunits(750), currency: "USD")])
  }

  @Test("A4 at most a thousand products are asked for at once")
  func tooMany() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    let ids = (0..<1001).map { ProductID("p\($0)") }
    #expect(try await refusal { _ = try await shop.store.products(ids, for: phone.id) } == .malformedRequest)
    #expect(try await shop.store.products(Array(ids.dropLast()), for: phone.id).invalidProductIDs.count == 1000)
  }

  @Test("every request of an unknown installation asks it to register", arguments: ["signIn", "products"])
  func unknown(verb: String) async throws {
    let shop = try await TeaShop()
    let code = try await refusal {
      if verb == "signIn" {
        _ = try await shop.store.signIn(SignInCredentials(account: "customer"), on: "stranger")
      } else {
        _ = try await shop.store.products([], for: "stranger")
      }
    }
    #expect(code == .unknownInstallation)
  }
}
