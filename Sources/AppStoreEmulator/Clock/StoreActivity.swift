import Foundation

/// Lets everybody know who listens that something happened in the store.
///
/// What can be looked at notes its changes itself, where it is kept: the books by ``BookWatch``, faults, requests and the
/// clock beside the values they guard. So no caller can forget to.
final class StoreActivity: @unchecked Sendable {
  private let lock = NSLock()
  private var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
  private var lastListener = 0
  private var isOver = false

  /// Something happened that can be looked at now.
  func note() {
    let listeners = lock.withLock { Array(self.listeners.values) }
    for listener in listeners { listener.yield() }
  }

  /// An element for all that happened since the one before it was taken. Ends with the store.
  func happenings() -> AsyncStream<Void> {
    let (stream, listener) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let number: Int? = lock.withLock {
      if isOver { return nil }
      lastListener += 1
      listeners[lastListener] = listener
      return lastListener
    }
    guard let number else {
      listener.finish()
      return stream
    }
    listener.onTermination = { [weak self] _ in self?.forget(number) }
    return stream
  }

  var listenerCount: Int { lock.withLock { listeners.count } }

  private func forget(_ number: Int) { lock.withLock { listeners[number] = nil } }

  func end() {
    let listeners = lock.withLock {
      isOver = true
      return Array(self.listeners.values)
    }
    // Outside the lock: each of them is forgotten as it ends.
    for listener in listeners { listener.finish() }
  }
}
