import AppStoreEmulator
import ControlAPI
import Hummingbird
import WebSupport

/// The routes of the store's clock.
struct ClockRoutes: Sendable {
  let store: EmulatedAppStore

  func add(to control: some RouterMethods<BasicRequestContext>) {
    let store = store
    control.serve(ControlEndpoints.clock) { _ in
      ClockView(try await store.clockReading())
    }
    control.serve(ControlEndpoints.changeClock) { input in
      let move = try input.body.move()
      return ClockView(try await store.changeClock(move, rate: input.body.rate))
    }
  }
}

extension ClockChange {
  fileprivate func move() throws(ErrorResponse) -> ClockMove? {
    switch (advanceMilliseconds, now) {
    case (nil, nil): return nil
    case (let milliseconds?, nil): return .advance(milliseconds: milliseconds)
    case (nil, let date?): return .to(date)
    case (_?, _?):
      throw ErrorResponse(.badRequest, "malformedRequest", "Give advanceMilliseconds or now, not both.")
    }
  }
}
