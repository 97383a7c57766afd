import StoreModel

/// The phone's clock, which follows the store's clock. So a subscription ends in the app when it ends in the store,
/// even if the store's clock was put forward.
final class StoreDateClock: MachineClock {
  private let offset = LockedValue<Int64>(0)

  var now: StoreDate { SystemClock().now.adding(milliseconds: offset.value) }

  /// Moves the clock forward to the store's date. An earlier date has no effect.
  func follow(_ date: StoreDate) {
    let ahead = date.millisecondsSince1970 - SystemClock().now.millisecondsSince1970
    offset.withLock { $0 = max($0, ahead) }
  }
}
