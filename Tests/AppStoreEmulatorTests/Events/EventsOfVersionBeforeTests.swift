import Foundation
import GRDB
import SharedFixtures
import StoreModel
import Testing

@testable import AppStoreEmulator

/// Stores without events, which earlier versions wrote.
@Suite("Events for the records of the version before", .timeLimit(.minutes(30)))
struct EventsOfVersionBeforeTests {
  /// Expects the earlier timelines, and returns the places of their entries.
  private func places(_ store: EmulatedAppStore) async throws -> Set<Int> {
    try await store.database.read { work in
      let database = work.database
      #expect(
        try Bool.fetchOne(database, sql: "SELECT EXISTS (SELECT 1 FROM storeEvent WHERE NOT isFilledIn)") == false)
      #expect(try Projection.deviceFeed.position(database).start > 0)
      return try expectEqualTimelines(database)
    }
  }

  @Test("a folder gets the events of its records: every timeline reads the same")
  func folder() async throws {
    let before = try VersionBefore("store")
    defer { before.remove() }
    let store = try EmulatedAppStore(.init(directory: before.folder))
    #expect(try await places(store).isSuperset(of: [0, 3, 6]))
    try await expectRevisions(in: store)
    try store.close()
  }

  @Test("a file of a long history gets them as well, and its subscriptions' steps")
  func history() async throws {
    let folder = try ScratchFolder()
    defer { folder.remove() }
    try Data(contentsOf: VersionBefore.file("history.sqlite")).write(to: folder.url.appending(path: "store.sqlite"))
    let store = try EmulatedAppStore(.init(directory: folder.url))
    #expect(try await places(store) == Set(0...7))
    try await expectRevisions(in: store)
    let feed = try await store.database.read {
      try Row.fetchAll($0.database, sql: "SELECT * FROM deviceChange").map(\.description)
    }
    #expect(feed.count > 50)
    try await store.database.write { work in
      try work.database.execute(sql: "UPDATE projection SET eventCursor = 0")
      try DeviceFeed(database: work.database).catchUp()
    }
    #expect(
      try await store.database.read {
        try Row.fetchAll($0.database, sql: "SELECT * FROM deviceChange").map(\.description)
      } == feed)
    try store.close()
  }

  @Test("a snapshot of it is restored with its timelines")
  func snapshot() async throws {
    let store = try EmulatedAppStore(.inMemory(seed: 1))
    try await store.restore(Data(contentsOf: VersionBefore.file("history.sqlite")))
    let places = try await store.database.read { try expectEqualTimelines($0.database) }
    #expect(places == Set(0...7))
  }

  /// Expects revisions in the order of the transactions' numbers, and after them those of subscriptions.
  private func expectRevisions(in store: EmulatedAppStore) async throws {
    try await store.database.read { work in
      let database = work.database
      let transactions = try Int64.fetchAll(database, sql: "SELECT revision FROM transactionRecord ORDER BY sequence")
      let subscriptions = try Int64.fetchAll(database, sql: "SELECT revision FROM subscription ORDER BY revision")
      let count = Int64(transactions.count + subscriptions.count)
      #expect(transactions + subscriptions == Array(1...count))
      #expect(try StoreRow.fetch(database).nextRevision > count)
    }
  }
}
