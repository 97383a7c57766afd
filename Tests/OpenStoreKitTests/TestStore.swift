import AppStoreEmulator
import Foundation
import ShopFixtures
import StoreModel

@testable import OpenStoreKit

/// An emulated store with one app that sells credits, and devices in the same process.
struct TestStore {
  static let bundleID: BundleID = "com.example.credits"
  static let five = "com.example.credits.five"
  static let ten = "com.example.credits.ten"

  let store: EmulatedAppStore

  init(
    seed: UInt64 = 1, clock: any MachineClock = ManualClock(StoreDate(millisecondsSince1970: 1_790_000_000_000))
  )
    async throws
  {
    store = try await .selling(Self.products(), in: Self.bundleID, seed: seed, clock: clock)
  }

  static func catalog(priceOfFive: Int64 = 990) -> StoreKitConfiguration {
    StoreKitConfiguration(products: products(priceOfFive: priceOfFive))
  }

  private static func products(priceOfFive: Int64 = 990) -> [ProductDefinition] {
    [
      .consumable(five, priceOfFive, name: "5 credits", description: "Five"),
      .consumable(ten, 1_990, name: "10 credits", description: "Ten"),
    ]
  }

  func device(
    through connection: (any AppStoreConnection)? = nil, storage: StoreKitDevice.Storage = .inMemory,
    customer: any StoreCustomer = AutomaticCustomer(credentials: SignInCredentials(account: "customer")),
    paymentsAllowed: Bool = true, retry: any RetrySchedule = ManualRetry(),
    clock: any MachineClock = SystemClock(), problems: Problems = Problems()
  ) throws -> StoreKitDevice {
    let device = try StoreKitDevice(
      connection: connection ?? store, bundleID: Self.bundleID, storage: storage, customer: customer,
      switches: DeviceSwitches(isRestricted: !paymentsAllowed), retry: retry, clock: clock,
      report: { problems.add($0) })
    device.engine.refreshTimeout.value = .seconds(600)
    return device
  }
}

/// Collects the problems that a device reports.
final class Problems: Sendable {
  private let list = LockedValue<[StoreKitProblem]>([])
  private let added = AsyncStream.makeStream(of: StoreKitProblem.self)

  var all: [StoreKitProblem] { list.value }

  func add(_ problem: StoreKitProblem) {
    list.withLock { $0.append(problem) }
    added.continuation.yield(problem)
  }

  /// Returns the next problem, which may have been reported already.
  func next() async -> StoreKitProblem? { await added.stream.first { _ in true } }
}

/// An observer that records its calls. The test waits for them one by one.
final class RecordingObserver: NSObject, SKPaymentTransactionObserver, Sendable {
  enum Event: Equatable, Sendable {
    case updated(String, SKPaymentTransactionState, String?)
    case removed(String)
  }

  struct Notified: Sendable {
    let event: Event
    let transaction: SKPaymentTransaction
  }

  private let reported = AsyncStream.makeStream(of: Notified.self)
  private let finishesEverything: Bool

  /// An observer that lives as long as the process, for tests that do not read its events.
  static let lasting = RecordingObserver()

  init(finishesEverything: Bool = false) {
    self.finishesEverything = finishesEverything
    super.init()
  }

  func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
    for transaction in transactions {
      reported.continuation.yield(
        Notified(
          event: .updated(
            transaction.payment.productIdentifier, transaction.transactionState, transaction.transactionIdentifier),
          transaction: transaction))
      if finishesEverything, transaction.transactionState != .purchasing { queue.finishTransaction(transaction) }
    }
  }

  func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]) {
    for transaction in transactions {
      reported.continuation.yield(
        Notified(event: .removed(transaction.payment.productIdentifier), transaction: transaction))
    }
  }

  func next() async throws -> Notified {
    var iterator = reported.stream.makeAsyncIterator()
    guard let reported = await iterator.next() else { throw CancellationError() }
    return reported
  }

  /// Returns the next transaction that is updated to `state`.
  func next(_ state: SKPaymentTransactionState) async throws -> SKPaymentTransaction {
    while true {
      let reported = try await next()
      if case .updated(_, state, _) = reported.event { return reported.transaction }
    }
  }
}
