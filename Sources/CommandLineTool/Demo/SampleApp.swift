import DurableSQLite
import Foundation
import OpenStoreKit
import PurchaseKit
import SampleModel
import SignedData
import StoreKit
import StoreModel

/// The app inside its process: screen model, manager, credits, device.
final class SampleApp: @unchecked Sendable {
  private let device: StoreKitDevice
  private let vault: PurchaseVault
  private let credits: CreditManager
  private let receipts: ReceiptReader
  private let entitlements: EntitlementManager
  private let filters: PhotoFiltersModel
  /// Nil where there is no purchase server.
  private let books: BooksModel?
  private let library: ContentLibrary?
  private let manager: InAppPurchaseManager
  private let screen: ConsumablesModel
  private let customer: SteeredCustomer
  private let question = LastQuestion()
  private let network: NetworkSwitch

  /// How the process was started.
  struct Options {
    /// Where to wait for ever.
    var hold: HoldPoint?
    /// Which version of the app this is.
    var version = 1
    /// Whether the phone has no network at first.
    var isOffline = false
    /// Whether to tell whenever a button reads something else.
    var tellsScreen = false
    /// How long to wait before a store that did not answer is asked again; nil for longer and longer.
    var retryMilliseconds: Int?
    /// How long an answer of the store is waited for.
    var answerSeconds = 60.0
    /// What stays on the phone when the app is removed; nil for a folder of the app's.
    var keychain: URL?
    /// The phone, for an app that is new on it.
    var deviceID: UUID?
    /// The root that receipts must lead back to, as an app for Apple's store has Apple's built in; nil for that of the store the
    /// phone is bound to, which is known from the first contact on.
    var receiptRoot: SHA256Fingerprint?
    /// The purchase server's address; nil for an app without one.
    var server: URL?
  }

  /// What the second version of the app sells, and the first does not know.
  static let creditsOfVersionTwo = (product: "com.xamarin.storekit.testing.consume20credits", credits: 20)

  init(settings: DeviceSettings, options: Options) throws {
    let hold = options.hold
    let network = NetworkSwitch(isOn: !options.isOffline)
    self.network = network
    let retry = options.retryMilliseconds.map(SteadyRetry.init)
    let connection = WatchedConnection(
      base: HTTPAppStoreConnection(settings.url, timeoutSeconds: options.answerSeconds), network: network
    ) {
      guard hold == .charged else { return }
      Self.say(.holding(.charged))
      while true { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }
    } didFinish: {
      Self.say(.finishAcknowledged(transaction: $0.rawValue))
    } unfinishedOrder: { [question] in
      question.number
    } didFetchUnfinished: { order, count in
      // Behind whatever the queue has told the main queue until now.
      DispatchQueue.main.async {
        Self.say(.unfinished(order: order, delivered: count, inQueue: SKPaymentQueue.default().transactions.count))
      }
    }
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
    var store: any CreditStore = VaultCreditStore(vault)
    if hold == .granted {
      store = HoldingCreditStore(base: store) {
        Self.say(.holding(.granted))
        while true { pause() }
      }
    }
    var creditsForProduct = SampleCatalog.creditsForProduct
    if options.version >= 2 { creditsForProduct[Self.creditsOfVersionTwo.product] = Self.creditsOfVersionTwo.credits }
    credits = CreditManager(store: store, creditsForProduct: creditsForProduct)
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
    listen(.InAppPurchaseManagerTransactionDeferredNotification) { transaction, _ in
      .deferred(product: transaction.payment.productIdentifier)
    }
    listen(.InAppPurchaseManagerTransactionSucceededNotification) { [credits] transaction, _ in
      .succeeded(
        product: transaction.payment.productIdentifier, transaction: transaction.transactionIdentifier ?? "",
        balance: try? credits.balance)
    }
    listen(.InAppPurchaseManagerTransactionFailedNotification) { transaction, _ in
      let error = transaction.error ?? SKError(.unknown)
      return .failed(
        product: transaction.payment.productIdentifier, domain: (error as NSError).domain,
        code: (error as NSError).code, isCancellation: error.isPaymentCancellation,
        alert: error.purchaseAlert)
    }
    listen(.InAppPurchaseManagerTransactionKeptNotification) { transaction, error in
      .kept(product: transaction.payment.productIdentifier, reason: error.map { "\($0)" } ?? "")
    }
    listenForRestores()
    DispatchQueue.main.async { [screen, filters, books] in
      screen.appear()
      filters.appear()
      books?.appear()
    }
    manager.start()
  }

  private func listenForRestores() {
    let ends: [Notification.Name] = [
      .InAppPurchaseManagerRestoreFinishedNotification, .InAppPurchaseManagerRestoreFailedNotification,
    ]
    for name in ends {
      _ = NotificationCenter.default.addObserver(forName: name, object: manager, queue: nil) { [filters] _ in
        // Behind the screen, which finds words for it.
        DispatchQueue.main.async { Self.say(.restoreEnded(message: filters.alert ?? "")) }
      }
    }
    _ = NotificationCenter.default.addObserver(
      forName: .InAppPurchaseManagerProductsRevokedNotification, object: manager, queue: nil
    ) { notification in
      let products = notification.userInfo?[InAppPurchaseManager.productIdentifiersKey] as? [String] ?? []
      Self.say(.revoked(products: products))
    }
  }

  /// Ends as an app does that the system quits.
  func close() async throws {
    try await device.close()
    try library?.close()
    try vault.close()
  }

  func carryOut(_ order: SampleAppOrder) async throws {
    switch order {
    case .showPrices:
      do {
        try await manager.products(Set(screen.productIdentifiers))
      } catch {
        return Self.say(.pricesFailed(reason: "\(error)"))
      }
      let titles = screen.productIdentifiers.map { ($0, "\(screen.title(of: $0)): [\(screen.button(for: $0).title)]") }
      Self.say(.buttons(Dictionary(uniqueKeysWithValues: titles)))
    case .buy(let product, let quantity, let confirms):
      customer.confirms = confirms
      try screen(of: product).buy(product, quantity: quantity)
    case .addAnyway(let product):
      let payment = SKMutablePayment()
      payment.productIdentifier = product
      SKPaymentQueue.default().add(payment)
    case .appear:
      DispatchQueue.main.async { [screen] in screen.appear() }
    case .goOffline(let isOffline):
      network.isOn = !isOffline
    case .restrict(let isRestricted):
      device.paymentsAllowed = !isRestricted
      DispatchQueue.main.async { [screen] in screen.appear() }
    case .showQueue:
      Self.say(.queue(SKPaymentQueue.default().transactions.count))
    case .spend(let amount):
      try await screen.spend(amount)
      let balance = try credits.balance
      Self.say(screen.alert.map { .spendRefused(reason: $0, balance: balance) } ?? .balance(balance))
    case .showBalance:
      if let freeze = vault.creditFreeze {
        Self.say(.creditsFrozen(reason: freeze.reason.rawValue))
      } else {
        Self.say(.balance(try credits.balance))
      }
    case .showFilters, .apply, .clearFilter:
      try carryOutOnFilters(order)
    case .showBooks, .download, .openBook:
      try await carryOutOnBooks(order)
    case .restore:
      DispatchQueue.main.async { [filters] in filters.restore() }
    case .exportBackup(let path):
      let key = BackupKey()
      // Durable before anybody is told: the customer may delete the app on the strength of it.
      try DurableFile.replace(URL(filePath: path), with: await vault.export(under: key, receipts: receipts))
      Self.say(.exported(key: key.text))
    case .importBackup(let path, let key):
      do {
        let backup = try await vault.importBackup(
          Data(contentsOf: URL(filePath: path)), under: BackupKey(text: key), receipts: receipts)
        // What was paid for while credits were frozen waits.
        await manager.deliverKept()
        switch backup.entitlements {
        case .broughtBack(let entitlements):
          let products = entitlements.map(\.productIdentifier).sorted()
          Self.say(.imported(products: products, credits: "\(backup.credits)", refused: nil))
        case .notInBackup:
          Self.say(.imported(products: [], credits: "\(backup.credits)", refused: nil))
        case .refused(let error):
          Self.say(.imported(products: [], credits: "\(backup.credits)", refused: "\(error)"))
        }
      } catch {
        Self.say(.importRefused(reason: "\(error)"))
      }
    case .startCreditsAnew:
      try vault.startCreditsAnew()
      await manager.deliverKept()
      Self.say(.balance(try credits.balance))
    case .showReceipt:
      let url = Bundle.main.appStoreReceiptURL.flatMap { FileManager.default.fileExists(atPath: $0.path) ? $0 : nil }
      Self.say(.receipt(path: url?.path, deviceID: device.deviceID.uuidString))
    case .askForUnfinished(let number):
      question.number = number
      // The queue asks whenever an observer is attached; this one wants to hear nothing.
      let observer = SilentObserver()
      device.paymentQueue.add(observer)
      device.paymentQueue.remove(observer)
    }
  }

  private func screen(of product: String) -> ProductScreen {
    if SampleCatalog.filters.contains(product) { return filters }
    return books.flatMap { $0.productIdentifiers.contains(product) ? $0 : nil } ?? screen
  }

  private func carryOutOnBooks(_ order: SampleAppOrder) async throws {
    guard let books else { return Self.say(.notOpened(reason: "This app has no purchase server.")) }
    switch order {
    case .download(let product): await books.download(product)
    case .openBook(let product):
      try books.open(product)
      guard let book = books.openBook, book.productIdentifier == product else {
        return Self.say(.notOpened(reason: books.alert ?? ""))
      }
      return Self.say(
        .opened(product: product, version: book.version, digest: try SampleBooks.digest(of: book, in: books)))
    default: break
    }
    let titles = try books.productIdentifiers.map { ($0, try books.bookButton(for: $0).title) }
    Self.say(.books(Dictionary(uniqueKeysWithValues: titles), alert: books.alert))
  }

  private func carryOutOnFilters(_ order: SampleAppOrder) throws {
    switch order {
    case .apply(let product): try filters.apply(product)
    case .clearFilter: filters.clearFilter()
    default: break
    }
    let titles = try filters.productIdentifiers.map { ($0, try filters.filterButton(for: $0).title) }
    Self.say(
      .filters(
        Dictionary(uniqueKeysWithValues: titles), colorMatrix: try filters.appliedFilter?.colorMatrix,
        alert: filters.alert))
  }

  private func listen(
    _ name: Notification.Name,
    _ event: @escaping @Sendable (SKPaymentTransaction, (any Error)?) throws -> SampleAppEvent
  ) {
    _ = NotificationCenter.default.addObserver(forName: name, object: manager, queue: nil) { notification in
      guard let transaction = notification.userInfo?[InAppPurchaseManager.transactionKey] as? SKPaymentTransaction
      else { return }
      do {
        Self.say(try event(transaction, notification.userInfo?[InAppPurchaseManager.errorKey] as? any Error))
      } catch {
        Self.say(.kept(product: transaction.payment.productIdentifier, reason: "\(error)"))
      }
    }
  }

  static func say(_ event: SampleAppEvent) {
    do {
      writeLine(try SampleAppLine.write(event))
    } catch {
      FileHandle.standardError.write(Data("sample-app: \(error)\n".utf8))
    }
  }
}
