import Crypto
import Foundation
import GRDB
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("A quote of a customer who was deleted", .timeLimit(.minutes(30)))
struct DeletedCustomerTests {
  @Test("B2 is refused for good: the payment's account is gone")
  func gone() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    let quote = try await shop.quote(on: phone)
    _ = try await shop.store.removeCustomer(TeaShop.customer, .sandbox)
    for _ in 1...2 {
      let code = try await refusal { _ = try await shop.store.confirm(quote, for: phone.id) }
      #expect(code == "accountGone")
      #expect(code.map { StoreRefusal($0, "").endsPayment } == true)
    }
  }

  @Test("B2 is never charged to a new customer of the same name, nor does that one's ownership answer it")
  func sameName() async throws {
    let shop = try await TeaShop.lasting()
    let phone = try await shop.phone()
    let quotes = [
      try await shop.quote(as: "1", on: phone), try await shop.quote(TeaShop.teapot, as: "2", on: phone),
    ]
    _ = try await shop.store.removeCustomer(TeaShop.customer, .sandbox)
    try await shop.store.addCustomer(Customer(environment: .sandbox, name: TeaShop.customer))
    _ = try await shop.store.signIn(SignInCredentials(account: TeaShop.customer), on: phone.id)
    _ = try await shop.store.purchase(TeaShop.teapot, of: TeaShop.app, for: TeaShop.customer, in: .sandbox)
    let charges = try await shop.store.charges()
    for quote in quotes {
      #expect(try await refusal { _ = try await shop.store.confirm(quote, for: phone.id) } == "accountGone")
    }
    #expect(try await shop.store.charges() == charges)
    // The new customer can buy, also with the same payment id.
    _ = try await shop.buy(as: "1", on: phone)
    #expect(try await shop.store.charges().count == charges.count + 1)
  }

  @Test("B2 the other environment's customer of that name is another, too")
  func otherEnvironment() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    let quote = try await shop.quote(on: phone)
    _ = try await shop.store.removeCustomer(TeaShop.customer, .production)
    _ = try await shop.store.confirm(quote, for: phone.id).purchase()
  }

  @Test("B9 a quote that the version before made is good for its customer, and for none that was added since")
  func earlierVersion() async throws {
    let folder = try ScratchFolder()
    defer { folder.remove() }
    let shop = try await TeaShop(directory: folder.url)
    let phone = try await shop.phone()
    let quotes = [try await shop.quote(as: "1", on: phone), try await shop.quote(as: "2", on: phone)]
    // Data as the previous version wrote it: the customer has no number of this version, and the quotes have no customer number.
    let key = try await shop.store.database.write { work in
      let database = work.database
      try database.execute(sql: "UPDATE customer SET number = -rowid")
      return SymmetricKey(data: try StoreRow.fetch(database).quoteKey)
    }
    let earlier = try quotes.map { try Self.earlierCode(of: $0, phone.id, key) }
    _ = try await shop.store.confirm(earlier[0], for: phone.id).purchase()
    try await shop.store.database.write { work in
      let database = work.database
      try database.execute(sql: "UPDATE customer SET number = 99")
    }
    #expect(try await refusal { _ = try await shop.store.confirm(earlier[1], for: phone.id) } == "accountGone")
    #expect(try await shop.store.charges().count == 1)
  }

  /// Returns `quote` with the previous version's authentication code: its HMAC covers the account name but no customer number.
  private static func earlierCode(
    of quote: PaymentQuote, _ installation: InstallationID, _ key: SymmetricKey
  ) throws -> PaymentQuote {
    struct Content: Encodable {
      let installation: InstallationID
      let payment: PaymentRequest
      let account: AccountName
      let displayName: String
      let unitPrice: Price
      let total: Price
      let storefront: String
      let locale: String
      let epoch: StoreEpoch
    }
    let content = Content(
      installation: installation, payment: quote.payment, account: quote.account, displayName: quote.displayName,
      unitPrice: quote.unitPrice, total: quote.total, storefront: quote.storefrontCountryCode,
      locale: quote.localeIdentifier, epoch: quote.epoch)
    let code = HMAC<SHA256>.authenticationCode(for: try DeviceAPI.encoder().encode(content), using: key)
    return quote.altered(code: Data(code))
  }
}
