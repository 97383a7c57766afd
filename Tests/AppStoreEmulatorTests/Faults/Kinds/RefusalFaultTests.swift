import Foundation
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("The faults of customers and devices", .timeLimit(.minutes(30)))
struct RefusalFaultTests {
  @Test("C2 refusedPassword: signing in is refused as with a wrong password, and no account is signed in")
  func password() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone(signedInAs: nil)
    try shop.store.set(Fault(RefusedPasswordFault(), scope: FaultScope(customer: TeaShop.customer), count: 2))
    let credentials = SignInCredentials(account: TeaShop.customer)
    for _ in 1...2 {
      #expect(try await refusal { _ = try await shop.store.signIn(credentials, on: phone.id) } == .signInRefused)
    }
    #expect(try await shop.store.installations().map(\.account) == [nil])
    _ = try await shop.store.signIn(credentials, on: phone.id)
    #expect(try await shop.store.installations().map(\.account) == [TeaShop.customer])
  }

  @Test("C2 declinedCard: the payment has failed for good, though the customer's own card is valid")
  func card() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    try shop.store.set(Fault(DeclinedCardFault(), count: 1))
    #expect(try await shop.endOfPurchase(on: phone) == .refused(.paymentDeclined))
    #expect(try await shop.endOfPurchase(on: phone) == .refused(.paymentDeclined))
    #expect(try await shop.store.charges().isEmpty)
    #expect(try await shop.endOfPurchase(as: "payment 2", on: phone) == .answered)
  }

  @Test("C6 restrictedDevice: there is no quote, so that nothing can be confirmed, on that device only")
  func restricted() async throws {
    let shop = try await TeaShop()
    let (phone, tablet) = (try await shop.phone(), try await shop.phone("tablet"))
    try shop.store.set(Fault(RestrictedDeviceFault(), scope: FaultScope(installationID: phone.id)))
    #expect(try await refusal { _ = try await shop.quote(on: phone) } == .paymentNotAllowed)
    _ = try await shop.store.products([TeaShop.oolong], for: phone.id)
    #expect(try await shop.endOfPurchase(on: tablet) == .answered)
    #expect(try await shop.store.charges().count == 1)
  }
}
