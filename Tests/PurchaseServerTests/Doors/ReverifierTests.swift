import AppStoreEmulatorServer
import Foundation
import PurchaseLedger
import ServiceLifecycle
import StoreModel
import Testing

@testable import PurchaseServer

@Suite("Refunds that nobody tells of", .timeLimit(.minutes(5)))
struct ReverifierTests {
  private static let settings = LedgerSettings(reverificationSeconds: 86_400)

  private func reverifier(of room: ReadingRoom) -> Reverifier {
    Reverifier(
      ledger: room.ledger, verifier: room.verifier, pauseSeconds: 60, metrics: room.metrics, logger: room.log.logger)
  }

  @Test("a refund made in the store is learnt when the proof is due, not before; once")
  func learn() async throws {
    let room = try await ReadingRoom(.init(method: .verifyReceipt(StoreDoor.policy), settings: Self.settings))
    let (phone, reader) = (try await room.books.phone(), try await room.reader())
    let book = try await room.books.buy(BookStore.book, on: phone)
    #expect(try await room.doors { try await $0.redeem(book, token: reader.token) }.status == 200)
    let reverifier = reverifier(of: room)
    room.clock.advance(seconds: 60)
    _ = try await room.books.store.refund(book.id)
    #expect(try await reverifier.askDue() == 0)
    let before = try await room.doors { try await $0.get("\(ReadingRoom.path)/entitlements", token: reader.token) }
    #expect(before.list("entitlements").first?["isActive"] as? Bool == true)
    room.clock.advance(seconds: 86_400)
    #expect(try await reverifier.askDue() == 1)
    let after = try await room.doors { try await $0.get("\(ReadingRoom.path)/entitlements", token: reader.token) }
    #expect(after.list("entitlements").first?["isActive"] as? Bool == false)
    #expect(after.list("entitlements").first?["endReason"] as? String == "refunded")
    #expect(try await reverifier.askDue() == 0)
    #expect(room.metrics.reverifications.text.contains(#"{outcome="learnt"} 1"#))
  }

  @Test("a store that is away: the question is put off by ten minutes, and nothing is taken back")
  func storeAway() async throws {
    let room = try await ReadingRoom(.init(method: .verifyReceipt(StoreDoor.policy), settings: Self.settings))
    let reader = try await room.reader()
    let book = try await room.books.buy(BookStore.book, on: room.books.phone())
    _ = try await room.doors { try await $0.redeem(book, token: reader.token) }
    let reverifier = reverifier(of: room)
    room.clock.advance(seconds: 86_400)
    room.door.feel(.away)
    #expect(try await reverifier.askDue() == 1)
    #expect(room.metrics.reverifications.text.contains(#"{outcome="storeUnavailable"} 1"#))
    let entitlements = try await room.doors {
      try await $0.get("\(ReadingRoom.path)/entitlements", token: reader.token)
    }
    #expect(entitlements.list("entitlements").first?["isActive"] as? Bool == true)
    room.door.feel(.well)
    room.clock.advance(seconds: Reverifier.patienceSeconds - 1)
    #expect(try await reverifier.askDue() == 0)
    room.clock.advance(seconds: 1)
    #expect(try await reverifier.askDue() == 1)
    #expect(room.metrics.reverifications.text.contains(#"{outcome="learnt"} 1"#))
  }

  @Test("over the network: a refund in a running emulator reaches the ledger, and the app is told at the next question")
  func overTheNetwork() async throws {
    let emulator = try await BookStore()
    let server = try EmulatorServer(
      store: emulator.store, configuration: .init(port: 0), logger: DownloadDesk.logger)
    let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
    let services = ServiceGroup(
      configuration: .init(services: [server.application { continuation.yield($0) }], logger: DownloadDesk.logger))
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        defer { continuation.finish() }
        try await services.run()
      }
      let port = try #require(await ports.first { _ in true })
      let base = "http://127.0.0.1:\(port)"
      let policy = VerifyReceiptPolicy(
        productionURL: try #require(URL(string: "\(base)/production/verifyReceipt")),
        sandboxURL: try #require(URL(string: "\(base)/sandbox/verifyReceipt")))
      let receipts = HTTPReceiptServer()
      let clock = emulator.clock
      let ledger = try await Ledger(
        database: SQLiteLedgerDatabase(at: nil), anchors: emulator.anchors, apps: [BookStore.app: Self.settings],
        clock: clock)
      try await ledger.publish(LedgerProduct(id: BookStore.poem, type: .nonConsumable), app: BookStore.app, by: "olga")
      let verifier = try ProofVerifier(
        anchors: emulator.anchors,
        policies: [VerificationPolicy(bundleID: BookStore.app, method: .both(policy))], server: receipts)
      let installation = try await ledger.registerInstallation(app: BookStore.app, device: nil)
      let poem = try await emulator.buy(BookStore.poem, on: emulator.phone())
      let proof = try await verifier.verify(.appReceipt(poem.appReceipt), for: BookStore.app)
      let claimant = try await ledger.authenticate(installation.token)
      _ = try await ledger.redeem(proof, .everythingOwned, for: claimant)
      clock.advance(seconds: 86_400)
      _ = try await emulator.store.refund(poem.id)
      clock.advance(seconds: 60)
      let reverifier = Reverifier(
        ledger: ledger, verifier: verifier, pauseSeconds: 60, metrics: ServiceMetrics(), logger: DownloadDesk.logger)
      #expect(try await reverifier.askDue() == 1)
      let entitlement = try await ledger.entitlements(of: installation.customer, app: BookStore.app).first
      #expect(entitlement?.endReason == .refunded)
      try await receipts.close()
      await services.triggerGracefulShutdown()
      try await group.waitForAll()
    }
  }
}
