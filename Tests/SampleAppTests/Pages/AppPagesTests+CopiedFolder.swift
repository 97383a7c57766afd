import AppStoreEmulator
import Foundation
import OpenStoreKit
import PurchaseKit
import SampleModel
import SharedFixtures
import ShopFixtures
import StoreModel
import Testing

@testable import SampleApp

// In the suite of the app's pages, because the app's device becomes the device of the process.
extension AppPagesTests {
  /// A phone's folder, with the app's folder and the keychain in it.
  private struct Phone {
    let scratch: ScratchFolder
    let id = UUID()
    let store: EmulatedAppStore

    init(_ store: EmulatedAppStore) throws {
      scratch = try ScratchFolder()
      self.store = store
    }

    var app: URL { scratch.url.appending(path: "app") }
    var keychain: URL { scratch.url.appending(path: "keychain") }

    func launch() throws -> RunningApp {
      let settings = try DeviceSettings([
        "OPENSTOREKIT_URL": "http://127.0.0.1:1", "OPENSTOREKIT_DATA": app.path,
        "OPENSTOREKIT_BUNDLE_ID": SampleCatalog.bundleIdentifier,
      ])
      var options = RunningApp.Options()
      options.hasPages = true
      options.keychain = keychain
      options.deviceID = id
      return try RunningApp(settings: settings, options: options, connection: store, send: EventSender { _ in })
    }

    func grant(_ credits: Int, _ transaction: String) async throws {
      let app = try launch()
      _ = try await app.creditStore.grant(
        credits,
        for: PaidPurchase(
          transactionIdentifier: transaction, productIdentifier: SampleCatalog.fiveCredits, quantity: 1, date: Date()))
      try await app.close()
    }

    /// Replaces files or folders by those of another phone.
    func copy(_ names: [String], from other: Phone) throws {
      for name in names {
        let place = scratch.url.appending(path: name)
        try FileManager.default.removeItem(at: place)
        try FileManager.default.copyItem(at: other.scratch.url.appending(path: name), to: place)
      }
    }
  }

  @Test(
    "F1 the app's folder of another phone is refused, and its credits are not given twice; the phone's own are there afterwards",
    arguments: [["app", "keychain"], ["app/payment-queue.sqlite"]])
  func copiedFolder(_ names: [String]) async throws {
    let store = try await EmulatedAppStore.selling(
      [.consumable(SampleCatalog.fiveCredits, 990, name: "5", description: "A few")],
      in: BundleID(SampleCatalog.bundleIdentifier), seed: 11)
    let (first, second, saved) = (try Phone(store), try Phone(store), try Phone(store))
    try await first.grant(10, "1")
    try await second.grant(5, "2")
    for name in ["app", "keychain"] {
      try FileManager.default.copyItem(
        at: second.scratch.url.appending(path: name), to: saved.scratch.url.appending(path: name))
    }
    try second.copy(names, from: first)
    let keyItem = second.keychain.appending(path: "purchase-vault.key")
    let key = try Data(contentsOf: keyItem)
    await #expect(throws: StoreKitDeviceError.folderOfAnotherDevice(first.id)) { try await second.launch().close() }
    // The vault was not opened, so its key item did not change.
    #expect(try Data(contentsOf: keyItem) == key)
    try second.copy(names, from: saved)
    let app = try second.launch()
    #expect(app.vault.creditFreeze == nil && app.vault.findings.isEmpty)
    #expect(try app.credits.balance == 5)
    try await app.close()
  }
}
