import Foundation
import OpenStoreKit
import ShopFixtures
import StoreModel
import Testing

@testable import AppStoreEmulator

/// A person's phone: an app that observes its payment queue, and finishes a transaction when the test says so.
final class ObservedPhone: NSObject, SKPaymentTransactionObserver, Sendable {
  let person: Person
  let device: StoreKitDevice
  private let connection: FinishWatchingConnection
  private let updates = AsyncStream.makeStream(of: Update.self)

  private struct Update: Sendable {
    let transaction: SKPaymentTransaction
    let state: SKPaymentTransactionState
  }

  /// - Parameter losingAnswer: if given, the answer to the first confirmation is lost, and this decides when the phone asks again.
  init(_ person: Person, _ shop: TeaShop, seed: UInt64, losingAnswer retry: ManualRetry? = nil) async throws {
    self.person = person
    connection = FinishWatchingConnection(store: shop.store, losesConfirmation: retry != nil)
    let ids = LockedValue(SeededGenerator(seed: seed))
    device = try StoreKitDevice(
      connection: connection, bundleID: TeaShop.app, environment: person.environment,
      applicationVersion: person.version, storage: .inMemory,
      customer: AutomaticCustomer(credentials: SignInCredentials(account: person.name)),
      retry: retry ?? TimedRetry(.upToAMinute),
      makeUUID: { ids.withLock { .version4(from: &$0) } },
      report: { if retry == nil { Issue.record("\(person)'s phone: \($0)") } })
    super.init()
    try await device.signIn(SignInCredentials(account: person.name))
    device.paymentQueue.add(self)
  }

  func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
    for transaction in transactions {
      updates.continuation.yield(Update(transaction: transaction, state: transaction.transactionState))
    }
  }

  /// Adds a payment to the queue, and returns its state when the store has decided.
  func buy(_ purchase: ClubPurchase, asks: Bool) async throws -> SKPaymentTransactionState {
    let payment = SKMutablePayment()
    payment.productIdentifier = purchase.product.rawValue
    payment.quantity = purchase.quantity
    payment.applicationUsername = purchase.token?.uuidString
    payment.simulatesAskToBuyInSandbox = asks
    device.paymentQueue.add(payment)
    var added: SKPaymentTransaction?
    for await update in updates.stream {
      if added == nil, update.state == .purchasing { added = update.transaction }
      if update.transaction === added, update.state != .purchasing { return update.state }
    }
    throw CancellationError()
  }

  /// Takes in what the store has for the phone, and returns the queue's transactions after the observer was notified of them.
  func transactions() async throws -> [SKPaymentTransaction] {
    try await device.takeInTransactions()
    await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
    return device.paymentQueue.transactions
  }

  /// Finishes a transaction, and returns when the store knows that.
  func finish(_ transaction: SKPaymentTransaction) async {
    let isStored = transaction.transactionState == .purchased
    device.paymentQueue.finishTransaction(transaction)
    if isStored { await connection.nextFinish() }
  }
}

/// A connection that reports when the store has answered a finish.
private final class FinishWatchingConnection: AppStoreConnection {
  let store: EmulatedAppStore
  private let finishes = AsyncStream.makeStream(of: Void.self)
  private let losesConfirmation: LockedValue<Bool>

  init(store: EmulatedAppStore, losesConfirmation: Bool) {
    self.store = store
    self.losesConfirmation = LockedValue(losesConfirmation)
  }

  func nextFinish() async { for await _ in finishes.stream { return } }

  func send<Call: StoreCall>(_ call: Call, for installation: InstallationID) async throws -> Call.Answer {
    defer { if Call.verb == .finish { finishes.continuation.yield() } }
    let answer = try await store.send(call, for: installation)
    guard Call.verb == .confirm else { return answer }
    let isLost = losesConfirmation.withLock { loses in
      defer { loses = false }
      return loses
    }
    if isLost { throw StoreConnectionFailure.noAnswer(reason: "the answer was lost") }
    return answer
  }
}
