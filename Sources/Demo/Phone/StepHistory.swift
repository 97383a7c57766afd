import Foundation
import SampleApp
import StoreModel

/// The steps of purchases as they happened on this phone: the last fifty, each numbered, and whoever listens to them.
final class StepHistory: Sendable {
  /// A step as it is told.
  struct Entry: Codable, Hashable, Sendable {
    let number: Int
    /// When it was heard here, in milliseconds since 1970.
    let time: Int64
    let step: PurchaseStep
    var product: String?
    var transaction: String?
    var words: String?
  }

  /// How many are kept for whoever comes late.
  static let keptSteps = 50
  private static let largestAudience = 50

  private let clock: any MachineClock
  private let state = LockedValue(State())

  private struct State: Sendable {
    var entries: [Entry] = []
    var lastNumber = 0
    var listeners: [Int: AsyncStream<Entry>.Continuation] = [:]
    var nextListener = 0
  }

  init(clock: any MachineClock) { self.clock = clock }

  /// Tells a step to all who listen.
  func add(_ report: StepReport) {
    let time = clock.now.millisecondsSince1970
    state.withLock { state in
      state.lastNumber += 1
      let entry = Entry(
        number: state.lastNumber, time: time, step: report.step, product: report.product,
        transaction: report.transaction,
        words: report.words)
      state.entries.append(entry)
      state.entries.removeFirst(max(0, state.entries.count - Self.keptSteps))
      for listener in state.listeners.values { listener.yield(entry) }
    }
  }

  /// The last steps, the newest last.
  var all: [Entry] { state.withLock { $0.entries } }

  /// The steps behind number `last`, as far as they are kept, and all that come; nil where too many listen.
  ///
  /// - Parameter last: 0 for none. A number that was not told yet is of a time before the phone was started anew, and is none, too.
  func steps(after last: Int) -> (stream: AsyncStream<Entry>, end: @Sendable () -> Void)? {
    state.withLock { state in
      guard state.listeners.count < Self.largestAudience else { return nil }
      // Whoever reads more slowly than this loses the oldest, and can come back for them.
      let (stream, continuation) = AsyncStream.makeStream(of: Entry.self, bufferingPolicy: .bufferingNewest(1_000))
      let last = last > state.lastNumber ? 0 : last
      for entry in state.entries where entry.number > last { continuation.yield(entry) }
      let number = state.nextListener
      state.nextListener += 1
      state.listeners[number] = continuation
      let leave: @Sendable () -> Void = { [weak self] in self?.leave(number) }
      continuation.onTermination = { _ in leave() }
      return (stream, { continuation.finish() })
    }
  }

  private func leave(_ number: Int) { state.withLock { $0.listeners[number] = nil } }
}
