import StoreModel

/// The newest requests to all APIs, and how they ended. It exists in memory only. Tests use it in assertions.
final class RequestJournal: Sendable {
  private let log: LockedValue<RequestLog>
  /// Notified when a request begins, or changes.
  private let signal: ChangeSignal
  private let activity: StoreActivity

  init(capacity: Int, signal: ChangeSignal, activity: StoreActivity) {
    log = LockedValue(RequestLog(capacity: capacity))
    self.activity = activity
    self.signal = signal
  }

  func begin(_ metadata: RequestMetadata, _ body: RecordedBody, date: StoreDate) -> Int64 {
    let metadata = metadata.bounded
    defer { notify() }
    return log.withLock { $0.append(metadata, body, date: date) }
  }

  /// Records how a request ended.
  ///
  /// - Parameter answer: the body of the answer; nil if it has none.
  func end(_ sequence: Int64, answer: RecordedBody?, _ change: (inout JournaledRequest) -> Void) {
    log.withLock { log in
      log.change(sequence, change)
      log.add(answer, to: sequence)
    }
    notify()
  }

  func change(_ sequence: Int64, _ change: (inout JournaledRequest) -> Void) {
    log.withLock { $0.change(sequence, change) }
    notify()
  }

  private func notify() {
    activity.note()
    signal.notify()
  }

  /// Makes ``firstRequest(_:)`` throw `CancellationError`.
  func close() { signal.close() }

  /// Returns the oldest request that matches `filter`. If there is none, waits for one.
  ///
  /// - Throws: `CancellationError` if the task is cancelled or the store is closed.
  func firstRequest(_ filter: RequestFilter) async throws -> JournaledRequest {
    while true {
      let count = signal.count
      if let request = requests(filter, limit: .max).first { return request }
      try Task.checkCancellation()
      if signal.isClosed { throw CancellationError() }
      await signal.wait(beyond: count, seconds: 60)
    }
  }

  func requests(_ filter: RequestFilter, limit: Int) -> [JournaledRequest] {
    log.withLock { $0.requests(filter, limit: limit) }
  }

  /// - Throws: ``AppStoreEmulatorError/unknownRequest(_:)``.
  func details(_ sequence: Int64) throws -> RequestDetails {
    guard let (request, bodies) = log.withLock({ $0.request(sequence) }) else {
      throw AppStoreEmulatorError.unknownRequest(sequence)
    }
    // Encoded without the lock, because a body may be long.
    return RequestDetails(
      request: request, requestBody: try bodies?.request.journaled, answerBody: try bodies?.answer?.journaled)
  }

  var extent: RequestJournalExtent {
    log.withLock { RequestJournalExtent(kept: $0.count, dropped: $0.dropped, last: $0.next - 1) }
  }

  func clear() -> Int {
    defer { activity.note() }
    return log.withLock { $0.clear() }
  }
}

/// The size of the journal.
public struct RequestJournalExtent: Hashable, Sendable {
  public let kept: Int
  /// The number of requests that were dropped because the journal was full, since it was last cleared.
  public let dropped: Int64
  /// The number of the newest request, even if it was cleared; 0 if there was no request yet.
  public let last: Int64
}
