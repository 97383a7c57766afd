import AppStoreEmulator
import Foundation
import HTTPDoors
import Hummingbird
import StoreModel

/// The store's clock.
struct ClockRoutes: Sendable {
  let store: EmulatedAppStore

  func add(to control: RouterGroup<BasicRequestContext>) {
    let store = store
    control.get("clock") { _, _ in
      try await Response.answering { ClockView(try await store.clockReading()) }
    }
    control.patch("clock") { request, _ in
      let change = try await request.decoded(ClockChange.self, keys: ["advanceMilliseconds", "now", "rate"])
      let move = try change.move()
      return try await Response.answering { ClockView(try await store.changeClock(move, rate: change.rate)) }
    }
  }
}
