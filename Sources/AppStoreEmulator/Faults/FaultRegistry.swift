import Foundation
import StoreModel

/// Keeps the faults that are set, and whoever they hold.
final class FaultDesk: @unchecked Sendable {
  /// Why a wait ended.
  enum WaitEnd: Sendable {
    /// The fault was released or removed, or the time was over.
    case over
    /// Nobody is there any more to be answered.
    case callerGone
    case storeClosed
  }

  private struct Waiter {
    let fault: FaultID
    let continuation: CheckedContinuation<WaitEnd, Never>
    var timer: Task<Void, Never>?
  }

  private let lock = NSLock()
  private var book: FaultBook { didSet { activity.note() } }
  private var waiters: [Int: Waiter] = [:] { didSet { activity.note() } }
  private var lastWaiter = 0
  private var isClosed = false
  private let pause: Pause
  /// Notified when a request begins to wait, and when a fault is removed.
  private let signal: ChangeSignal
  private let activity: StoreActivity

  init(seed: UInt64, activity: StoreActivity, pause: @escaping Pause) {
    book = FaultBook(seed: seed)
    self.activity = activity
    self.pause = pause
    signal = ChangeSignal(pause: pause)
  }

  // MARK: Setting and removing

  func set(_ fault: Fault, now: StoreDate) throws(AppStoreEmulatorError) -> FaultReport {
    lock.lock()
    defer { lock.unlock() }
    let waitedFor = Set(waiters.values.map(\.fault))
    return report(try book.set(fault, now: now) { waitedFor.contains($0) }, now: now)
  }

  func reports(now: StoreDate) -> [FaultReport] { lock.withLock { book.entries.map { report($0, now: now) } } }

  func report(_ id: FaultID, now: StoreDate) throws(AppStoreEmulatorError) -> FaultReport {
    lock.lock()
    defer { lock.unlock() }
    guard let entry = book.entry(id) else { throw .unknownFault(id) }
    return report(entry, now: now)
  }

  func remove(_ id: FaultID) throws(AppStoreEmulatorError) {
    lock.lock()
    defer { lock.unlock() }
    try book.remove(id)
    _ = letGo { $0.fault == id }
    signal.notify()
  }

  func removeAll() -> Int {
    lock.withLock {
      defer {
        book.removeAll()
        signal.notify()
      }
      _ = letGo { _ in true }
      return book.entries.count
    }
  }

  func release(_ id: FaultID) throws(AppStoreEmulatorError) -> Int {
    lock.lock()
    defer { lock.unlock() }
    try book.release(id)
    return letGo { $0.fault == id }
  }

  /// Lets everybody go, and holds nobody any more.
  func close() {
    lock.withLock {
      isClosed = true
      _ = letGo(.storeClosed) { _ in true }
    }
  }

  // MARK: Striking

  func strike(_ facts: RequestFacts, clock: StoreClock) -> FaultStrike? {
    lock.withLock { book.entries.isEmpty ? nil : book.strike(facts, now: clock.now) }
  }

  func giveBack(_ strike: FaultStrike) { lock.withLock { book.giveBack(strike) } }

  var asksForReceiptsApp: Bool { lock.withLock { book.asksForReceiptsApp } }

  // MARK: Waiting

  /// Waits as `strike` demands, no longer than `caller` does.
  func wait(_ wait: FaultEffect.Wait, for strike: FaultStrike, caller: (any StoreCaller)?) async -> WaitEnd {
    let milliseconds: Int?
    switch wait {
    case .none: return .over
    case .untilReleased: milliseconds = nil
    case .milliseconds(let number): milliseconds = number
    }
    guard let caller else { return await self.wait(for: strike, milliseconds: milliseconds) }
    return await caller.whileWaiting { await self.wait(for: strike, milliseconds: milliseconds) } ?? .callerGone
  }

  private func wait(for strike: FaultStrike, milliseconds: Int?) async -> WaitEnd {
    let number = lock.withLock {
      lastWaiter += 1
      return lastWaiter
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let end: WaitEnd? = lock.withLock {
          if isClosed { return .storeClosed }
          if Task.isCancelled { return .callerGone }
          guard book.holds(strike) else { return .over }
          waiters[number] = Waiter(fault: strike.id, continuation: continuation)
          return nil
        }
        if let end { return continuation.resume(returning: end) }
        if let milliseconds { startTimer(of: number, milliseconds: milliseconds) }
        signal.notify()
      }
    } onCancel: {
      lock.withLock { _ = letGo(number, .callerGone) }
    }
  }

  /// Only once somebody waits: a timer that ran out before would wake nobody.
  private func startTimer(of number: Int, milliseconds: Int) {
    let timer = Task { [pause] in
      await pause(milliseconds)
      if !Task.isCancelled { lock.withLock { _ = letGo(number, .over) } }
    }
    let isOver = lock.withLock {
      waiters[number]?.timer = timer
      return waiters[number] == nil
    }
    if isOver { timer.cancel() }
  }

  /// Returns when the fault holds at least `number` requests, or there is no such fault any more.
  func untilHolding(_ id: FaultID, number: Int) async throws {
    while true {
      let count = signal.count
      let isEnough = try lock.withLock {
        guard book.entry(id) != nil else { throw AppStoreEmulatorError.unknownFault(id) }
        return waiters.values.filter { $0.fault == id }.count >= number
      }
      if isEnough { return }
      try Task.checkCancellation()
      await signal.wait(beyond: count, seconds: 60)
    }
  }

  // MARK: With the lock held

  private func report(_ entry: FaultBook.Entry, now: StoreDate) -> FaultReport {
    FaultReport(entry, waiting: waiters.values.filter { $0.fault == entry.id }.count, now: now)
  }

  private func letGo(_ end: WaitEnd = .over, where isMeant: (Waiter) -> Bool) -> Int {
    let numbers = waiters.filter { isMeant($0.value) }.keys
    for number in numbers { _ = letGo(number, end) }
    return numbers.count
  }

  private func letGo(_ number: Int, _ end: WaitEnd) -> Bool {
    guard let waiter = waiters.removeValue(forKey: number) else { return false }
    waiter.timer?.cancel()
    waiter.continuation.resume(returning: end)
    return true
  }
}
