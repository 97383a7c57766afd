import AppStoreEmulator
import AppStoreEmulatorServer
import Foundation
import FoundationNetworking
import Hummingbird
import Logging
import OpenStoreKit
import SignedData
import StoreModel

/// Measures purchases from the emulated store. For comparison: a commit and an HTTP round trip.
enum PurchasingBenchmarks {
  static let bundleID: BundleID = "com.example.credits"

  static func run() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "purchase-benchmarks-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }

    let fsync = try await bareSync(in: folder)
    Report.title("A purchase: quote, confirm, deliver, notify, finish")
    Report.line(fsync)

    let memory = try await store(directory: nil)
    Report.line(
      try await purchases("in one process, nothing on disk", connection: memory, storage: .inMemory),
      bare: fsync)
    try await reportStoreAlone(memory, bare: fsync)
    let disk = try await store(directory: folder.appending(path: "store"))
    Report.line(
      try await purchases(
        "in one process, store and device on disk", connection: disk,
        storage: .directory(folder.appending(path: "device-1"))),
      bare: fsync)
    try disk.close()

    let served = try await store(directory: folder.appending(path: "served"))
    let server = try EmulatorServer(
      store: served, configuration: .init(port: 0),
      logger: Logger(label: "benchmark", factory: { _ in SwiftLogNoOpLogHandler() }))
    let (ports, port) = AsyncStream.makeStream(of: Int.self)
    let application = server.application { port.yield($0) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await application.run() }
      guard let number = await ports.first(where: { _ in true }), let url = URL(string: "http://127.0.0.1:\(number)")
      else { throw CancellationError() }
      let round = try await Measurement.of("bare HTTP round trip over loopback (URLSession)", count: 500) {
        _ = try await URLSession.shared.data(from: url.appending(path: "control/v1/customers"))
      }
      Report.line(round)
      Report.line(
        try await purchases(
          "over loopback, store and device on disk", connection: HTTPAppStoreConnection(url),
          storage: .directory(folder.appending(path: "device-2"))),
        bare: round)
      group.cancelAll()
      try? await group.waitForAll()
    }
    print(String(format: "Resident memory of this process: %.0f MiB", Report.mebibytes("VmRSS")))
  }

  /// Measures the store's part of a purchase, call by call.
  private static func reportStoreAlone(_ store: EmulatedAppStore, bare: Measurement) async throws {
    let installation: InstallationID = "quotes"
    try await register(installation, in: store)
    var number = 0
    func payment() -> PaymentRequest {
      number += 1
      return PaymentRequest(paymentID: PaymentID("\(number)"), productID: "com.example.credits.ten")
    }
    Report.line(
      try await Measurement.of("  of which the store: quote", count: 500) {
        _ = try await store.quote(payment(), for: installation)
      }, bare: bare)
    let purchase = try await storePurchase(from: store)
    Report.line(
      try await Measurement.of("  of which the store: quote, confirm, finish", count: 500, purchase), bare: bare)
  }

  /// Returns a closure that makes one purchase without a device.
  static func storePurchase(from store: EmulatedAppStore) async throws -> () async throws -> Void {
    let installation: InstallationID = "purchases"
    try await register(installation, in: store)
    var number = 0
    return {
      number += 1
      let payment = PaymentRequest(paymentID: PaymentID("\(number)"), productID: "com.example.credits.ten")
      let quote = try await store.quote(payment, for: installation)
      guard case .purchased(let batch) = try await store.confirm(quote, for: installation),
        let signed = batch.deliveries.first?.signedTransaction
      else { throw CancellationError() }
      try await store.finish(try UnverifiedJWS(signed).transaction().transactionID, for: installation)
    }
  }

  private static func register(_ installation: InstallationID, in store: EmulatedAppStore) async throws {
    _ = try await store.register(
      InstallationRegistration(
        installationID: installation, bundleID: bundleID, environment: .sandbox, deviceID: UUID(),
        applicationVersion: "1"))
    _ = try await store.signIn(SignInCredentials(account: "customer"), on: installation)
  }

  /// Measures purchases from the call of `add` until the observer is notified that the finished transaction was removed from
  /// the queue.
  static func purchases(
    _ name: String, connection: any AppStoreConnection, storage: StoreKitDevice.Storage
  ) async throws -> Measurement {
    let device = try StoreKitDevice(connection: connection, bundleID: bundleID, storage: storage)
    let observer = FinishingObserver()
    device.paymentQueue.add(observer)
    let payment = SKMutablePayment()
    payment.productIdentifier = "com.example.credits.ten"
    let measurement = try await Measurement.of(name, count: 500) {
      device.paymentQueue.add(payment)
      await observer.nextRemoval()
    }
    device.paymentQueue.remove(observer)
    try await device.close()
    return measurement
  }

  static func store(directory: URL?) async throws -> EmulatedAppStore {
    let catalog = """
      {"products": [{"productID": "com.example.credits.ten", "type": "Consumable", "displayPrice": "1.99"}],
       "version": {"major": 4, "minor": 0}}
      """
    let store = try EmulatedAppStore(.init(directory: directory))
    try await store.serve(
      bundleID, catalog: [try StoreKitConfiguration(data: Data(catalog.utf8), name: "benchmark.storekit")])
    return store
  }

  /// Measures the minimum cost of a commit on this disk: 4 KiB written and synced.
  static func bareSync(in folder: URL) async throws -> Measurement {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appending(path: "sync")
    try Data().write(to: file)
    let handle = try FileHandle(forWritingTo: file)
    defer { try? handle.close() }
    let page = Data(repeating: 1, count: 4096)
    return try await Measurement.of("bare write and fsync of 4 KiB", count: 500) {
      try handle.write(contentsOf: page)
      try handle.synchronize()
    }
  }
}

/// Finishes every transaction. ``nextRemoval()`` waits until a transaction was removed from the queue.
final class FinishingObserver: NSObject, SKPaymentTransactionObserver, @unchecked Sendable {
  private let removals = AsyncStream.makeStream(of: Void.self)

  func nextRemoval() async { _ = await removals.stream.first { _ in true } }

  func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
    for transaction in transactions where transaction.transactionState != .purchasing {
      queue.finishTransaction(transaction)
    }
  }

  func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]) {
    removals.continuation.yield()
  }
}
