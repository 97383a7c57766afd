import Foundation
import HTTPTransport
import OpenStoreKit
import PurchaseKit
import SampleModel
import SignedData
import StoreKit
import StoreModel

/// The sample app in its process: the screen models, the purchase manager, the credits and the device.
package final class RunningApp: Sendable {
  let send: EventSender
  let pageChanged: PageReporter
  let device: StoreKitDevice
  let vault: PurchaseVault
  let credits: CreditManager
  /// The store of `credits`: the vault, or the purchase server.
  let creditStore: any CreditStore
  let receipts: ReceiptReader
  /// With StoreKit 2, reads the signed transactions; nil with StoreKit 1.
  let transactions: TransactionReader?
  let entitlements: EntitlementManager
  let filters: PhotoFiltersModel
  /// The products that need a purchase server. This property, `books` and `printing` are nil if the app has no server.
  let goods: ServerGoods?
  let books: BooksModel?
  let printing: ConsumablesModel?
  let club: ClubModel
  /// The customer's subscriptions, or the error of the last request for them; nil before the first request.
  let subscriptions = LockedValue<Result<SubscriptionOverview, any Error>?>(nil)
  /// The customer's purchases for the phone's settings; nil before they were first read.
  let purchases = LockedValue<[ShownPurchase]?>(nil)
  /// What the App Store on the phone shows, or the error of the last request for it; nil before the first request.
  let appStore = LockedValue<Result<AppStoreListing, any Error>?>(nil)
  let clock = StoreDateClock()
  let manager: InAppPurchaseManager
  /// Delivers the same purchases by the other StoreKit; nil if the app uses one only.
  let otherManager: InAppPurchaseManager?
  let renewal: ReceiptRenewal
  let frozen: FrozenPurchases
  let screen: ConsumablesModel
  /// Answers the store's sheets as a command specifies; nil if a person answers them.
  let scripted: ScriptedCustomer?
  /// Shows the store's sheets to a person; nil if a command answers them.
  let sheets: SheetCustomer?
  let steps: StepReporter
  /// The number of the last command that requested unfinished transactions.
  let unfinishedRequest = LockedValue<Int?>(nil)
  let emptyQueue: EmptyQueueReporter
  /// The point at which the app stops forever, so that it can be killed there; nil if it does not stop.
  let hold: LockedValue<HoldPoint?>
  /// The question that the customer is asked; nil if there is none.
  let question = LockedValue<PendingQuestion?>(nil)
  /// The folder of the app's data.
  let folder: URL

  /// A question that the customer is asked, and the command that is carried out if the customer agrees.
  struct PendingQuestion: Hashable, Sendable {
    let question: LossQuestion
    let command: AppCommand
  }

  /// The product that only version 2 of the app has, and its number of credits.
  package static let creditsOfVersionTwo = (product: "com.xamarin.storekit.testing.consume20credits", credits: 20)

  /// - Parameters:
  ///   - settings: the phone's settings.
  ///   - connection: the connection to the store; nil for HTTP to the address in `settings`.
  ///   - send: receives the app's events.
  /// - Throws: `StoreKitDeviceError`, `DurableSQLiteError` or `VaultError` if the app cannot run.
  package init(
    settings: DeviceSettings, options: Options, connection: (any AppStoreConnection)? = nil, send: EventSender
  ) throws {
    self.send = send
    let pageChanged = PageReporter(send: send)
    self.pageChanged = pageChanged
    folder = settings.folder
    let switches = DeviceSwitches(isRestricted: settings.isRestricted, isOffline: settings.isOffline)
    hold = LockedValue(options.hold)
    steps = StepReporter(send: send, isOn: options.hasPages)
    let retry: (any RetrySchedule)? =
      if let milliseconds = options.retryMilliseconds {
        TimedRetry(RetryPauses(always: .milliseconds(milliseconds)))
      } else if options.hasPages {
        NetworkRetry(switches: switches)
      } else {
        nil
      }
    let store = StepConnection(
      base: connection ?? HTTPAppStoreConnection(settings.url, transport: options.transport(options.answerSeconds)),
      steps: steps)
    let customer: any StoreCustomer
    if options.hasPages {
      let sheets = SheetCustomer(account: settings.account.rawValue, steps: steps) { pageChanged() }
      (self.sheets, scripted, customer) = (sheets, nil, sheets)
    } else {
      let scripted = ScriptedCustomer(reportsSignIn: options.reportsScreen, send: send)
      scripted.account = settings.account
      (sheets, self.scripted, customer) = (nil, scripted, scripted)
    }
    device = try StoreKitDevice(
      settings, connection: Self.connection(over: store, options, unfinishedRequest, hold, send),
      watching: { [steps] in OutageConnection(base: $0, steps: steps) }, customer: customer, switches: switches,
      retry: retry ?? TimedRetry(.upToAMinute), deviceID: options.deviceID)
    StoreKitDevice.current = device
    let keychain = options.keychain ?? settings.folder.appending(path: "keychain")
    vault = try SampleVault(folder: settings.folder, keychain: keychain, deviceID: device.deviceID).open(clock: clock) {
      send(.finding("\($0)"))
    }
    let builtIn = options.receiptRoot.map { TrustAnchors(fingerprints: [$0]) }
    let identifier = DeviceIdentifier.vendorIdentifier(device.deviceID)
    receipts = ReceiptReader(
      anchors: builtIn ?? StoreKitDevice.current?.receiptAnchors, bundleID: settings.bundleID, device: identifier,
      environments: [settings.environment])
    transactions =
      options.storeKit == .storeKit1
      ? nil
      : TransactionReader(
        anchors: StoreKitDevice.current?.transactionAnchors, bundleID: settings.bundleID, device: identifier,
        environments: [settings.environment])
    let transport = PhoneTransport(base: options.transport(60), switches: switches, steps: steps)
    let server = try options.server.map { [device] in
      try SampleServer(
        address: $0, folder: settings.folder, keychain: keychain, device: device, transport: transport)
    }
    let source: any EntitlementSource = if let transactions { transactions } else { receipts }
    entitlements = EntitlementManager(
      vault: vault, receipts: source,
      productIdentifiers: SampleCatalog.filters.union(server?.books ?? SampleCatalog.books),
      subscriptionIdentifiers: Set(SampleCatalog.clubPlans), entitlementNames: SampleCatalog.entitlementNames)
    let serverRetry = retry ?? TimedRetry(.upToHalfAMinute)
    let goods = try server.map { [entitlements, receipts, transactions] in
      try ServerGoods(
        server: $0, folder: settings.folder, entitlements: entitlements, receipts: receipts,
        transactions: transactions, retry: serverRetry,
        hasCredits: (options.credits ?? .usual(hasServer: true)) == .server)
    }
    self.goods = goods
    let creditStore: any CreditStore = goods?.monkeyCredits ?? VaultCreditStore(vault)
    self.creditStore = creditStore
    var creditsForProduct = SampleCatalog.creditsForProduct
    if options.version >= 2 { creditsForProduct[Self.creditsOfVersionTwo.product] = Self.creditsOfVersionTwo.credits }
    credits = CreditManager(
      store: options.hold == .granted
        ? HoldingCreditStore(base: creditStore, hold: Self.waitForEver(send)) : creditStore,
      creditsForProduct: creditsForProduct)
    // The deliveries of `goods` come before `entitlements`, which delivers the same products without files.
    let deliveries = steps.watching([credits] + (goods?.deliveries ?? []) + [entitlements]) { [entitlements] product in
      // The screens report a vault that cannot be read.
      (try? entitlements.isEntitled(to: product)) ?? false
    }
    let manager = InAppPurchaseManager(
      deliveries: deliveries, interface: options.storeKit, retry: serverRetry, server: server?.client)
    self.manager = manager
    otherManager =
      options.usesBothStoreKits
      ? InAppPurchaseManager(
        deliveries: deliveries, interface: options.storeKit == .storeKit1 ? .storeKit2 : .storeKit1,
        retry: serverRetry, server: server?.client) : nil
    emptyQueue = EmptyQueueReporter(manager: manager, send: send)
    renewal = ReceiptRenewal(manager: manager, send: send)
    frozen = FrozenPurchases(manager: manager, stores: goods?.creditStores ?? [])
    books = goods.map { [entitlements] in
      BooksModel(
        manager: manager, delivery: $0.books.delivery, entitlements: entitlements, list: $0.server.list,
        retry: serverRetry)
    }
    printing = goods.map {
      ConsumablesModel(
        manager: manager, credits: $0.printing.credits, productIdentifiers: SampleCatalog.pagesForProduct.keys.sorted(),
        unit: SampleCatalog.pagesUnit)
    }
    screen = ConsumablesModel(manager: manager, credits: credits)
    filters = PhotoFiltersModel(manager: manager, filters: PhotoFilterManager(entitlements: entitlements))
    club = ClubModel(manager: manager, entitlements: entitlements, offerings: server?.offerings)
    if options.reportsScreen { reportScreens() }
    if options.hasPages { watchScreens() }
  }

  package func start() async {
    do {
      try await entitlements.readReceipt()
    } catch ReceiptError.missing where sheets != nil {
      // The receipt is missing until the person buys or restores a product. So this is not an error.
    } catch {
      send(.finding("\(error)"))
    }
    listen()
    watchSwitches()
    steps.watch(manager)
    if let downloads = goods?.books.delivery.downloads { steps.watch(downloads) }
    await MainActor.run {
      for screen in [screen, filters, books, printing, club] { screen?.appear() }
    }
    manager.start()
    otherManager?.start()
    await settleSpends()
    guard sheets != nil else { return }
    reportCreditsAtRisk()
    refreshFromServer()
    refreshOfferings()
  }

  /// Ends the app as the system does when it quits an app.
  package func close() async throws {
    try await device.close()
    try goods?.close()
    try vault.close()
  }
}
