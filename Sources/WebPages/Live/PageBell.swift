import Foundation

/// Tells every open page that something it shows may have changed.
package final class PageBell: Sendable {
  private let listeners = ListenerTable()
  /// How many pages may listen at once.
  static let largestAudience = 200

  package init() {}

  /// Something changed. Many rings before anybody has looked are one.
  package func ring() { for listener in listeners.all { listener.yield() } }

  /// The rings from now on, and what ends them; nil where too many listen already.
  package func rings() -> (stream: AsyncStream<Void>, end: @Sendable () -> Void)? {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    guard let place = listeners.add(continuation) else { return nil }
    continuation.onTermination = { [listeners] _ in listeners.remove(place) }
    return (stream, { continuation.finish() })
  }

  private final class ListenerTable: @unchecked Sendable {
    private let lock = NSLock()
    private var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
    private var next = 0

    var all: [AsyncStream<Void>.Continuation] { lock.withLock { Array(listeners.values) } }

    func add(_ listener: AsyncStream<Void>.Continuation) -> Int? {
      lock.withLock {
        guard listeners.count < PageBell.largestAudience else { return nil }
        defer { next += 1 }
        listeners[next] = listener
        return next
      }
    }

    func remove(_ place: Int) { lock.withLock { listeners[place] = nil } }
  }
}
