import StoreModel

/// The registrations of the iterators of one endless sequence. Each has a buffer of its own, and receives all elements.
final class UpdateChannel<Element: BufferedUpdate>: Sendable {
  private struct Owner: Sendable {
    weak var registry: UpdateRegistry?
  }

  private struct State: Sendable {
    var owner = Owner()
    /// In the order of their registration, so that the same seed gives the same run.
    var buffers: [UpdateBuffer<Element>] = []
    var wasRegistered = false
    var isClosed = false
  }

  private let limit: Int?
  private let state = LockedValue(State())

  /// - Parameter limit: the maximum number of elements in a buffer; nil for no maximum. The oldest elements leave.
  init(limit: Int?) { self.limit = limit }

  /// The registry of this channel; nil after it was released.
  var registry: UpdateRegistry? {
    get { state.withLock { $0.owner.registry } }
    set { state.withLock { $0.owner.registry = newValue } }
  }

  /// The number of registered buffers.
  var count: Int { state.withLock { $0.buffers.count } }

  /// The number of elements in all buffers.
  var queuedCount: Int { state.withLock { $0.buffers }.reduce(0) { $0 + $1.count } }

  /// Whether an iterator was ever registered.
  var wasRegistered: Bool { state.withLock { $0.wasRegistered } }

  /// Registers an iterator. This begins the use of StoreKit 2.
  ///
  /// - Parameter first: the first elements of its buffer.
  func register(_ first: [Element] = []) -> UpdateRegistration<Element> {
    // Before the registration: what is committed after it must be announced.
    registry?.use()
    let buffer = UpdateBuffer<Element>(limit: limit)
    buffer.append(first)
    add(buffer)
    return UpdateRegistration(buffer)
  }

  private func add(_ buffer: UpdateBuffer<Element>) {
    let isClosed = state.withLock { state in
      state.wasRegistered = true
      if !state.isClosed { state.buffers.append(buffer) }
      return state.isClosed
    }
    if isClosed {
      buffer.close()
    } else if !buffer.move(to: self) {
      remove(buffer)
    }
  }

  /// Adds elements to all buffers, and resumes the iterators that wait.
  ///
  /// - Returns: false if no iterator is registered.
  @discardableResult
  func send(_ elements: [Element]) -> Bool {
    let buffers = state.withLock { $0.buffers }
    for buffer in buffers { buffer.append(elements) }
    return !buffers.isEmpty
  }

  /// Ends all iterators, also those that are made later.
  func close() {
    let buffers = state.withLock { state in
      state.isClosed = true
      defer { state.buffers = [] }
      return state.buffers
    }
    for buffer in buffers { buffer.close() }
  }

  /// Whether a buffer other than `buffer` holds the element with this key.
  func isHeld(_ key: Element.Key, byOthersThan buffer: UpdateBuffer<Element>) -> Bool {
    let buffers = state.withLock { $0.buffers }
    return buffers.contains { $0 !== buffer && $0.holds(key) }
  }

  func remove(_ buffer: UpdateBuffer<Element>) {
    state.withLock { state in state.buffers.removeAll { $0 === buffer } }
  }

  /// Moves all registrations of `earlier` to this channel, with the elements in their buffers.
  ///
  /// - Returns: their buffers.
  func takeOver(_ earlier: UpdateChannel<Element>) -> [UpdateBuffer<Element>] {
    guard earlier !== self else { return [] }
    let buffers = earlier.state.withLock { state in
      defer { state.buffers = [] }
      return state.buffers
    }
    for buffer in buffers { add(buffer) }
    return buffers
  }
}
