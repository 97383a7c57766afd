import Foundation
import StoreKitTest
import Testing
import XCTest

@Suite("SKTestSession: synchronous calls", .isolatedStore, .timeLimit(.minutes(30)))
struct SynchronousTests {
  @MainActor @Test("T23 Calls on the main actor return with their effect")
  func mainActor() async throws {
    let session = try SKTestSession(configurationFileNamed: "Shop")
    try session.buyProduct(productIdentifier: "filter")
    #expect(session.allTransactions().count == 1)
    #expect(await Session.entitled() == ["filter"])
  }

  @Test("T23 When a call returns, the lists, the receipt and the updates show it")
  func effects() async throws {
    let session = try SKTestSession(configurationFileNamed: "Shop")
    let device = session.testBed.device.storeKit
    var updates = Transaction.updates.makeAsyncIterator()
    // Begins the use of StoreKit 2, which the device stores asynchronously.
    #expect(await Session.entitled().isEmpty)
    #expect(!FileManager.default.fileExists(atPath: device.receiptURL.path))
    try session.buyProduct(productIdentifier: "filter")
    #expect(FileManager.default.fileExists(atPath: device.receiptURL.path))
    #expect(session.testBed.waitingUpdateCount == 1)
    #expect(await updates.next()?.unsafePayloadValue.productID == "filter")
    let bought = try Data(contentsOf: device.receiptURL)
    try session.refundTransaction(identifier: 0)
    #expect(try Data(contentsOf: device.receiptURL) != bought)
    #expect(session.testBed.waitingUpdateCount == 1)
    #expect(await Session.entitled().isEmpty)
  }

  @Test("T24 As many calls at once as there are cores end, although they block all threads of the pool")
  func allCores() async throws {
    let session = try SKTestSession(configurationFileNamed: "Shop")
    let cores = ProcessInfo.processInfo.activeProcessorCount
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<cores * 4 {
        group.addTask {
          for _ in 0..<10 {
            do {
              try session.buyProduct(productIdentifier: "coins")
            } catch {
              Issue.record(error)
            }
          }
        }
      }
    }
    #expect(session.allTransactions().count == cores * 40)
    #expect(Set(session.allTransactions().map(\.identifier)).count == cores * 40)
  }
}

// XCTest keeps the instances of all tests alive, and its tests share one store.
final class SharedStoreTests: XCTestCase {
  private var session: SKTestSession?

  override func setUpWithError() throws {
    session = try SKTestSession(configurationFileNamed: "Shop")
    session?.resetToDefaultState()
    session?.disableDialogs = true
    session?.clearTransactions()
  }

  override func tearDown() {
    session?.clearTransactions()
    session = nil
  }

  /// On XCTest's main thread, outside of Swift's concurrency.
  func testSynchronousCalls() throws {
    let session = try XCTUnwrap(session)
    XCTAssertTrue(session.allTransactions().isEmpty)
    try session.buyProduct(productIdentifier: "filter")
    XCTAssertEqual(session.allTransactions().map(\.productIdentifier), ["filter"])
    XCTAssertThrowsError(try session.buyProduct(productIdentifier: "filter")) { error in
      XCTAssertEqual((error as? SKTestError)?.code, .invalidAction)
    }
    let receipt = try XCTUnwrap(Bundle.main.appStoreReceiptURL)
    let before = try Data(contentsOf: receipt)
    session.clearTransactions()
    XCTAssertNotEqual(try Data(contentsOf: receipt), before)
  }

  func testPurchase() async throws {
    let products = try await Product.products(for: ["filter"])
    let product = try XCTUnwrap(products.first)
    guard case .success(.verified(let transaction)) = try await product.purchase() else {
      return XCTFail("no purchase")
    }
    await transaction.finish()
    let entitled = await Session.entitled()
    XCTAssertEqual(entitled, ["filter"])
  }

  @MainActor func testOnMainActor() async throws {
    let session = try XCTUnwrap(session)
    try session.buyProduct(productIdentifier: "silver.monthly")
    try session.expireSubscription(productIdentifier: "silver.monthly")
    let status = try await Product.SubscriptionInfo.status(for: "5E5510C0").first
    XCTAssertEqual(status?.state, .expired)
  }

  /// Apple's suites iterate in a detached task. Without isolated stores, it belongs to the process.
  func testDetachedTask() async throws {
    let session = try XCTUnwrap(session)
    let listening = Task.detached {
      for await result in Transaction.updates { return result.unsafePayloadValue.productID }
      return ""
    }
    try session.buyProduct(productIdentifier: "coins")
    let product = await listening.value
    XCTAssertEqual(product, "coins")
  }
}
