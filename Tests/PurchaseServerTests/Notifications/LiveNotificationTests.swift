import Foundation
import HummingbirdTesting
import PurchaseLedger
import ServiceLifecycle
import SharedFixtures
import StoreModel
import Testing

@testable import AppStoreEmulator
@testable import PurchaseServer

/// A running emulator that posts to a running server, both over HTTP.
@Suite("Notifications of a running emulator", .timeLimit(.minutes(30)))
struct LiveNotificationTests {
  private static func configuration(
    _ folder: ScratchFolder, emulator: String, catchUpMinutes: Int
  ) throws -> ServerConfiguration {
    let key = Data(repeating: 7, count: 32).base64EncodedString()
    return try ServerConfiguration(
      file: JSONSerialization.data(withJSONObject: [
        "trust": ["emulator": emulator], "content": ["linkKeys": [key]], "log": ["level": "critical"],
        "apps": [["bundleId": BookStore.app.rawValue]], "notifications": ["catchUpMinutes": catchUpMinutes],
      ]), folder: folder.url, environment: [:], port: 0)
  }

  /// Runs a server with its services, and calls `body` with the ledger and the server's port.
  private static func running(
    _ configuration: ServerConfiguration, clock: any MachineClock, _ body: @Sendable (Ledger, Int) async throws -> Void
  ) async throws {
    let server = try await ServerAssembly(configuration, clock: clock, logger: DownloadFixture.logger)
    let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
    let services = ServiceGroup(
      configuration: .init(
        services: [server.service.application { continuation.yield($0) }] + server.companions,
        logger: DownloadFixture.logger))
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        defer { continuation.finish() }
        try await services.run()
      }
      let port = try #require(await ports.first { _ in true }, "the server did not start")
      let result: Result<Void, any Error>
      do {
        result = .success(try await body(server.ledger, port))
      } catch {
        result = .failure(error)
      }
      await services.triggerGracefulShutdown()
      try await group.waitForAll()
      try result.get()
    }
    try await server.close()
  }

  /// The types of the notifications that the ledger has, when there are `count`.
  private static func types(_ ledger: Ledger, count: Int) async throws -> [String] {
    while true {
      let rows = try await ledger.notifications(of: BookStore.app, limit: 100).elements
      if rows.count >= count { return rows.map { "\($0.type) \($0.source.rawValue)" }.sorted() }
      await Task.yield()
    }
  }

  @Test(
    "a refund reaches the server; what the emulator sent while the server was down is read from the history at its start"
  )
  func emulator() async throws {
    let (bookStore, folder) = (try await BookStore(), try ScratchFolder())
    try await bookStore.listening { emulator in
      let phone = try await bookStore.phone()
      let bought = LockedValue<TransactionID?>(nil)
      let sentOnly = try Self.configuration(folder, emulator: emulator, catchUpMinutes: 0)
      try await Self.running(sentOnly, clock: bookStore.clock) { ledger, port async throws in
        try await bookStore.store.setNotificationURL(
          URL(string: "http://127.0.0.1:\(port)/v1/apps/\(BookStore.app)/notifications"))
        let coins = try await bookStore.buy(on: phone)
        bought.value = coins.id
        #expect(try await Self.types(ledger, count: 1) == ["ONE_TIME_CHARGE sent"])
        bookStore.clock.advance(seconds: 60)
        try await bookStore.store.refund(coins.id)
        #expect(try await Self.types(ledger, count: 2) == ["ONE_TIME_CHARGE sent", "REFUND sent"])
      }
      // In the sandbox, the store tries once.
      bookStore.clock.advance(seconds: 60)
      try await bookStore.store.reverseRefund(of: #require(bought.value))
      #expect(try await bookStore.store.settleNotifications(timeoutMilliseconds: 600_000).failed == 1)
      let catchingUp = try Self.configuration(folder, emulator: emulator, catchUpMinutes: 15)
      try await Self.running(catchingUp, clock: bookStore.clock) { ledger, _ async throws in
        #expect(
          try await Self.types(ledger, count: 3)
            == ["ONE_TIME_CHARGE sent", "REFUND sent", "REFUND_REVERSED history"])
      }
    }
  }
}
