import GRDB
import StoreModel

extension EmulatedAppStore {
  /// What the clock shows. It is on record before it is told, so that no restart shows an earlier date.
  public func clockReading() async throws -> ClockReading {
    try await database.write { database in
      ClockReading(now: try StoreRow.takeDate(database, clock: self.clock), rate: self.clock.rate)
    }
  }

  /// Puts the clock forward, or changes its rate, or both; it goes on from there.
  ///
  /// Where it was put survives a restart; the rate is that of this process. At any rate the clock stops the day before the
  /// certificates end, so that the store can be used for good.
  ///
  /// - Parameters:
  ///   - move: nil to leave it where it is.
  ///   - rate: store seconds in one second of the wall clock, 0 to 1,000,000; 0 stops it; nil leaves it as it is.
  /// - Throws: ``AppStoreEmulatorError/clockNeverGoesBack(to:now:)``,
  ///   ``AppStoreEmulatorError/dateOutsideCertificates(_:)``, ``AppStoreEmulatorError/clockRateOutOfRange(_:)``. The clock
  ///   is then as it was.
  @discardableResult
  public func changeClock(_ move: ClockMove? = nil, rate: Double? = nil) async throws -> ClockReading {
    if let rate, !StoreClock.rates.contains(rate) { throw AppStoreEmulatorError.clockRateOutOfRange(rate) }
    return try await database.write { database in
      let now = try StoreRow.takeDate(database, clock: self.clock)
      let date =
        switch move {
        case .advance(let milliseconds): now.adding(milliseconds: milliseconds)
        case .to(let date): date
        case nil: now
        }
      guard date >= now else { throw AppStoreEmulatorError.clockNeverGoesBack(to: date, now: now) }
      if move != nil {
        guard StoreClock.dates.contains(date) else {
          throw AppStoreEmulatorError.dateOutsideCertificates(date)
        }
        try database.execute(sql: "UPDATE store SET lastDate = ?", arguments: [date.millisecondsSince1970])
      }
      // Moved once the date is on record and before anybody else can look: two who advance at once both count.
      database.afterNextTransaction { _ in self.clock.goOn(from: date, rate: rate) }
      return ClockReading(now: date, rate: rate ?? self.clock.rate)
    }
  }
}
