import AppStoreServerAPI
import Foundation
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("The app transaction of a device", .timeLimit(.minutes(30)))
struct AppTransactionCallTests {
  private func received(_ shop: TeaShop, _ phone: Phone) async throws -> SignedAppTransaction {
    let jws = try await shop.store.appTransaction(for: phone.id)
    return try await SignedDataVerifier(anchors: try shop.anchors).verifyAppTransaction(
      jws, expecting: Expectation(bundleID: TeaShop.app, device: phone.device)
    ).value
  }

  @Test(
    "H1 it is the customer's, with the versions of the installation that asks, and that of the Server API otherwise",
    arguments: [StoreEnvironment.sandbox, .production])
  func values(environment: StoreEnvironment) async throws {
    let shop = try await TeaShop.lasting()
    let phone = try await shop.phone(in: environment, version: "3.1")
    let tablet = try await shop.phone("tablet", in: environment, version: "3.2")
    try await shop.buy(on: phone)
    let record = try await shop.newestTransaction().record
    var transactions: [SignedAppTransaction] = []
    for (device, version) in [(phone, "3.1"), (tablet, "3.2")] {
      let transaction = try await received(shop, device)
      #expect(transaction.applicationVersion == version && transaction.environment == environment)
      #expect(transaction.appTransactionID == record.appTransactionID)
      #expect((transaction.appAppleID == nil) == (environment == .sandbox))
      transactions.append(transaction)
    }
    // The Server API has that of the newest installation.
    let signed = try await TeaServer(shop, in: environment).send(
      GetAppTransactionInfo(anyTransactionId: record.transactionID)
    ).signedAppTransactionInfo
    var stated = try SignedAppTransaction(payload: UnverifiedJWS(signed).contents.payload)
    var last = transactions[1]
    #expect(stated.deviceVerification == nil && last.receiptCreationDate < stated.receiptCreationDate)
    stated.receiptCreationDate = last.receiptCreationDate
    (last.deviceVerification, last.deviceVerificationNonce) = (nil, nil)
    #expect(stated == last)
  }

  @Test("it needs a customer, but no purchase")
  func customer() async throws {
    let shop = try await TeaShop.lasting()
    let phone = try await shop.phone(signedInAs: nil)
    #expect(try await refusal { _ = try await shop.store.appTransaction(for: phone.id) } == .signInRequired)
    #expect(try await refusal { _ = try await shop.store.appTransaction(for: "stranger") } == .unknownInstallation)
    _ = try await shop.store.signIn(SignInCredentials(account: TeaShop.customer), on: phone.id)
    #expect(try await received(shop, phone).originalApplicationVersion == "1.0")
  }
}
