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
  /// This and what is sold by it are nil where there is no purchase server.
  let goods: ServerGoods?
  let books: BooksModel?
  let pages: ConsumablesModel?
  let manager: InAppPurchaseManager
  let renewal: ReceiptRenewal
  let screen: ConsumablesModel
  let customer: SteeredCustomer
  let question = LastQuestion()
  let watcher = QueueWatcher()
  let network: NetworkSwitch

  /// What the second version of the app sells, and the first does not know.
  static let creditsOfVersionTwo = (product: "com.xamarin.storekit.testing.consume20credits", credits: 20)

  init(settings: DeviceSettings, options: Options) throws {
    let network = NetworkSwitch(isOn: !options.isOffline)
    self.network = network
    let retry = options.retryMilliseconds.map { SteadyRetry(milliseconds: $0) }
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
    let server = try options.server.map { [device] in
      try SampleServer(address: $0, folder: settings.folder, device: device)
    }
    entitlements = EntitlementManager(
      vault: vault, receipts: receipts,
      productIdentifiers: SampleCatalog.filters.union(server?.books ?? SampleCatalog.books))
    let reachability: any Reachability = retry ?? ExponentialBackoff()
    let goods = try server.map { [entitlements, receipts] in
      try ServerGoods(
        server: $0, folder: settings.folder, entitlements: entitlements, receipts: receipts, reachability: reachability)
    }
    self.goods = goods
    let manager = InAppPurchaseManager(
      // Books before who gives the same products without files.
      deliveries: [credits] + (goods?.deliveries ?? []) + [entitlements], reachability: reachability,
      server: server?.client)
    self.manager = manager
    renewal = ReceiptRenewal(manager: manager)
    books = goods.map { [entitlements] in
      BooksModel(
        manager: manager, delivery: $0.books.delivery, entitlements: entitlements, list: $0.server.list,
        reachability: reachability)
    }
    pages = goods.map {
      ConsumablesModel(
        manager: manager, credits: $0.pages.credits, productIdentifiers: SampleCatalog.pagesForProduct.keys.sorted(),
        unit: SampleCatalog.pagesUnit)
    }
    screen = ConsumablesModel(manager: manager, credits: credits)
    filters = PhotoFiltersModel(manager: manager, filters: PhotoFilterManager(entitlements: entitlements))
    if options.tellsScreen { tellScreens() }
  }

  func start() async {
    do {
      try await entitlements.readReceipt()
    } catch {
      Self.say(.finding("\(error)"))
    }
    listen()
    await MainActor.run {
      for screen in [screen, filters, books, pages] { screen?.appear() }
    }
    manager.start()
    await settleSpends()
  }

  /// Ends as an app does that the system quits.
  func close() async throws {
    try await device.close()
    try goods?.close()
    try vault.close()
  }
}
