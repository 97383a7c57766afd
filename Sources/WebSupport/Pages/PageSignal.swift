import StoreModel

/// Notifies every open page that something it shows may have changed.
package final class PageSignal: Sendable {
  private struct Listeners: Sendable {
    var all: [Int: AsyncStream<Void>.Continuation] = [:]
    private var next = 0

    mutating func add(_ listener: AsyncStream<Void>.Continuation) -> Int? {
      guard all.count < PageSignal.largestAudience else { return nil }
      defer { next += 1 }
      all[next] = listener
      return next
    }
  }

  private let listeners = LockedValue(Listeners())

  /// The maximum number of pages that listen at the same time.
  static let largestAudience = 200

  package init() {}

  /// Notifies all pages. Several notifications that a page has not received yet are combined into one.
  package func notify() { for listener in listeners.value.all.values { listener.yield() } }

  /// Returns a stream of the notifications from now on, and a function that ends it; nil if too many pages listen
  /// already.
  package func notifications() -> (stream: AsyncStream<Void>, end: @Sendable () -> Void)? {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    guard let number = listeners.withLock({ $0.add(continuation) }) else { return nil }
    continuation.onTermination = { [listeners] _ in listeners.withLock { $0.all[number] = nil } }
    return (stream, { continuation.finish() })
  }
}
