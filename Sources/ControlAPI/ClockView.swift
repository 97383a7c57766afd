import APIDescription
import AppStoreEmulator
import Foundation
import HTTPTypes
import StoreModel

/// The store's clock.
package struct ClockView: APIObject {
  package let now: StoreDate
  package let rate: Double

  package static let notes: [String: MemberNote] = [
    "rate": "Store seconds in one second of wall time; 0 while the clock stands still."
  ]

  package init(_ reading: ClockReading) {
    now = reading.now
    rate = reading.rate
  }
}

/// A change of the clock. Missing members are left unchanged.
package struct ClockChange: APIObject {
  package let advanceMilliseconds: Int64?
  package let now: StoreDate?
  package let rate: Double?
  package let toNextEvent: Bool?

  package static let notes: [String: MemberNote] = [
    "advanceMilliseconds": .init("Not together with now.", minimum: 0),
    "now": "A date that is not before the clock's date, from 2014 to 30 December 2063. It survives a restart.",
    "rate": .init("Until the emulator ends; then --time-rate applies again.", minimum: 0, maximum: 1_000_000),
    "toNextEvent":
      "Moves the clock to the next date at which something is due, such as a renewal. Not together with advanceMilliseconds or now.",
  ]

  package init(
    advanceMilliseconds: Int64? = nil, now: StoreDate? = nil, rate: Double? = nil, toNextEvent: Bool? = nil
  ) {
    self.advanceMilliseconds = advanceMilliseconds
    self.now = now
    self.rate = rate
    self.toNextEvent = toNextEvent
  }
}
