import Foundation
import SampleApp
import StoreModel

/// The last steps of purchases on this phone, the prompt that is shown on it, and the streams that news of both are sent
/// to.
final class StepHistory: Sendable {
  /// A numbered step, as it is sent to listeners.
  struct Entry: Codable, Hashable, Sendable {
    let number: Int
    /// The time at which the phone received the step, in milliseconds since 1970.
    let time: Int64
    let step: PurchaseStep
    var product: String?
    var transaction: String?
    var detail: String?
  }

  /// What a stream sends.
  enum News: Hashable, Sendable {
    case step(Entry)
    /// The sheet, question or alert that is shown now; nil for none.
    case prompt(AppPrompt?)
  }

  /// The number of steps that are kept for listeners that come later.
  static let keptSteps = 50
  private static let largestAudience = 50

  private let clock: any MachineClock
  private let state = LockedValue(State())

  private struct State: Sendable {
    var entries: [Entry] = []
    var lastNumber = 0
    var prompt: AppPrompt?
    var listeners: [Int: AsyncStream<News>.Continuation] = [:]
    var nextListener = 0
  }

  init(clock: any MachineClock) { self.clock = clock }

  /// Adds a step and sends it to all listeners.
  func add(_ report: StepReport) {
    let time = clock.now.millisecondsSince1970
    state.withLock { state in
      state.lastNumber += 1
      let entry = Entry(
        number: state.lastNumber, time: time, step: report.step, product: report.product,
        transaction: report.transaction,
        detail: report.detail)
      state.entries.append(entry)
      state.entries.removeFirst(max(0, state.entries.count - Self.keptSteps))
      for listener in state.listeners.values { listener.yield(.step(entry)) }
    }
  }

  /// Sets the prompt that is shown, and sends it to all listeners if it is another one.
  func show(_ prompt: AppPrompt?) {
    state.withLock { state in
      guard state.prompt != prompt else { return }
      state.prompt = prompt
      for listener in state.listeners.values { listener.yield(.prompt(prompt)) }
    }
  }

  /// The steps that are kept, oldest first.
  var all: [Entry] { state.withLock { $0.entries } }

  /// Returns a stream of the kept steps after number `last`, the current prompt, and all later news; nil if there are too
  /// many listeners.
  ///
  /// - Parameter last: the number of the last step that the listener has; 0 if it has none. An unknown number belongs
  ///   to an earlier run of the phone and is treated as 0.
  func news(after last: Int) -> (stream: AsyncStream<News>, end: @Sendable () -> Void)? {
    state.withLock { state in
      guard state.listeners.count < Self.largestAudience else { return nil }
      // A listener that is more than 1,000 events behind loses the oldest of them.
      let (stream, continuation) = AsyncStream.makeStream(of: News.self, bufferingPolicy: .bufferingNewest(1_000))
      let last = last > state.lastNumber ? 0 : last
      for entry in state.entries where entry.number > last { continuation.yield(.step(entry)) }
      continuation.yield(.prompt(state.prompt))
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
