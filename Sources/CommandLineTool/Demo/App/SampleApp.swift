import Foundation
import OpenStoreKit
import PurchaseKit
import SampleModel
import SignedData
import StoreKit
import StoreModel

/// The app inside its process: screen model, manager, credits, device.
final class SampleApp: @unchecked Sendable {
  let device: StoreKitDevice
  let vault: PurchaseVault
  let credits: CreditManager
  let receipts: ReceiptReader
  let entitlements: EntitlementManager
  let filters: PhotoFiltersModel
  /// Nil where there is no purchase server.
  let books: BooksModel?
  let library: ContentLibrary?
  let manager: InAppPurchaseManager
  let screen: ConsumablesModel
  let customer: SteeredCustomer
  let question = LastQuestion()
  let network: NetworkSwitch

  /// What the second version of the app sells, and the first does not know.
  static let creditsOfVersionTwo = (product: "com.xamarin.storekit.testing.consume20credits", credits: 20)

  init(settings: DeviceSettings, options: Options) throws {
    let network = NetworkSwitch(isOn: !options.isOffline)
    self.network = network
    let retry = options.retryMilliseconds.map(SteadyRetry.init)
    let connection = Self.connection(settings, options, network, question)
    customer = SteeredCustomer(tellsSignIn: options.tellsScreen)
    customer.account = settings.account
    device = try StoreKitDevice(
      settings, connection: connection, customer: customer, retry: retry ?? ExponentialRetry(),
      deviceID: options.deviceID)
    StoreKitDevice.current = device
    let keychain = options.keychain ?? settings.folder.appending(path: "keychain")
    vault = try SampleVault(folder: settings.folder, keychain: keychain, deviceID: device.deviceID).open {
      Self.say(.finding("\($0)"))
    }
    let store = VaultCreditStore(vault)
    var creditsForProduct = SampleCatalog.creditsForProduct
    if options.version >= 2 { creditsForProduct[Self.creditsOfVersionTwo.product] = Self.creditsOfVersionTwo.credits }
    credits = CreditManager(
      store: options.hold == .granted ? HoldingCreditStore(base: store, hold: Self.waitForEver) : store,
      creditsForProduct: creditsForProduct)
    let builtIn = options.receiptRoot.map { TrustAnchors(fingerprints: [$0]) }
    receipts = ReceiptReader(
      anchors: builtIn ?? StoreKitDevice.current?.receiptAnchors, bundleID: settings.bundleID,
      device: .vendorIdentifier(device.deviceID), environments: [settings.environment])
    entitlements = EntitlementManager(
      vault: vault, receipts: receipts, productIdentifiers: SampleCatalog.filters.union(SampleCatalog.books))
    let sampleBooks = try options.server.map { [device, entitlements, receipts] in
      try SampleBooks(
        address: $0, folder: settings.folder, device: device, entitlements: entitlements, receipts: receipts,
        reachability: retry ?? ExponentialBackoff())
    }
    let manager = InAppPurchaseManager(
      // Before who gives the same products without files.
      deliveries: [credits] + (sampleBooks.map { [$0.delivery] } ?? []) + [entitlements],
      reachability: retry ?? ExponentialBackoff(), server: sampleBooks?.server)
    self.manager = manager
    library = sampleBooks?.library
    books = sampleBooks.map { [entitlements] in
      BooksModel(manager: manager, delivery: $0.delivery, entitlements: entitlements)
    }
    let screen = ConsumablesModel(manager: manager, credits: credits)
    self.screen = screen
    filters = PhotoFiltersModel(manager: manager, filters: PhotoFilterManager(entitlements: entitlements))
    if options.tellsScreen {
      screen.didChange = { [unowned screen] in
        let titles = screen.productIdentifiers.map { ($0, screen.button(for: $0).title) }
        Self.say(.screen(Dictionary(uniqueKeysWithValues: titles)))
      }
    }
  }

  func start() async {
    do {
      try await entitlements.readReceipt()
    } catch {
      Self.say(.finding("\(error)"))
    }
    listen()
    DispatchQueue.main.async { [screen, filters, books] in
      screen.appear()
      filters.appear()
      books?.appear()
    }
    manager.start()
  }

  /// Ends as an app does that the system quits.
  func close() async throws {
    try await device.close()
    try library?.close()
    try vault.close()
  }
}
