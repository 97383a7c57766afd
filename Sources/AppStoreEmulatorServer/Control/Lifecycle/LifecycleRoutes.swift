import AppStoreEmulator
import Foundation
import HTTPDoors
import Hummingbird
import StoreModel

/// Reset, snapshot and restore.
struct LifecycleRoutes: Sendable {
  let store: EmulatedAppStore

  /// A snapshot as it travels: base64 in JSON.
  struct Snapshot: Codable, Sendable {
    let snapshot: Data

    /// In bytes of the body: the base64 of a store with some 100,000 purchases.
    static let largestBody = 256 << 20
  }

  func add(to control: RouterGroup<BasicRequestContext>) {
    let store = store
    control.post("reset") { request, _ in
      try await request.expectNoMembers()
      return try await Response.answering { ["epoch": try await store.reset()] }
    }
    control.get("snapshot") { _, _ in
      try await Response.answering { Snapshot(snapshot: try await store.snapshot()) }
    }
    // A snapshot would use up what all other requests share; so there is one at a time.
    let restores = BodyBudgetMiddleware<BasicRequestContext>(BodyBudget(limitBytes: Snapshot.largestBody))
    control.group("restore").add(middleware: restores).post { request, _ in
      let body = try await request.decoded(Snapshot.self, keys: ["snapshot"], upTo: Snapshot.largestBody)
      return try await Response.answering { ["epoch": try await store.restore(body.snapshot)] }
    }
  }
}
