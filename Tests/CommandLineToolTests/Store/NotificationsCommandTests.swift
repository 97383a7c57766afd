import AppStoreEmulator
import AppStoreEmulatorServer
import AppStoreServerAPI
import Foundation
import Logging
import ShopFixtures
import SignedData
import StoreModel
import Testing

@testable import CommandLineTool

@Suite("openstorekit notifications", .timeLimit(.minutes(30)))
struct NotificationsCommandTests {
  /// A server that answers each notification with an HTTP status.
  private final class Server: NotificationTransport {
    let status = LockedValue(200)
    let bodies = LockedValue<[Data]>([])

    func post(_ body: Data, to url: URL) async throws(NotificationFailure) -> NotificationAnswer {
      bodies.withLock { $0.append(body) }
      return NotificationAnswer(status: status.value, body: Data("noted \u{1B}[31m".utf8))
    }
  }

  private func notifying(_ body: (RunningStore, Server) async throws -> Void) async throws {
    let server = Server()
    try await RunningStore.open(notifying: server) { store in
      try await store.store.setNotificationURL(URL(string: "http://127.0.0.1:9/"))
      try await body(store, server)
    }
  }

  @Test(
    "lists notifications with their state, filtered by type, state and customer, and shows attempts and contents")
  func listAndShow() async throws {
    try await notifying { store, server in
      #expect(try await store.run("notifications").messages == "No notifications.\n")
      let id = try await store.buy()
      try await store.store.settleNotifications(timeoutMilliseconds: 600_000)
      server.status.value = 503
      try await store.store.addCustomer(Customer(environment: .sandbox, name: "ada"))
      try await store.buy(for: "ada")
      try await store.store.settleNotifications(timeoutMilliseconds: 600_000)
      let uuids = try await store.store.notifications().notifications.map(\.uuid)
      let listed = try await store.run("notifications").lines
      #expect(listed.count == 3)
      #expect(listed[1].contains("ONE_TIME_CHARGE  failed (UNSUCCESSFUL_HTTP_RESPONSE_CODE)  Sandbox      ada"))
      #expect(listed[1].hasSuffix(uuids[0]))
      #expect(listed[2].contains("  sent") && listed[2].hasSuffix("\(id)  \(uuids[1])"))
      for (options, count) in [
        (["--state", "failed"], 2), (["--customer", "customer"], 2), (["--type", "REFUND"], 0),
        (["--type", "ONE_TIME_CHARGE", "--limit", "1"], 2),
      ] {
        let run = try await RunningStore.run(["notifications", "--store", store.address] + options)
        #expect(run.lines.count == count, "\(options)")
      }
      let json = try await store.run("notifications", "--json").json
      #expect((json?["notifications"] as? [[String: Any]])?.compactMap { $0["uuid"] as? String } == uuids)

      let shown = try await store.run("notifications", "show", uuids[0])
      #expect(shown.lines[2].contains("503     http://127.0.0.1:9/"))
      #expect(!shown.output.contains("\u{1B}"))
      #expect(shown.output.contains("ONE_TIME_CHARGE") && shown.output.contains(RunningStore.rose.rawValue))
      #expect(try await store.run("notifications", "show", "none").status == 1)
    }
  }

  @Test("a notification is sent again with the same bytes")
  func resend() async throws {
    try await notifying { store, server in
      try await store.buy()
      try await store.store.settleNotifications(timeoutMilliseconds: 600_000)
      let uuid = try #require(try await store.store.notifications().notifications.first).uuid
      #expect(try await store.run("notifications", "resend", uuid).lines.first?.hasSuffix(uuid) == true)
      try await store.store.settleNotifications(timeoutMilliseconds: 600_000)
      let bodies = server.bodies.value
      #expect(bodies.count == 2 && bodies[0] == bodies[1])
      let unknown = try await store.run("notifications", "resend", "none")
      #expect(unknown.status == 1 && unknown.messages.contains("none"))
    }
  }

  @Test("--follow goes on with new notifications, one line each, until the command is ended")
  func follow() async throws {
    try await notifying { store, _ in
      try await store.buy()
      try await store.store.settleNotifications(timeoutMilliseconds: 600_000)
      let (lines, line) = AsyncStream.makeStream(of: String.self)
      let console = CommandConsole(readInput: { _ in Data() }, write: { line.yield($0) })
      let command = try #require(
        try OpenStoreKitCommand.parseAsRoot(["notifications", "--follow", "--store", store.address])
          as? any ConsoleCommand)
      let following = Task { try await command.run(on: console) }
      var written = lines.makeAsyncIterator()
      #expect(await written.next()?.hasPrefix("1  2026-07-01 12:00:00Z  ONE_TIME_CHARGE  sent") == true)
      try await store.buy()
      #expect(await written.next()?.hasPrefix("2  2026-07-01 12:00:00Z  ONE_TIME_CHARGE") == true)
      following.cancel()
      await #expect(throws: CancellationError.self) { try await following.value }
    }
  }

  @Test("a notification that waited for the start of the server is signed with the address at which the server listens")
  func waiting() async throws {
    let store = try await EmulatedAppStore.selling(
      [.consumable(RunningStore.rose.rawValue, 3_500)], in: RunningStore.app, seed: 11,
      clock: ManualClock(RunningStore.opening))
    // Nothing listens there.
    try await store.setNotificationURL(URL(string: "http://127.0.0.1:9/"))
    _ = try await store.purchase(RunningStore.rose, of: RunningStore.app, for: "customer", in: .sandbox)
    let logger = Logger(label: "florist") { _ in SwiftLogNoOpLogHandler() }
    let server = try EmulatorServer(store: store, configuration: .init(port: 0), logger: logger)
    try await server.accepting(logger: logger) { port in
      _ = try await store.settleNotifications(timeoutMilliseconds: 600_000)
      let made = try #require(try await store.notifications().notifications.first)
      let signed = try #require(try await store.notification(made.uuid).signedPayload)
      let leaf = Data(try #require(try UnverifiedJWS(signed).contents.header.certificates.first))
      #expect(leaf.range(of: Data("http://127.0.0.1:\(port)/ocsp".utf8)) != nil)
    }
  }

  @Test(
    "wrong usage is exit status 2",
    arguments: [
      ["--follow", "--json"], ["--type", "TEA"], ["--state", "lost"], ["--limit", "0"], ["--customer", ""], ["show"],
      ["show", ""], ["resend"], ["resend", ""],
    ])
  func usage(arguments: [String]) async throws {
    #expect(try await RunningStore.run(["notifications"] + arguments).status == 2)
  }
}
