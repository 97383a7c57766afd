import AppStoreEmulator
import Foundation
import OpenStoreKit
import PurchaseKit
import SharedFixtures
import ShopFixtures
import StoreModel

@testable import SampleModel

/// The sample app and an emulated store in one process.
final class Sample: Sendable {
  let store: EmulatedAppStore
  let screen: ConsumablesModel
  let customer: SampleCustomer
  let network: SampleNetwork
  let reachability = ManualRetry()
  let requests = RequestCount()
  let device: StoreKitDevice
  let manager: InAppPurchaseManager
  let notifications = NotificationCenter()

  /// - Parameter looksAtRestrictions: false for an app that does not check restrictions.
  init(sellsTen: Bool = true, looksAtRestrictions: Bool = true) async throws {
    let five = ProductDefinition.consumable(
      SampleCatalog.fiveCredits, 990, name: "5 monkey credits", description: "A few")
    let ten = ProductDefinition.consumable(
      SampleCatalog.tenCredits, 1_990, name: "10 monkey credits", description: "A lot")
    let store = try await EmulatedAppStore.selling(
      sellsTen ? [five, ten] : [five], in: BundleID(SampleCatalog.bundleIdentifier), seed: 3)
    self.store = store
    let customer = SampleCustomer()
    self.customer = customer
    let (network, requests) = (SampleNetwork(store), requests)
    self.network = network
    let device = try StoreKitDevice(
      connection: network, bundleID: BundleID(SampleCatalog.bundleIdentifier), storage: .inMemory,
      customer: customer, report: { _ in })
    self.device = device
    let vault = try PurchaseVault(
      at: nil, keys: MemoryVaultKeyStore(),
      owner: VaultOwner(
        bundleID: BundleID(SampleCatalog.bundleIdentifier), deviceIdentifier: .vendorIdentifier(device.deviceID)))
    let credits = CreditManager(
      store: VaultCreditStore(vault), creditsForProduct: SampleCatalog.creditsForProduct,
      notifications: notifications)
    manager = InAppPurchaseManager(
      deliveries: [credits], queue: device.paymentQueue, notifications: notifications,
      makeProductsRequest: {
        requests.increment()
        return SKProductsRequest(productIdentifiers: $0, device: device)
      }, paymentsAllowed: { !looksAtRestrictions || device.paymentsAllowed }, retry: reachability)
    screen = ConsumablesModel(manager: manager, credits: credits, notifications: notifications)
    manager.start()
  }

  /// Shows the screen, and returns when its prices have arrived or the request has failed.
  func appear() async throws {
    try await waiting(
      for: .InAppPurchaseManagerProductsFetchedNotification, .InAppPurchaseManagerRequestFailedNotification
    ) { self.screen.appear() }
  }

  func buy(
    _ product: String, quantity: Int = 1,
    until outcome: Notification.Name = .InAppPurchaseManagerTransactionSucceededNotification
  ) async throws {
    try await waiting(for: outcome) { try self.screen.buy(product, quantity: quantity) }
  }

  /// Runs `work` on the main queue, and returns when all observers were notified of its result.
  func waiting(
    for names: Notification.Name..., work: @escaping @MainActor () throws -> Void
  ) async throws {
    let (outcomes, notified) = AsyncStream.makeStream(of: Void.self)
    let observations = names.map { name in
      notifications.addObserver(forName: name, object: nil, queue: nil) { _ in notified.yield() }
    }
    defer { for observation in observations { notifications.removeObserver(observation) } }
    try await work()
    _ = await outcomes.first { _ in true }
    await MainActor.run {}
  }

  func button(_ product: String) -> PurchaseButton { screen.button(for: product) }
}

final class RequestCount: Sendable {
  private let number = LockedValue(0)
  var count: Int { number.value }
  func increment() { number.withLock { $0 += 1 } }
}

/// The network between the device and the store.
final class SampleNetwork: AppStoreConnection {
  private struct State: Sendable {
    var up = true
    var calls: [DeviceAPI.Verb] = []
    var after: (verb: DeviceAPI.Verb, work: @Sendable () async throws -> Void)?
  }

  private let state = LockedValue(State())
  private let store: any AppStoreConnection

  init(_ store: any AppStoreConnection) { self.store = store }

  var isUp: Bool {
    get { state.withLock { $0.up } }
    set { state.withLock { $0.up = newValue } }
  }

  /// Runs `work` after the store has answered the next call of `verb`, before the device receives the answer.
  func afterNext(_ verb: DeviceAPI.Verb, _ work: @escaping @Sendable () async throws -> Void) {
    state.withLock { $0.after = (verb, work) }
  }

  private func workAfter(_ verb: DeviceAPI.Verb) -> (@Sendable () async throws -> Void)? {
    state.withLock { state in
      guard state.after?.verb == verb else { return nil }
      defer { state.after = nil }
      return state.after?.work
    }
  }

  /// The calls that reached the store.
  var sent: [DeviceAPI.Verb] { state.withLock { $0.calls } }

  func send<Call: StoreCall>(_ call: Call, for installation: InstallationID) async throws -> Call.Answer {
    guard isUp else { throw StoreConnectionFailure.unreachable(reason: "the network is down") }
    state.withLock { $0.calls.append(Call.verb) }
    let answer = try await store.send(call, for: installation)
    try await workAfter(Call.verb)?()
    return answer
  }
}

/// A customer who confirms or cancels as the test sets it, and records the content of the sheets.
final class SampleCustomer: StoreCustomer {
  private struct State: Sendable {
    var sheets: [PaymentQuote] = []
    var confirming = true
    var notified: [StoreNotice] = []
    var name: AccountName = "customer"
    var signingIn = true
    var signInCount = 0
  }

  private let state = LockedValue(State())

  /// The account with which the customer signs in.
  var account: AccountName {
    get { state.withLock { $0.name } }
    set { state.withLock { $0.name = newValue } }
  }

  private let informed = AsyncStream.makeStream(of: StoreNotice.self)

  /// Returns the next notice. StoreKit shows it after it has notified the app.
  func nextNotice() async -> StoreNotice? { await informed.stream.first { _ in true } }

  /// The notices that StoreKit showed to the customer.
  var notices: [StoreNotice] { state.withLock { $0.notified } }

  func inform(_ notice: StoreNotice) async {
    state.withLock { $0.notified.append(notice) }
    informed.continuation.yield(notice)
  }

  var confirms: Bool {
    get { state.withLock { $0.confirming } }
    set { state.withLock { $0.confirming = newValue } }
  }

  /// Whether the sign-in sheet is answered; otherwise it is cancelled.
  var signsIn: Bool {
    get { state.withLock { $0.signingIn } }
    set { state.withLock { ($0.signingIn, $0.signInCount) = (newValue, 0) } }
  }

  /// The number of sign-in sheets since ``signsIn`` was set.
  var signInSheets: Int { state.withLock { $0.signInCount } }

  var quotes: [PaymentQuote] { state.withLock { $0.sheets } }

  func signIn(_ reason: SignInReason) async -> SignInAnswer {
    state.withLock { $0.signInCount += 1 }
    return signsIn ? .credentials(SignInCredentials(account: account)) : .cancel
  }

  func confirm(_ quote: PaymentQuote) async -> ConfirmationAnswer {
    state.withLock { $0.sheets.append(quote) }
    return confirms ? .confirm : .cancel
  }
}
