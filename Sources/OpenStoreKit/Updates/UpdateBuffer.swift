import StoreModel

/// The elements that one iterator has not received yet, and the tasks that wait for one.
///
/// A waiting task holds the buffer, but not the channel: a loop that is never ended does not keep a device open.
final class UpdateBuffer<Element: BufferedUpdate>: Sendable {
  private struct Owner: Sendable {
    weak var channel: UpdateChannel<Element>?
  }

  private struct State: Sendable {
    var owner = Owner()
    var elements: [Element.Key: Element] = [:]
    /// The keys of the elements in order. Those before `first` have left.
    var keys: [Element.Key] = []
    var first = 0
    /// The key of the element that the iterator received last, and may still be handling.
    var inHand: Element.Key?
    var waiting = WaitQueue<Element?>()
    var isClosed = false
    /// Whether the iterator has received an element.
    var wasRead = false
    /// Whether the iterator was released.
    var isReleased = false

    var isEmpty: Bool { first == keys.count }

    mutating func append(_ element: Element, limit: Int?) {
      if elements.updateValue(element, forKey: element.key) == nil { keys.append(element.key) }
      if let limit, keys.count - first > limit { _ = removeFirst() }
    }

    mutating func handedOut(_ element: Element) {
      inHand = element.key
      wasRead = true
    }

    mutating func removeFirst() -> Element? {
      guard first < keys.count else { return nil }
      let element = elements.removeValue(forKey: keys[first])
      first += 1
      // Removing each key from the front of the array would take time in proportion to the buffer.
      if first * 2 >= keys.count {
        keys.removeFirst(first)
        first = 0
      }
      return element
    }
  }

  private typealias Resumed = (waiter: WaitQueue<Element?>.Waiter, element: Element?)

  private let limit: Int?
  private let state = LockedValue(State())

  /// - Parameter limit: the maximum number of elements; nil for no maximum. The oldest elements leave.
  init(limit: Int?) { self.limit = limit }

  /// Returns the next element, and waits for one if there is none. Nil if the task is cancelled, or the buffer is closed.
  func next() async -> Element? {
    await state.wait(
      in: \.waiting, cancelled: nil,
      unless: { state in
        if state.isClosed { return .some(nil) }
        guard let element = state.removeFirst() else { return nil }
        state.handedOut(element)
        return .some(element)
      })
  }

  var isEmpty: Bool { state.withLock { $0.isEmpty } }

  /// The number of elements that the iterator has not received yet.
  var count: Int { state.withLock { $0.keys.count - $0.first } }

  /// Called when the iterator asks for another element.
  func lastIsHandled() { state.withLock { $0.inHand = nil } }

  /// Whether the iterator has not received the element with this key yet, or may still be handling it.
  func holds(_ key: Element.Key) -> Bool { state.withLock { $0.elements[key] != nil || $0.inHand == key } }

  /// Adds elements, and resumes the tasks that wait.
  func append(_ elements: [Element]) {
    let resumed = state.withLock { state -> [Resumed] in
      guard !state.isClosed else { return [] }
      return elements.compactMap { element in
        if let waiter = state.waiting.removeFirst() {
          state.handedOut(element)
          return (waiter, element)
        }
        state.append(element, limit: limit)
        return nil
      }
    }
    for (waiter, element) in resumed { waiter.resume(element) }
  }

  /// Puts elements before those that have arrived since the registration. Elements that have arrived meanwhile stay where
  /// they are.
  func prepend(_ elements: [Element]) {
    let resumed = state.withLock { state -> [Resumed] in
      guard !state.isClosed else { return [] }
      let later = state.keys[state.first...].compactMap { state.elements[$0] }
      (state.elements, state.keys, state.first) = ([:], [], 0)
      let arrived = Set(later.map(\.key))
      var resumed: [Resumed] = []
      for element in elements.filter({ !arrived.contains($0.key) }) + later {
        if let waiter = state.waiting.removeFirst() {
          state.handedOut(element)
          resumed.append((waiter, element))
        } else {
          state.append(element, limit: limit)
        }
      }
      return resumed
    }
    for (waiter, element) in resumed { waiter.resume(element) }
  }

  func close() {
    let waiters = state.withLock { state in
      state.isClosed = true
      (state.elements, state.keys, state.first) = ([:], [], 0)
      return state.waiting.removeAll()
    }
    for waiter in waiters { waiter.resume(nil) }
  }

  /// The channel that sends to this buffer; nil after it was released.
  var channel: UpdateChannel<Element>? { state.withLock { $0.owner.channel } }

  /// Sets the channel.
  ///
  /// - Returns: false if the iterator was released meanwhile. The channel must then remove the buffer.
  func move(to channel: UpdateChannel<Element>) -> Bool {
    state.withLock { state in
      guard !state.isReleased else { return false }
      state.owner.channel = channel
      return true
    }
  }

  /// Whether the iterator was released before it has received an element.
  var wasForgotten: Bool { state.withLock { $0.isReleased && !$0.wasRead } }

  /// Called when the iterator is released.
  func release() {
    let channel = state.withLock { state in
      state.isReleased = true
      return state.owner.channel
    }
    channel?.remove(self)
  }
}
