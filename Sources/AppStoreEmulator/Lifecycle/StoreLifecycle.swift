import DurableSQLite
import Foundation
import GRDB
import StoreModel

extension StoreUnitOfWork {
  var lifecycle: StoreLifecycle { StoreLifecycle(work: self) }
}

/// Begins epochs: empties the store's records, or replaces them with a snapshot.
struct StoreLifecycle {
  let work: StoreUnitOfWork

  /// Empties the records and begins another epoch. Apps and catalogs do not change. The settings are those of a new
  /// store. Installations register again.
  ///
  /// - Parameter returnsToPresent: whether the clock returns to the date of the wall clock once this unit of work is committed.
  func reset(returnsToPresent: Bool) throws -> StoreEpoch {
    let database = work.database
    if returnsToPresent { try work.returnToPresent() }
    var row = try StoreRow.fetch(database)
    row.beginNextEpoch()
    try StoreTables.empty(StoreTables.trade + StoreTables.outbox, in: database)
    row.firstChange = try DeviceChangeRow.lastCursor(database)
    try Projection.restart(in: database)
    // Quotes identify customers by these numbers. Quotes of an earlier epoch are refused, so the numbers may start at
    // 1 again.
    row.nextCustomerNumber = 1
    row.settings = StoreSettings()
    try row.update(database)
    if try StoreApp.fetchCount(database) > 0 {
      try work.customers.addFirstCustomers(storefront: row.storefrontCountryCode)
    }
    work.afterCommit(.wakeDevices)
    work.afterCommit(.wakeNotifications)
    return row.epoch
  }

  /// Replaces the store with a snapshot, and begins another epoch.
  ///
  /// - Parameter snapshot: a checked copy.
  /// - Returns: the epoch, and the latest date that either store has used.
  func restore(_ snapshot: DurableDatabase) throws -> (epoch: StoreEpoch, latest: StoreDate) {
    let database = work.database
    let addresses = try work.catalog.apps().map { ($0.bundleID, $0.notificationURLs) }
    var row = try snapshot.read { source in
      let row = try StoreRow.fetch(database).restored(from: try StoreRow.fetch(source))
      let tables = StoreTables.catalog + StoreTables.trade
      try StoreTables.empty(tables + StoreTables.outbox, in: database)
      try StoreTables.copy(tables, from: source, to: database)
      return row
    }
    work.apps = [:]
    work.products = [:]
    try keepAddresses(Dictionary(uniqueKeysWithValues: addresses), row.notificationURL)
    row.firstChange = try DeviceChangeRow.lastCursor(database)
    try row.update(database)
    // The events happened in another epoch, or in another store. They notify no device.
    try database.execute(sql: "UPDATE storeEvent SET isFilledIn = TRUE, audience = NULL")
    try Projection.restart(in: database)
    // Devices receive only changes after this cursor. They may have missed revocations that the snapshot contains, so
    // they are notified again.
    for installation in try Installation.filter(Column("account") != nil).fetchAll(database) {
      try work.revocations.recordLostProducts(of: installation, at: row.lastDate)
    }
    try database.execute(sql: "UPDATE installation SET isRegistered = FALSE")
    work.afterCommit(.wakeDevices)
    work.afterCommit(.wakeNotifications)
    return (row.epoch, max(row.lastDate, row.lastSignedDate))
  }
}

extension StoreLifecycle {
  /// Gives the apps of a snapshot the addresses for notifications that they had in this store, because a snapshot can be another
  /// store's.
  ///
  /// - Parameter others: the address of apps that this store did not serve.
  private func keepAddresses(_ addresses: [BundleID: NotificationURLs], _ others: String?) throws {
    let url = others.flatMap { URL(string: $0) }
    for var app in try work.catalog.apps() {
      app.notificationURLs = addresses[app.bundleID] ?? NotificationURLs(production: url, sandbox: url)
      try app.update(work.database)
    }
  }

  /// Changes the store's settings.
  ///
  /// - Throws: ``AppStoreEmulatorError/invalidLocale(_:)``.
  func changeSettings(_ change: (inout StoreSettings) -> Void) throws -> StoreSettings {
    var settings = work.settings
    change(&settings)
    settings = try settings.checked()
    var row = try StoreRow.fetch(work.database)
    try row.updateChanges(work.database) { $0.settings = settings }
    return settings
  }

  /// Moves the store's clock forward, or changes its rate, once this unit of work is committed.
  ///
  /// - Parameter nextEvent: the next date at which something is due; nil if nothing is due.
  /// - Throws: ``AppStoreEmulatorError``.
  func changeClock(_ move: ClockMove?, rate: Double?, nextEvent: StoreDate?) throws -> ClockReading {
    if let rate, !StoreClock.rates.contains(rate) { throw AppStoreEmulatorError.clockRateOutOfRange(rate) }
    let date =
      switch move {
      case .advance(let milliseconds): work.now.adding(milliseconds: milliseconds)
      case .to(let date): date
      case .toNextEvent: try Self.known(nextEvent)
      case nil: work.now
      }
    guard date >= work.now else { throw AppStoreEmulatorError.clockNeverGoesBack(to: date, now: work.now) }
    if move != nil {
      guard StoreClock.dates.contains(date) else { throw AppStoreEmulatorError.dateOutsideCertificates(date) }
      try work.database.execute(sql: "UPDATE store SET lastDate = ?", arguments: [date.millisecondsSince1970])
    }
    try work.storeDate()
    // The action runs before any other unit of work, so two concurrent calls that advance the clock both have an
    // effect.
    work.afterCommit(.perform { [clock = work.clock] in clock.goOn(from: date, rate: rate) })
    work.afterCommit(.wakeNotifications)
    return ClockReading(now: date, rate: rate ?? work.clock.rate)
  }

  private static func known(_ nextEvent: StoreDate?) throws(AppStoreEmulatorError) -> StoreDate {
    guard let nextEvent else { throw .nothingDue }
    return nextEvent
  }
}
