import AppStoreEmulator
import Foundation
import HTTPDoors
import HTTPTypes
import StoreModel

/// The store's clock.
struct ClockView: Encodable, Sendable {
  /// UNIX milliseconds.
  let now: StoreDate
  let rate: Double

  init(_ reading: ClockReading) {
    now = reading.now
    rate = reading.rate
  }
}

/// How the clock is to change; what is left out stays.
struct ClockChange: Decodable, Sendable {
  let advanceMilliseconds: Int64?
  let now: StoreDate?
  let rate: Double?

  func move() throws(DoorRefusal) -> ClockMove? {
    switch (advanceMilliseconds, now) {
    case (nil, nil): return nil
    case (let milliseconds?, nil): return .advance(milliseconds: milliseconds)
    case (nil, let date?): return .to(date)
    case (_?, _?):
      throw DoorRefusal(.badRequest, "malformedRequest", "Give advanceMilliseconds or now, not both.")
    }
  }
}
