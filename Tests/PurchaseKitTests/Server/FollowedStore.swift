import AppStoreEmulator
import AppStoreEmulatorServer
import Foundation
import OpenStoreKit
import PurchaseLedger
import PurchaseServer
import SharedFixtures
import StoreModel
import Testing

@testable import PurchaseKit

/// An emulated store, and a purchase server that follows the store's clock. Both measure time by one clock, which only sleeps of
/// the apps move.
struct FollowedStore {
  let store: EmulatedAppStore
  let server: URL
  private let machine: ManualClock
  private let slept = LockedValue<[Duration]>([])

  /// Starts store and server, calls `body`, and stops them.
  ///
  /// - Parameter start: the date of all clocks.
  static func running<Value: Sendable>(
    at start: StoreDate, _ body: @Sendable (FollowedStore) async throws -> Value
  ) async throws -> Value {
    let (machine, folder) = (ManualClock(start), TestFolder())
    try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
    let store = try await ReaderStore(clock: machine).store
    let emulator = try EmulatorServer(store: store, configuration: .init(port: 0), logger: Listener.quiet)
    return try await Listener.running({ emulator.application(onReady: $0) }) { emulator in
      let assembly = try await ServerAssembly(
        configuration(emulator, folder.url), clock: machine, logger: Listener.quiet)
      let result: Result<Value, any Error>
      do {
        try await publish(in: assembly.ledger)
        let service = assembly.service
        result = .success(
          try await Listener.running({ service.application(onReady: $0) }) { server in
            try await body(FollowedStore(store: store, server: server, machine: machine))
          })
      } catch {
        result = .failure(error)
      }
      try await assembly.close()
      withExtendedLifetime(folder) {}
      return try result.get()
    }
  }

  private static func configuration(_ emulator: URL, _ folder: URL) throws -> ServerConfiguration {
    let key = Data(repeating: 7, count: 32).base64EncodedString()
    let app: [String: any Sendable] = [
      "bundleId": ScriptedServer.bundleID.rawValue, "verification": "both",
      "proofKinds": ["appReceipt", "signedTransaction"],
    ]
    let tree: [String: any Sendable] = [
      "database": ["sqlite": "ledger.sqlite"], "trust": ["emulator": emulator.absoluteString],
      "content": ["linkKeys": [key]], "apps": [app],
    ]
    return try ServerConfiguration(
      file: JSONSerialization.data(withJSONObject: tree), folder: folder, environment: [:], port: 0)
  }

  private static func publish(in ledger: Ledger) async throws {
    let coins = try #require(CreditUnit(rawValue: "coins"))
    try await ledger.publish(
      LedgerProduct(
        id: ProductID(ReaderStore.coins), type: .consumable, credits: LedgerProduct.Credits(unit: coins, amount: 5)),
      app: ScriptedServer.bundleID, by: "olga")
    try await ledger.publish(
      LedgerProduct(id: ProductID(ReaderStore.book), type: .nonConsumable), app: ScriptedServer.bundleID, by: "olga")
  }

  private init(store: EmulatedAppStore, server: URL, machine: ManualClock) {
    (self.store, self.server, self.machine) = (store, server, machine)
  }

  /// Installs the app, and launches it.
  ///
  /// - Parameter deviceID: the device; nil for a new device.
  func install(on deviceID: UUID? = nil) throws -> ReaderShop {
    let phone = LockedValue<StoreKitDevice?>(nil)
    let shop = try ReaderShop(store, deviceID: deviceID) { keys, device in
      PurchaseServerClient(
        server, bundleID: ScriptedServer.bundleID, device: device, identity: .anonymous(keys),
        refreshReceipt: {
          let phone = try #require(phone.value)
          try await ReceiptRefresh(SKReceiptRefreshRequest(receiptProperties: nil, device: phone)).refresh()
          return try Data(contentsOf: phone.receiptURL)
        }, clock: clock)
    }
    phone.withLock { $0 = shop.device }
    return shop
  }

  private var clock: any MachineClock {
    ScriptedClock(
      date: { [machine] in machine.now },
      sleep: { [machine, slept] duration in
        slept.withLock { $0.append(duration) }
        machine.advance(seconds: duration.components.seconds)
      })
  }

  /// Returns the apps' sleeps since the last call.
  func takeSleeps() -> [Duration] {
    slept.withLock { sleeps in
      defer { sleeps = [] }
      return sleeps
    }
  }
}
