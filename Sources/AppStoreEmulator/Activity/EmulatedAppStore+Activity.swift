extension EmulatedAppStore {
  /// Tells that something happened which can be looked at: in the books, the clock, the faults or the request journal.
  ///
  /// It says that, not what. Whoever listens looks again; what happens meanwhile is told with one more element, however
  /// much it is. An element comes after the change can be seen. That time goes by is no change, nor that a date was
  /// stamped. The sequence ends when the store is closed.
  ///
  /// ```swift
  /// for await _ in store.activity() { show(try await store.transactions()) }
  /// ```
  public func activity() -> AsyncStream<Void> { storeActivity.happenings() }
}
