import Foundation
import GRDB
import StoreModel
import Testing

@testable import AppStoreEmulator

extension TeaShop {
  /// Makes the devices' feed again, from the first event.
  func rebuildFeed() async throws {
    try await store.database.write { work in
      let start = try Projection.deviceFeed.position(work.database).start
      try work.database.execute(sql: "DELETE FROM deviceChange WHERE sequence > ?", arguments: [start])
      try work.database.execute(sql: "UPDATE projection SET eventCursor = 0 WHERE name = 'deviceFeed'")
      try DeviceFeed(database: work.database).catchUp()
    }
  }

  func feedPosition() async throws -> Int64 {
    try await store.database.read { try Projection.deviceFeed.position($0.database).eventCursor }
  }
}

@Suite("The devices' feed, made from events", .timeLimit(.minutes(30)))
struct DeviceFeedTests {
  @Test("a feed that is made again from all events has the same rows, with the same numbers")
  func rebuilt() async throws {
    let shop = try await TeaShop.eventful()
    let (feed, last) = (try await shop.feed(), try await shop.events().last?.sequence)
    #expect(feed.count > 15)
    #expect(try await shop.feedPosition() == last)
    // Whoever is signed in now has no influence.
    try await shop.store.database.write { try $0.database.execute(sql: "UPDATE installation SET account = NULL") }
    try await shop.rebuildFeed()
    #expect(try await shop.feed() == feed)
    #expect(try await shop.feedPosition() > 0)
  }

  @Test("catching up adds nothing that the feed contains, and skips unknown kinds, newer versions and filled-in events")
  func skipped() async throws {
    let shop = try await TeaShop.eventful()
    let feed = try await shop.feed()
    try await shop.store.database.write { try DeviceFeed(database: $0.database).catchUp() }
    #expect(try await shop.feed() == feed)
    let audience = #"{"first":900000,"installationIDs":["phone"],"changes":[]}"#
    try await shop.store.database.write { work in
      for (kind, version, isFilledIn) in [
        ("transaction.burned", 1, false), ("transaction.refunded", 2, false), ("transaction.refunded", 1, true),
      ] {
        try work.database.execute(
          sql: """
            INSERT INTO storeEvent (environment, kind, version, date, audience, isFilledIn)
            VALUES ('Sandbox', ?, ?, 0, ?, ?)
            """, arguments: [kind, version, audience, isFilledIn])
      }
      try DeviceFeed(database: work.database).catchUp()
    }
    #expect(try await shop.feed() == feed)
    #expect(try await shop.events().suffix(3).map(\.version) == [1, 2, 1])
  }

  @Test("B9 a store that opens adds the changes of events that its feed lacks, once")
  func opening() async throws {
    let folder = try ScratchFolder()
    defer { folder.remove() }
    var shop = try await TeaShop(directory: folder.url)
    let phone = try await shop.phone()
    for product in [TeaShop.oolong, TeaShop.sencha] {
      try await shop.store.beginPromotedPurchase(of: product, on: phone.id)
    }
    let feed = try await shop.feed()
    try await shop.store.database.write { work in
      try work.database.execute(
        sql: "DELETE FROM deviceChange WHERE sequence = (SELECT max(sequence) FROM deviceChange)")
      try work.database.execute(sql: "UPDATE projection SET eventCursor = eventCursor - 1")
    }
    for _ in 1...2 {
      try shop.store.close()
      shop = try await TeaShop(directory: folder.url)
      #expect(try await shop.feed() == feed)
      // Another projection catches up by itself.
      let others = try await shop.store.database.read { try Projection.notifications.position($0.database).eventCursor }
      #expect(try await shop.feedPosition() == others + 1)
    }
    try shop.store.close()
  }
}
