import AppStoreEmulator
import Foundation
import OpenStoreKit
import PurchaseKit
import SharedFixtures
import StoreModel
import Testing

@testable import SampleModel

@Suite("The photo filters screen", .timeLimit(.minutes(30)))
struct PhotoFiltersModelTests {
  private let greyscale = SampleCatalog.greyscale
  private let sepia = SampleCatalog.sepia

  @Test("D2 Buy becomes Use at once, and at every later launch, also without a network")
  func buy() async throws {
    let (store, folder) = (try await FilterStore(), try ScratchFolder())
    var phone = try await FilterPhone(store, folder: folder.url)
    #expect(try phone.title(sepia) == "Loading…")
    #expect([greyscale, sepia].map(phone.screen.title) == ["Greyscale", "Sepia"])
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

  @Test("D2 a filter is applied only if it is owned; Clear filter removes it")
  func apply() async throws {
    let (store, folder) = (try await FilterStore(), try ScratchFolder())
    let phone = try await FilterPhone(store, folder: folder.url)
    try await phone.appear()
    try phone.screen.apply(sepia)
    #expect(try phone.screen.appliedFilter == nil)
    #expect(phone.screen.alert == "You do not own “Sepia”. Buy it, or restore your purchases.")
    #expect(try !phone.screen.canClear)
    try phone.screen.apply("com.xamarin.storekit.testing.consume5credits")
    #expect(try phone.screen.appliedFilter == nil)
    try await phone.buy(sepia)
    try phone.screen.apply(sepia)
    #expect(phone.screen.alert == nil)
    #expect(try phone.screen.appliedFilter?.colorMatrix.count == 20)
    // A filter that is not owned does not replace the applied one.
    try phone.screen.apply(greyscale)
    #expect(try phone.screen.appliedFilter == .sepia)
    #expect(try phone.screen.canClear)
    phone.screen.clearFilter()
    #expect(try phone.screen.appliedFilter == nil)
    try await phone.close()
  }

  @Test("D1 D4 E1 E4 E5 on another phone Restore grants all filters, shows a message, and can be repeated")
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

  @Test(
    "E3 E4 the screen shows a message if there is nothing to restore, if there is no network, and if the sign-in is cancelled"
  )
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

  @Test("D3 a second purchase on a new phone: the usual sheets, no charge, and the button reads Use")
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
    // Both phones have one entitlement, with the original transaction id (H2).
    let ids = try [first, second].map { try #require($0.entitlements.entitlements.first).originalTransactionIdentifier }
    #expect(ids[0] == ids[1])
    try await first.close()
    try await second.close()
  }

  @Test(
    "D1 D2 A5 after a refund the running app removes the filter and says why; after another purchase, or a reversed refund and a restore, it is owned"
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
    // The filter's line says why it is locked.
    #expect(try phone.screen.lossText(of: sepia)?.contains("Buy it again to use it.") == true)
    #expect(try phone.screen.lossText(of: greyscale) == nil)
    try await phone.restore()
    #expect(phone.screen.alert == "There is nothing to restore.")

    try await store.store.reverseRefund(of: bought)
    try await phone.restore()
    #expect(phone.screen.alert == "1 purchase was restored.")
    #expect(try phone.title(sepia) == "Use sepia")
    #expect(try phone.screen.lossText(of: sepia) == nil)

    try await phone.waitUntilRevoked { try await store.store.refund(bought) }
    #expect(try phone.title(sepia) == "Buy $3.99")
    try await phone.buy(sepia)
    #expect(try phone.title(sepia) == "Use sepia")
    #expect(try await store.store.charges().count == 2)
    try await phone.close()
  }

  @Test("E1 D1 a restore during a refund: the filter is not owned, whichever notification arrives first")
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

  @Test("D1 a refund while the app was closed: the filter is not owned at the next launch")
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
