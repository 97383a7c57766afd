import AppStoreEmulator
import ControlAPI
import HTTPDoors
import Hummingbird

/// The store's clock.
struct ClockRoutes: Sendable {
  let store: EmulatedAppStore

  func add(to control: some RouterMethods<BasicRequestContext>) {
    let store = store
    control.add(ControlEndpoints.clock) { _ in
      try await Response.answering { ClockView(try await store.clockReading()) }
    }
    control.add(ControlEndpoints.changeClock) { input in
      let move = try input.body.move()
      return try await Response.answering { ClockView(try await store.changeClock(move, rate: input.body.rate)) }
    }
  }
}

extension ClockChange {
  fileprivate func move() throws(DoorRefusal) -> ClockMove? {
    switch (advanceMilliseconds, now) {
    case (nil, nil): return nil
    case (let milliseconds?, nil): return .advance(milliseconds: milliseconds)
    case (nil, let date?): return .to(date)
    case (_?, _?):
      throw DoorRefusal(.badRequest, "malformedRequest", "Give advanceMilliseconds or now, not both.")
    }
  }
}
