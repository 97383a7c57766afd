import AppStoreEmulator
import Foundation
import OpenStoreKit
import StoreModel
import Testing

@testable import PurchaseKit

@Suite("An app that is killed between the steps of a server delivery", .timeLimit(.minutes(30)))
struct KilledDeliveryTests {
  private let book = ReaderStore.book
  private let files = ["text": ScriptedServer.data(3_000_000, seed: 2)]

  @Test(
    "B9 G3 killed right after a step: after a relaunch, the book is delivered, paid and finished once",
    arguments: DeliveryStep.allCases)
  func killed(after step: DeliveryStep) async throws {
    let (book, files) = (book, files)
    try await LivePurchaseServer.running(files: files) { server in
      let store = try await ReaderStore().store
      let killed = try await kill(store, server, after: step)
      let line = Network(store)
      let shop = try launch(line, store, server, folder: killed.folder)
      await shop.untilQueueIsEmpty()
      // The book is delivered once, paid for once and finished once.
      #expect(try shop.entitlements.isEntitled(to: book))
      #expect(shop.entitlements.entitlements.count == 1)
      for (name, data) in files { #expect(try shop.library.data(named: name, in: book) == data) }
      #expect(try shop.downloads.state(of: book) == .current(version: 1))
      #expect(try await shop.client.entitlements().map(\.isActive) == [true])
      #expect(try await shop.client.deliveries().count == 1)
      let paid = try await store.transactions()
      #expect(paid.count == 1 && paid.first?.finishedDate != nil)
      // If the app was killed while it sent the finish, the store may have received it or not.
      let finishes = line.sent.filter { $0 == .finish }.count
      #expect(step == .finished ? finishes <= 1 : finishes == 1)
      #expect(shop.vault.findings.isEmpty)
      // The next launch has nothing left to do.
      try await shop.close()
      let again = try launch(line, store, server, folder: killed.folder)
      #expect(again.isQueueEmpty)
      #expect(again.manager.keptTransactions.isEmpty)
      #expect(try again.downloads.state(of: book) == .current(version: 1))
      #expect(try await store.transactions().map(\.finishedDate) == paid.map(\.finishedDate))
      #expect(line.sent.filter { $0 == .finish }.count == finishes)
      try await again.close()
    }
  }

  private func launch(
    _ line: Network, _ store: EmulatedAppStore, _ server: LivePurchaseServer, folder: TestFolder
  ) throws -> ReaderShop {
    try ReaderShop(store, folder: folder, keys: Self.keys(folder), connection: line) { keys, device in
      server.client(keys, device)
    }
  }

  private static func keys(_ folder: TestFolder) -> FileVaultKeyStore {
    FileVaultKeyStore(directory: folder.url.appending(path: "keys"))
  }

  /// Buys the book, and kills the app after a step.
  private func kill(
    _ store: EmulatedAppStore, _ server: LivePurchaseServer, after step: DeliveryStep
  ) async throws -> AppKill {
    let (book, folder) = (book, TestFolder())
    let kill = AppKill(step, disk: folder.url)
    let shop = try ReaderShop(
      store, folder: folder, keys: Self.keys(folder), connection: KilledConnection(store: store, kill: kill),
      proofMade: {
        try kill.reached(.proofMade)
        try kill.checkAlive()
      },
      makeClient: { keys, device in
        PurchaseServerClient(
          server.url, bundleID: ScriptedServer.bundleID, device: device, identity: .anonymous(keys),
          transport: KilledTransport(kill))
      })
    let observations = [
      (Notification.Name.ContentDownloadsChangedNotification, DeliveryStep.filesHere),
      (.EntitlementManagerEntitlementsChangedNotification, .entitlementRecorded),
      (.InAppPurchaseManagerTransactionSucceededNotification, .finished),
    ].map { name, step in
      shop.notifications.addObserver(forName: name, object: nil, queue: nil) { _ in
        if step == .filesHere, (try? shop.library.current(of: book)) == nil { return }
        try? kill.reached(step)
      }
    }
    // The result does not matter, because the app counts as killed by then.
    _ = try? await shop.buy(book)
    for observation in observations { shop.notifications.removeObserver(observation) }
    #expect(kill.isDead, "it was not killed")
    try await shop.close()
    return kill
  }
}
