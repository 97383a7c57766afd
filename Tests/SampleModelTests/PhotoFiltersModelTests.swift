import AppStoreEmulator
import Foundation
import OpenStoreKit
import PurchaseKit
import SharedFixtures
import StoreModel
import Testing

@testable import SampleModel

@Suite("The photo filters screen", .timeLimit(.minutes(10)))
struct PhotoFiltersModelTests {
  private let greyscale = SampleCatalog.greyscale
  private let sepia = SampleCatalog.sepia

  @Test("D2 Buy becomes Use at once, and at every later launch, also without a network")
  func buy() async throws {
    let (store, folder) = (try await FilterStore(), try ScratchFolder())
    var phone = try await FilterPhone(store, folder: folder.url)
    #expect(try phone.title(sepia) == "loading…")
    try await phone.appear()
    #expect(try phone.title(greyscale) == "Buy $2.99")
    #expect(try phone.title(sepia) == "Buy $3.99")
    try await phone.buy(sepia)
    #expect(try phone.title(sepia) == "Use sepia")
    #expect(try phone.screen.filterButton(for: sepia).isEnabled)
    #expect(try phone.title(greyscale) == "Buy $2.99")
    #expect(throws: InAppPurchaseError.notForSale(sepia)) { try phone.screen.buy(sepia) }
    for _ in 0..<2 {
      try await phone.close()
      phone = try await FilterPhone(store, folder: folder.url)
      phone.network.isUp = false
      #expect(try phone.title(sepia) == "Use sepia")
      try phone.screen.apply(sepia)
      #expect(try phone.screen.appliedFilter == .sepia)
    }
    try await phone.close()
  }

  @Test("D2 a filter's definition leaves the app only for its owner; Clear filter takes it off")
  func apply() async throws {
    let (store, folder) = (try await FilterStore(), try ScratchFolder())
    let phone = try await FilterPhone(store, folder: folder.url)
    try await phone.appear()
    try phone.screen.apply(sepia)
    #expect(try phone.screen.appliedFilter == nil)
    #expect(phone.screen.alert == PhotoFilterError.notOwned(sepia).description)
    #expect(try !phone.screen.canClear)
    try phone.screen.apply("com.xamarin.storekit.testing.consume5credits")
    #expect(try phone.screen.appliedFilter == nil)
    try await phone.buy(sepia)
    try phone.screen.apply(sepia)
    #expect(phone.screen.alert == nil)
    #expect(try phone.screen.appliedFilter?.colorMatrix.count == 20)
    // One that is not owned does not take the place of one that is.
    try phone.screen.apply(greyscale)
    #expect(try phone.screen.appliedFilter == .sepia)
    #expect(try phone.screen.canClear)
    phone.screen.clearFilter()
    #expect(try phone.screen.appliedFilter == nil)
    try await phone.close()
  }

  @Test("D1 D4 E1 E4 E5 on another phone Restore brings all of it, says so, and can be pressed again")
  func restore() async throws {
    let (store, folders) = (try await FilterStore(), [try ScratchFolder(), try ScratchFolder()])
    let first = try await FilterPhone(store, folder: folders[0].url)
    try await first.appear()
    try await first.buy(sepia)
    try await first.buy(greyscale)
    try await first.close()
    let second = try await FilterPhone(store, folder: folders[1].url)
    try await second.appear()
    #expect(second.screen.canRestore)
    for _ in 0..<2 {
      try await second.restore()
      #expect(second.screen.alert == "2 purchases were restored.")
      #expect(try [second.title(greyscale), second.title(sepia)] == ["Use greyscale", "Use sepia"])
      #expect(second.screen.canRestore)
    }
    #expect(try await store.store.charges().count == 2)
    try await second.close()
  }

  @Test("E3 E4 with nothing to restore the screen says so; without a network, and when the sign-in is cancelled, too")
  func nothingToRestore() async throws {
    let (store, folder) = (try await FilterStore(), try ScratchFolder())
    let phone = try await FilterPhone(store, folder: folder.url)
    try await phone.appear()
    try await phone.restore()
    #expect(phone.screen.alert == "There is nothing to restore.")
    phone.screen.dismissAlert()
    #expect(phone.screen.alert == nil)
    phone.network.isUp = false
    try await phone.restore()
    #expect(phone.screen.alert == "The App Store cannot be reached.")
    phone.network.isUp = true
    try await phone.device.signOut()
    phone.customer.signsIn = false
    phone.screen.dismissAlert()
    try await phone.restore()
    #expect(phone.customer.signInSheets == 1)
    #expect(phone.screen.alert == "Your purchases were not restored.")
    try await phone.close()
  }

  @Test("D3 bought again on a phone that does not know: the ordinary way, no charge, and Use at the end")
  func boughtAgain() async throws {
    let (store, folders) = (try await FilterStore(), [try ScratchFolder(), try ScratchFolder()])
    let first = try await FilterPhone(store, folder: folders[0].url)
    try await first.appear()
    try await first.buy(sepia)
    let second = try await FilterPhone(store, folder: folders[1].url)
    try await second.appear()
    try await second.buy(sepia)
    #expect(try second.title(sepia) == "Use sepia")
    #expect(try await store.store.charges().count == 1)
    // One entitlement, under the original's id (H2), on both.
    let ids = try [first, second].map { try #require($0.entitlements.entitlements.first).originalTransactionIdentifier }
    #expect(ids[0] == ids[1])
    try await first.close()
    try await second.close()
  }

  @Test(
    "D1 refunded: the running app takes the filter off, bought again it is there; the refund taken back, restored it is there"
  )
  func refunded() async throws {
    let (store, folder) = (try await FilterStore(), try ScratchFolder())
    let phone = try await FilterPhone(store, folder: folder.url)
    try await phone.appear()
    try await phone.buy(sepia)
    try phone.screen.apply(sepia)
    let bought = try #require(try await store.store.transactions().first).record.transactionID
    try await phone.waitUntilRevoked { try await store.store.refund(bought) }
    #expect(try phone.screen.appliedFilter == nil)
    #expect(try phone.title(sepia) == "Buy $3.99")
    try await phone.restore()
    #expect(phone.screen.alert == "There is nothing to restore.")

    try await store.store.reverseRefund(of: bought)
    try await phone.restore()
    #expect(phone.screen.alert == "1 purchase was restored.")
    #expect(try phone.title(sepia) == "Use sepia")

    try await phone.waitUntilRevoked { try await store.store.refund(bought) }
    #expect(try phone.title(sepia) == "Buy $3.99")
    try await phone.buy(sepia)
    #expect(try phone.title(sepia) == "Use sepia")
    #expect(try await store.store.charges().count == 2)
    try await phone.close()
  }

  @Test("E1 D1 a restore that a refund overtakes: what was on its way is not owned, whichever is heard first")
  func restoreRacesRefund() async throws {
    let (store, folders) = (try await FilterStore(), [try ScratchFolder(), try ScratchFolder()])
    let first = try await FilterPhone(store, folder: folders[0].url)
    try await first.appear()
    try await first.buy(sepia)
    try await first.close()
    let bought = try #require(try await store.store.transactions().first).record.transactionID
    let second = try await FilterPhone(store, folder: folders[1].url)
    try await second.device.signIn(SignInCredentials(account: "customer"))
    second.network.afterNext(.restore) { try await store.store.refund(bought) }
    try await second.waitUntilRevoked { try await second.restore() }
    while try second.entitlements.isEntitled(to: sepia) { try await second.waitUntilRevoked {} }
    #expect(try second.title(sepia).hasPrefix("Use") == false)
    #expect(second.entitlements.entitlements.map(\.originalTransactionIdentifier) == [bought.rawValue])
    try await second.close()
  }

  @Test("D1 refunded while the app was closed: gone at the next launch")
  func refundedWhileClosed() async throws {
    let (store, folder) = (try await FilterStore(), try ScratchFolder())
    var phone = try await FilterPhone(store, folder: folder.url)
    try await phone.appear()
    try await phone.buy(sepia)
    try await phone.close()
    let bought = try #require(try await store.store.transactions().first).record.transactionID
    try await store.store.refund(bought)
    phone = try await FilterPhone(store, folder: folder.url)
    while try phone.entitlements.isEntitled(to: sepia) { try await phone.waitUntilRevoked {} }
    try await phone.appear()
    #expect(try phone.title(sepia) == "Buy $3.99")
    try await phone.close()
  }
}
