import Foundation
import PurchaseKit
import StoreModel

@testable import OpenStoreKit

/// A phone with the app on it. The app can be killed at any moment and launched again on the same files.
final class Phone: @unchecked Sendable {
  private let modelled: ModelledStore
  private let folder: URL
  private let somethingHappened: @Sendable () -> Void
  let customer = RandomCustomer()
  let retry = TestRetry()
  let shaky = ShakyDelivery.Faults()
  private let keys = MemoryVaultKeyStore()
  /// What the vault found amiss at any launch: nothing ever, since nobody tampers with it.
  private(set) var findings: [VaultFinding] = []
  private var running: App?
  private(set) var presses = 0
  /// The journal's numbers of the payments whose end the app was reported.
  let ended = EndedPayments()

  private struct App {
    let line: Line
    let device: StoreKitDevice
    let vault: PurchaseVault
    let store: VaultCreditStore
    let manager: InAppPurchaseManager
    let probe: Probe
  }

  init(
    _ name: String, modelled: ModelledStore, in folder: URL, somethingHappened: @escaping @Sendable () -> Void
  ) throws {
    self.modelled = modelled
    self.folder = folder.appending(path: name)
    self.somethingHappened = somethingHappened
    try launch()
  }

  private func launch() throws {
    let line = Line(to: modelled, somethingHappened: somethingHappened)
    let device = try StoreKitDevice(
      connection: line, bundleID: ModelledStore.bundleID, storage: .directory(folder), customer: customer,
      retry: retry, report: { _ in })
    let vault = try PurchaseVault(
      at: folder.appending(path: "vault.sqlite"), keys: keys,
      owner: VaultOwner(
        bundleID: ModelledStore.bundleID, deviceIdentifier: .vendorIdentifier(device.deviceID)))
    findings += vault.findings
    let store = VaultCreditStore(vault)
    let notifications = NotificationCenter()
    let credits = CreditManager(
      store: store,
      creditsForProduct: Dictionary(
        uniqueKeysWithValues: ModelledStore.creditsForProduct.map { ($0.key.rawValue, $0.value) }),
      notifications: notifications)
    let manager = InAppPurchaseManager(
      deliveries: [ShakyDelivery(credits, shaky)], queue: device.paymentQueue, notifications: notifications,
      makeProductsRequest: { SKProductsRequest(productIdentifiers: $0, device: device) })
    let probe = Probe(ended, somethingHappened)
    running = App(line: line, device: device, vault: vault, store: store, manager: manager, probe: probe)
    manager.start()
    device.paymentQueue.add(probe)
  }

  /// The app's process ends, and the app is launched again. What was on its way to or from the store is lost to it.
  func killAndLaunch() async throws {
    guard let app = running else { return }
    app.line.die()
    app.manager.stop()
    try app.vault.close()
    try await app.device.close()
    running = nil
    try launch()
  }

  func buy(_ product: ProductID, quantity: Int) {
    let payment = SKMutablePayment()
    payment.productIdentifier = product.rawValue
    payment.quantity = quantity
    presses += 1
    running?.device.paymentQueue.add(payment)
  }

  /// Somebody else signs in. Fails without a network, as on a phone.
  func switchAccount(to account: AccountName) async {
    customer.account = account
    try? await running?.device.signIn(SignInCredentials(account: account))
  }

  func set(up: Bool) {
    running?.line.set(up: up)
    if up { retry.goOn() }
  }

  /// The app comes to the foreground, and the list that it asks for then is held.
  func holdNextList() {
    running?.line.holdLists(1)
    running?.device.applicationWillEnterForeground()
  }

  func releaseLists() { running?.line.releaseLists() }

  /// Nothing here can be restored, but a restore sends finishes.
  func restore() { running?.device.paymentQueue.restoreCompletedTransactions() }

  func loseAnswers(_ count: Int) { running?.line.loseAnswers(count) }

  var installation: InstallationID? { running?.device.installationID }
  var isQueueEmpty: Bool { running?.device.paymentQueue.transactions.isEmpty ?? false }
  var balance: Int { get throws { try running?.store.balance() ?? -1 } }

  func close() async throws {
    running?.manager.stop()
    try await running?.device.close()
    try running?.vault.close()
    running = nil
  }

  private final class Probe: NSObject, SKPaymentTransactionObserver, Sendable {
    private let ended: EndedPayments
    private let somethingHappened: @Sendable () -> Void

    init(_ ended: EndedPayments, _ somethingHappened: @escaping @Sendable () -> Void) {
      self.ended = ended
      self.somethingHappened = somethingHappened
      super.init()
    }

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
      for transaction in transactions where [.purchased, .failed].contains(transaction.transactionState) {
        if let sequence = transaction.sequence { ended.add(sequence) }
      }
      somethingHappened()
    }

    func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]) {
      somethingHappened()
    }
  }
}

final class EndedPayments: Sendable {
  private let sequences = LockedValue<Set<Int64>>([])

  var count: Int { sequences.withLock { $0.count } }
  func add(_ sequence: Int64) { _ = sequences.withLock { $0.insert(sequence) } }
}

/// Gives the goods, and now and then fails after that: as a process that dies between grant and finish, the transaction
/// stays unfinished until the next launch.
final class ShakyDelivery: ProductDelivery {
  final class Faults: Sendable {
    private let count = LockedValue(0)

    func add() { count.withLock { $0 += 1 } }
    func clear() { count.value = 0 }

    func take() -> Bool {
      count.withLock { count in
        guard count > 0 else { return false }
        count -= 1
        return true
      }
    }
  }

  private struct DiedAfterGrant: Error {}
  private let base: CreditManager
  private let faults: Faults

  init(_ base: CreditManager, _ faults: Faults) {
    self.base = base
    self.faults = faults
  }

  func handles(_ productIdentifier: String) -> Bool { base.handles(productIdentifier) }

  func obstacle(to productIdentifier: String) -> String? { base.obstacle(to: productIdentifier) }

  func deliver(_ purchase: PaidPurchase) async throws {
    try await base.deliver(purchase)
    if faults.take() { throw DiedAfterGrant() }
  }
}

/// A customer who sometimes cancels.
final class RandomCustomer: StoreCustomer {
  private struct State: Sendable {
    var name = ModelledStore.accounts[0]
    var cancellations = 0
  }

  private let state = LockedValue(State())

  var account: AccountName {
    get { state.withLock { $0.name } }
    set { state.withLock { $0.name = newValue } }
  }

  func cancelNext() { state.withLock { $0.cancellations += 1 } }

  func signIn(_ reason: SignInReason) async -> SignInAnswer { .credentials(SignInCredentials(account: account)) }

  func confirm(_ quote: PaymentQuote) async -> ConfirmationAnswer {
    state.withLock { state in
      guard state.cancellations > 0 else { return .confirm }
      state.cancellations -= 1
      return .cancel
    }
  }
}
