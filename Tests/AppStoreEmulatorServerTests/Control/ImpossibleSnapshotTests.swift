import Foundation
import GRDB
import HummingbirdTesting
import SharedFixtures
import StoreModel
import Testing

@testable import AppStoreEmulator
@testable import AppStoreEmulatorServer

@Suite("A snapshot with impossible values, through the control API", .timeLimit(.minutes(30)))
struct ImpossibleSnapshotTests {
  @Test(
    "a snapshot with an impossible date, also in a due row or inside a subscription, gets 422 with its place, and changes nothing",
    arguments: [
      ("UPDATE transactionRecord SET purchaseDate = -1", "purchaseDate"),
      ("UPDATE transactionRecord SET expiresDate = 9223372036854775807", "expiresDate"),
      ("UPDATE subscription SET dueDate = -9223372036854775808", "subscription 1.dueDate"),
      ("UPDATE subscription SET dueDate = 0", "subscription 1.dueDate"),
      (
        "UPDATE subscription SET state = json_replace(state, '$.period.start', -1)", "subscription 1.state.period.start"
      ),
      (
        "UPDATE subscription SET state = json_replace(state, '$.period.end', 9000000000000000000)",
        "subscription 1.state.period.end"
      ),
      ("UPDATE subscriptionStep SET date = 1", "subscriptionStep 1.date"),
    ])
  func impossible(edit: String, place: String) async throws {
    let bakery = try await BakeryServer()
    let store = bakery.store
    let subscription = try await bakery.subscribe()
    let edited = try Self.edited(try await store.snapshot(), edit)
    try await bakery.order()
    let (epoch, before) = (store.epoch, try await store.transactions())
    try await bakery.withClient { client async throws in
      let reply = try await client.post(
        "/control/v1/restore", #"{"snapshot":"\#(edited.base64EncodedString())"}"#)
      #expect((reply.status, reply.code) == (422, "unusableSnapshot"), "\(reply.text)")
      #expect(reply.message.contains(place), "\(reply.message)")
      #expect(!reply.message.contains("Nothing was charged"))
      #expect(try await client.get("/control/v1/subscriptions/\(subscription)").status == 200)
    }
    #expect(store.epoch == epoch)
    #expect(try await store.transactions() == before)
    try await bakery.order()
    #expect(try await store.transactions().count == before.count + 1)
  }

  /// Returns a snapshot after a statement that changes at least one row.
  private static func edited(_ snapshot: Data, _ statement: String) throws -> Data {
    let folder = try ScratchFolder()
    defer { folder.remove() }
    let file = folder.url.appending(path: "snapshot.sqlite")
    try snapshot.write(to: file)
    let queue = try DatabaseQueue(path: file.path)
    try queue.writeWithoutTransaction { database in
      try database.execute(sql: statement)
      #expect(database.changesCount > 0)
    }
    try queue.close()
    return try Data(contentsOf: file)
  }
}
