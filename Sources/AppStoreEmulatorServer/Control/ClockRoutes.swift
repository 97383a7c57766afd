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
    let moves: [ClockMove?] = [
      advanceMilliseconds.map { .advance(milliseconds: $0) }, now.map { .to($0) },
      toNextEvent == true ? .toNextEvent : nil,
    ]
    let given = moves.compactMap(\.self)
    guard given.count <= 1 else {
      throw ErrorResponse(
        .badRequest, "malformedRequest", "Give only one of advanceMilliseconds, now and toNextEvent.")
    }
    return given.first
  }
}
