import Foundation
import OpenStoreKit
import StoreKitTest
import Synchronization
import Testing

@Suite("Isolated stores", .isolatedStore, .timeLimit(.minutes(30)))
struct IsolationTests {
  /// A hundred; in long runs a thousand, by the environment variable `ISOLATED_SESSIONS`: they keep the machine busy for a
  /// minute, and other tests have time limits.
  private static let count = ProcessInfo.processInfo.environment["ISOLATED_SESSIONS"].flatMap(Int.init) ?? 100

  @Test("T21 Sessions at the same time, each with a full purchase, do not see each other", arguments: 0..<count)
  func atOnce(_ number: Int) async throws {
    let session = try SKTestSession(configurationFileNamed: "Shop")
    #expect(session.allTransactions().isEmpty)
    #expect(await Session.entitled().isEmpty)
    let product = try #require(try await Product.products(for: ["filter"]).first)
    let token = UUID()
    guard case .success(.verified(let transaction)) = try await product.purchase(options: [.appAccountToken(token)])
    else {
      return #expect(Bool(false))
    }
    #expect(transaction.id == 0)
    await transaction.finish()
    var entitlements: [Transaction] = []
    for await result in Transaction.currentEntitlements { entitlements.append(result.unsafePayloadValue) }
    #expect(entitlements.map(\.appAccountToken) == [token])
    #expect(session.allTransactions().map(\.identifier) == [0])
  }

  @Test("T21 Iterators and tasks that a test begins work on its store")
  func tasks() async throws {
    let session = try SKTestSession(configurationFileNamed: "Shop")
    let listening = Task {
      for await result in Transaction.updates { return result.unsafePayloadValue.productID }
      return ""
    }
    try session.buyProduct(productIdentifier: "coins")
    #expect(await listening.value == "coins")
  }

  @Test("T21 An iterator that was made before the session receives what the session buys")
  func iteratorBeforeSession() async throws {
    var updates = Transaction.updates.makeAsyncIterator()
    let session = try SKTestSession(configurationFileNamed: "Shop")
    try session.buyProduct(productIdentifier: "coins")
    #expect(await updates.next()?.unsafePayloadValue.productID == "coins")
  }

  @Test("T21 Observers are called in the store in which they were attached")
  func observers() async throws {
    let session = try SKTestSession(configurationFileNamed: "Shop")
    let observer = ScopeObserver()
    SKPaymentQueue.default().add(observer)
    try session.buyProduct(productIdentifier: "coins")
    let seen = await observer.next()
    #expect(seen?.device === session.testBed.device.storeKit)
    #expect(seen?.product == "coins")
  }

  @Test("T22 A call that has lost its test fails, is an issue of the run, and reaches no store")
  func lost() async throws {
    // In a process of its own: the issue belongs to no test.
    await withKnownIssue {
      await #expect(processExitsWith: .exitCode(42)) {
        try await withIsolatedStore {
          let session = try SKTestSession(configurationFileNamed: "Shop")
          try session.buyProduct(productIdentifier: "filter")
          let error = await Task.detached { () -> (any Error)? in
            for await _ in Transaction.currentEntitlements { return nil }
            for await _ in Transaction.updates { return nil }
            do {
              _ = try await Product.products(for: ["filter"])
              return nil
            } catch {
              return error
            }
          }.value
          guard case StoreKitError.systemError(let cause)? = error as? StoreKitError,
            cause as? StoreKitDeviceError == .isolationLost
          else { return }
          exit(42)
        }
      }
    } matching: { issue in
      "\(issue)".contains("does not belong to a test")
    }
  }

  @Test("T21 What a value of a test does stays on its device, also in a detached task")
  func detached() async throws {
    let session = try SKTestSession(configurationFileNamed: "Shop")
    let filter = try #require(try await Product.products(for: ["filter"]).first)
    let finished = Task.detached { () -> Bool in
      guard case .success(.verified(let transaction)) = try await filter.purchase() else { return false }
      await transaction.finish()
      return true
    }
    #expect(try await finished.value)
    #expect(session.allTransactions().count == 1)
  }

  @Test("T22 Without a session, a test has no store")
  func noSession() async throws {
    let error = await #expect(throws: StoreKitError.self) { try await Product.products(for: ["filter"]) }
    guard case .systemError(let cause)? = error else { return #expect(Bool(false)) }
    #expect(cause as? StoreKitDeviceError == .noSession)
  }
}

private final class ScopeObserver: NSObject, SKPaymentTransactionObserver, Sendable {
  struct Seen: Sendable {
    let device: StoreKitDevice?
    let product: String
  }

  private let seen = AsyncStream.makeStream(of: Seen.self)

  func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
    for transaction in transactions {
      seen.continuation.yield(Seen(device: StoreKitDevice.current, product: transaction.payment.productIdentifier))
    }
  }

  func next() async -> Seen? { await seen.stream.first { _ in true } }
}
