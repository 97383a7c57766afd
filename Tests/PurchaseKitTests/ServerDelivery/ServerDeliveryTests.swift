import AppStoreEmulator
import Foundation
import HTTPTransport
import OpenStoreKit
import StoreModel
import Testing

@testable import PurchaseKit

@Suite("Goods that the developer's server delivers", .timeLimit(.minutes(30)))
struct ServerDeliveryTests {
  private let book = ReaderStore.book
  private let atlas = ReaderStore.atlas
  private let text = ScriptedServer.data(5000)

  private func shop(_ server: ScriptedServer, _ storeKit: StoreInterface = .storeKit1) async throws -> ReaderShop {
    server.publish(book, ("text", text))
    server.publish(atlas, ("maps", ScriptedServer.data(9000, seed: 2)))
    return try ReaderShop(try await ReaderStore().store, storeKit: storeKit) { keys, _ in server.client(keys: keys) }
  }

  @Test(
    "G3 redeemed with the receipt or the signed transaction, then the file saved and verified, then enabled, then finished",
    arguments: zip(StoreInterface.allCases, ["appReceipt", "signedTransaction"]))
  func order(_ storeKit: StoreInterface, _ proof: String) async throws {
    let server = ScriptedServer()
    let shop = try await shop(server, storeKit)
    let (book, steps) = (book, Steps())
    // Only recorded here and checked later, because an expectation in the queue's callbacks belongs to no test.
    let note: @Sendable (String) -> Void = { what in
      let isEntitled = (try? shop.entitlements.isEntitled(to: book)) == true
      let isHere = (try? shop.library.current(of: book)) != nil
      steps.add("\(what): here \(isHere), entitled \(isEntitled), finished \(shop.isQueueEmpty)")
    }
    server.once("/redemptions") { call, usual in
      let body = String(decoding: call.body ?? Data(), as: UTF8.self)
      note(body.contains("\"\(proof)\":") ? "redeemed with the \(proof)" : "redeemed")
      return usual
    }
    server.once("/downloads/") { _, usual in
      note("fetched")
      return usual
    }
    let observation = shop.notifications.addObserver(
      forName: .EntitlementManagerEntitlementsChangedNotification, object: nil, queue: nil
    ) { _ in note("enabled") }
    try await shop.buy(book)
    shop.notifications.removeObserver(observation)
    #expect(
      steps.all == [
        "redeemed with the \(proof): here false, entitled false, finished false",
        "fetched: here false, entitled false, finished false", "enabled: here true, entitled true, finished false",
      ])
    #expect(try shop.entitlements.isEntitled(to: book))
    #expect(try shop.library.data(named: "text", in: book) == text)
    await shop.untilQueueIsEmpty()
    try await shop.close()
  }

  @Test(
    "G5 a failed download leaves the purchase in the queue; delivered later, it is not charged again and resumes",
    arguments: StoreInterface.allCases)
  func failedDownload(_ storeKit: StoreInterface) async throws {
    let server = ScriptedServer()
    let shop = try await shop(server, storeKit)
    for cut in [3000, 0, 0] {
      server.once("/downloads/") { _, usual in
        var answer = usual
        answer.cutAfter = cut
        return answer
      }
    }
    await #expect(throws: ContentError.self) { try await shop.buy(book) }
    #expect(shop.manager.keptTransactions.count == 1)
    #expect(try !shop.entitlements.isEntitled(to: book))
    guard case .waiting(.network?) = try shop.downloads.state(of: book) else {
      Issue.record("\(try shop.downloads.state(of: book))")
      return
    }
    let again = try await shop.relaunched { keys, _ in server.client(keys: keys) }
    #expect(await again.log.next()?.name == .InAppPurchaseManagerTransactionSucceededNotification)
    await again.untilQueueIsEmpty()
    #expect(try again.entitlements.isEntitled(to: book))
    #expect(try again.library.data(named: "text", in: book) == text)
    #expect(server.calls("/downloads/").last?.fields["Range"] == "bytes=3000-")
    #expect(try await again.store.transactions().count == 1)
    try await again.close()
  }

  @Test(
    "G4 for a deferred product the proof is stored and the transaction finished at once; its file is downloaded later"
  )
  func deferred() async throws {
    let server = ScriptedServer()
    let shop = try await shop(server)
    try await shop.buy(atlas)
    await shop.untilQueueIsEmpty()
    #expect(try shop.entitlements.isEntitled(to: atlas))
    #expect(server.calls("/redemptions").isEmpty)
    #expect(try shop.downloads.state(of: atlas) == .waiting(nil))
    let again = try await shop.relaunched { keys, _ in server.client(keys: keys) }
    #expect(try again.downloads.state(of: atlas) == .waiting(nil))
    // The receipt may be deleted by then. The stored proof remains.
    try FileManager.default.removeItem(at: again.device.receiptURL)
    try await again.delivery.fetch(atlas)
    #expect(try again.library.data(named: "maps", in: atlas) == ScriptedServer.data(9000, seed: 2))
    #expect(server.calls("/redemptions").count == 1)
    // The app removes the files to make room and downloads them again, without another payment.
    try again.library.remove(atlas)
    try await again.delivery.fetch(atlas)
    #expect(try again.downloads.state(of: atlas) == .current(version: 1))
    #expect(try await again.store.transactions().count == 1)
    try await again.close()
  }

  @Test("G6 a refund that the server knows: the transaction is finished, the error reported, and nothing enabled")
  func refunded() async throws {
    let server = ScriptedServer()
    let shop = try await shop(server)
    server.refuse(book, "refunded")
    await #expect(throws: RefusedPurchase.self) { try await shop.buy(book) }
    await shop.untilQueueIsEmpty()
    #expect(shop.manager.keptTransactions.isEmpty)
    #expect(await shop.log.next()?.name == .InAppPurchaseManagerTransactionRefusedNotification)
    #expect(try !shop.entitlements.isEntitled(to: book))
    #expect(try shop.downloads.state(of: book) == .ended(reason: "The server says refunded."))
    try await shop.close()
  }

  @Test(
    "B7 a refusal that can be resolved keeps the purchase in the queue, and is reported",
    arguments: ["claimedByAnotherCustomer", "unknownProduct", "forgedProof", "wrongEnvironment", "aCodeOfTheFuture"])
  func kept(code: String) async throws {
    let server = ScriptedServer()
    let shop = try await shop(server)
    server.refuse(book, code)
    await #expect {
      try await shop.buy(book)
    } throws: { error in
      if case PurchaseServerError.refused(let refusal) = error { refusal.code == code } else { false }
    }
    #expect(shop.manager.keptTransactions.count == 1)
    #expect(await shop.log.next()?.name == .InAppPurchaseManagerTransactionKeptNotification)
    server.refuse(book, nil)
    #expect(await shop.manager.deliverKept().isEmpty)
    #expect(try shop.entitlements.isEntitled(to: book))
    await shop.untilQueueIsEmpty()
    try await shop.close()
  }

  @Test("if the server cannot reach the store, it is asked again, and the purchase continues")
  func storeUnavailable() async throws {
    let server = ScriptedServer()
    let shop = try await shop(server)
    server.once("/redemptions") { _, _ in
      .init(status: 503, body: Data(#"{"error": {"code": "storeUnavailable", "message": "Later."}}"#.utf8))
    }
    server.once("/redemptions") { _, _ in throw HTTPFailure.noAnswer(reason: "cut") }
    try await shop.buy(book)
    #expect(try shop.entitlements.isEntitled(to: book))
    #expect(server.calls("/redemptions").count == 3)
    try await shop.close()
  }

  @Test("E5 a restore on another device downloads the files, too; restored again, nothing is requested")
  func restored() async throws {
    let server = ScriptedServer()
    let shop = try await shop(server)
    try await shop.buy(book)
    let other = try ReaderShop(shop.store) { keys, _ in server.client(keys: keys) }
    let restored = try await other.manager.restorePurchases()
    #expect(restored.given.map(\.productIdentifier) == [book])
    #expect(try other.entitlements.isEntitled(to: book))
    #expect(try other.library.data(named: "text", in: book) == text)
    let asked = ["/redemptions", "/deliveries", "/downloads/"].map { server.calls($0).count }
    #expect(
      try await other.manager.restorePurchases().given.map(\.originalTransactionIdentifier)
        == restored.given.map(\.originalTransactionIdentifier))
    // Not compared: requests for the customer, which the client may send at any time.
    #expect(["/redemptions", "/deliveries", "/downloads/"].map { server.calls($0).count } == asked)
    try await shop.close()
    try await other.close()
  }

  @Test(
    "a restored purchase that another customer claimed is refused, and can be restored again; nothing is kept"
  )
  func restoredOfAnother() async throws {
    let server = ScriptedServer()
    let shop = try await shop(server)
    try await shop.buy(book)
    let other = try ReaderShop(shop.store) { keys, _ in server.client(keys: keys) }
    server.refuse(book, "claimedByAnotherCustomer")
    let refused = try await other.manager.restorePurchases()
    #expect(refused.refusedProductIdentifiers == [book])
    #expect(refused.keptProductIdentifiers.isEmpty && !refused.isEmpty)
    await other.untilQueueIsEmpty()
    #expect(try !other.entitlements.isEntitled(to: book))
    server.refuse(book, nil)
    #expect(try await other.manager.restorePurchases().given.count == 1)
    #expect(try other.entitlements.isEntitled(to: book))
    try await shop.close()
    try await other.close()
  }

  @Test(
    "a restored purchase that cannot be delivered yet stays unfinished, and is delivered at a later launch",
    arguments: ["unknownProduct", "otherType", "notInProof", "storeUnavailable"])
  func restoredNotYet(code: String) async throws {
    let server = ScriptedServer()
    let shop = try await shop(server)
    try await shop.buy(book)
    let other = try ReaderShop(shop.store) { keys, _ in server.client(keys: keys) }
    if code == "storeUnavailable" {
      for _ in 0..<3 {
        server.once("/redemptions") { _, _ in
          .init(status: 503, body: Data(#"{"error": {"code": "storeUnavailable", "message": "Later."}}"#.utf8))
        }
      }
    } else {
      server.refuse(book, code)
    }
    let restored = try await other.manager.restorePurchases()
    #expect(restored.keptProductIdentifiers == [book] && restored.refusedProductIdentifiers.isEmpty)
    #expect(other.device.paymentQueue.transactions.count == 1)
    #expect(try !other.entitlements.isEntitled(to: book))
    server.refuse(book, nil)
    let again = try await other.relaunched { keys, _ in server.client(keys: keys) }
    #expect(await again.log.next()?.name == .InAppPurchaseManagerTransactionSucceededNotification)
    await again.untilQueueIsEmpty()
    #expect(try again.entitlements.isEntitled(to: book))
    #expect(try again.library.data(named: "text", in: book) == text)
    try await shop.close()
    try await again.close()
  }

  @Test(
    "G5 redelivered with its files present, as after a kill before the entitlement was recorded, nothing is downloaded"
  )
  func filesAreHere() async throws {
    let server = ScriptedServer()
    let shop = try await shop(server)
    try shop.downloads.want(server.delivery(book))
    try await shop.downloads.download(book)
    #expect(try !shop.entitlements.isEntitled(to: book))
    try await shop.buy(book)
    #expect(try shop.entitlements.isEntitled(to: book))
    #expect(server.calls("/redemptions").count == 1)
    #expect(server.calls("/downloads/").count == 1)
    try await shop.close()
  }

  @Test("payments name the server's customer as soon as it is known")
  func applicationUsername() async throws {
    let server = ScriptedServer()
    let shop = try await shop(server)
    while shop.client.customer == nil { await Task.yield() }
    try await shop.buy(book)
    #expect(try await shop.store.transactions().map(\.record.appAccountToken) == [ScriptedServer.customer])
    try await shop.close()
  }
}

/// The steps that happened, in order.
final class Steps: Sendable {
  private let steps = LockedValue<[String]>([])

  var all: [String] { steps.value }
  func add(_ step: String) { steps.withLock { $0.append(step) } }
}
