import AppStoreEmulator
import Foundation
import StoreModel
import Testing

@testable import OpenStoreKit

@Suite("StoreKit 2: the storefront", .timeLimit(.minutes(30)))
struct StorefrontTests {
  @Test("the storefront is that of the customer's account, with Apple's number and the currency")
  func current() async throws {
    let test = try await TestStore.club()
    let device = try test.clubDevice()
    try await device.signIn(SignInCredentials(account: "customer"))
    let storefront = try #require(await Storefront.current(on: device))
    #expect(storefront.countryCode == "USA" && storefront.id == "143441")
    #expect(storefront.currency == Locale.Currency("USD"))
    #expect(Storefront(countryCode: "XXX", id: "0").currency == nil)
  }

  @Test("a change is received by all iterators, also by an app that only asks for the current one")
  func updates() async throws {
    let test = try await TestStore.club()
    let (device, other) = (try test.clubDevice(), try test.clubDevice())
    try await device.signIn(SignInCredentials(account: "customer"))
    try await other.signIn(SignInCredentials(account: "customer"))
    #expect(await Storefront.current(on: device)?.countryCode == "USA")
    #expect(await Storefront.current(on: other)?.countryCode == "USA")
    var first = Storefront.Storefronts(on: device).makeAsyncIterator()
    var second = Storefront.Storefronts(on: device).makeAsyncIterator()
    _ = try await test.store.changeCustomer("customer", .sandbox) { $0.storefrontCountryCode = "DEU" }
    #expect(await first.next()?.countryCode == "DEU")
    #expect(await second.next()?.countryCode == "DEU")
    #expect(await Storefront.current(on: device)?.id == "143443")
    #expect(await Storefront.current(on: other)?.countryCode == "DEU")
  }

  @Test("offline, it is the last one of this launch, or unknown")
  func offline() async throws {
    let test = try await TestStore.club()
    let device = try test.clubDevice()
    device.switches.isOffline = true
    #expect(await Storefront.current(on: device)?.id == nil)
    device.switches.isOffline = false
    try await device.signIn(SignInCredentials(account: "customer"))
    _ = await Storefront.current(on: device)
    device.switches.isOffline = true
    #expect(await Storefront.current(on: device)?.countryCode == "USA")
  }

  @Test("if the storefront has changed since the confirmation, the app's closure decides", arguments: [true, false])
  func storefrontChange(continues: Bool) async throws {
    let test = try await TestStore.club()
    let customer = ScriptedCustomer()
    let device = try test.clubDevice(customer: customer)
    try await device.signIn(SignInCredentials(account: "customer"))
    let product = try await device.product(TestStore.five)
    let sheet = customer.leaveSheetsOpen()
    let asked = LockedValue<[String]>([])
    let purchase = Task {
      try await product.purchase(
        options: [
          .onStorefrontChange { storefront in
            asked.withLock { $0.append(storefront.countryCode) }
            return continues
          }
        ])
    }
    await sheet.isGiven()
    _ = try await test.store.changeCustomer("customer", .sandbox) { $0.storefrontCountryCode = "DEU" }
    sheet.release()
    // The second sheet has the new price.
    if continues {
      await sheet.isGiven()
      sheet.release()
      guard case .success = try await purchase.value else {
        Issue.record("not purchased")
        return
      }
    } else {
      do {
        _ = try await purchase.value
        Issue.record("it has continued")
      } catch StoreKitError.notAvailableInStorefront {}
    }
    #expect(asked.value == ["DEU"])
  }
}
