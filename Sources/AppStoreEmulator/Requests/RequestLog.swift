import StoreModel

/// The newest requests, in the order of arrival. It is a ring buffer: if it is full, a new request replaces the oldest.
struct RequestLog: Sendable {
  let capacity: Int
  private var ring: [JournaledRequest] = []
  /// The number of the first request after the last clearing. The ring stores it at index 0.
  private var base: Int64 = 1
  /// The number of the oldest stored request.
  private var first: Int64 = 1
  private(set) var next: Int64 = 1
  /// The number of requests that were dropped because the log was full. Cleared requests are not included.
  private(set) var dropped: Int64 = 0
  private var bodies = RequestBodyLog()

  init(capacity: Int) {
    precondition(capacity > 0)
    self.capacity = capacity
  }

  var count: Int { Int(next - first) }

  /// The index of a request in the ring; nil if it is no longer stored.
  private func place(of sequence: Int64) -> Int? {
    guard (first..<next).contains(sequence) else { return nil }
    return Int((sequence - base) % Int64(capacity))
  }

  /// Stores a request, and returns its number.
  mutating func append(_ metadata: RequestMetadata, _ body: RecordedBody, date: StoreDate) -> Int64 {
    let request = JournaledRequest(sequence: next, date: date, metadata: metadata, outcome: .underWay, fault: nil)
    if count == capacity {
      first += 1
      dropped += 1
    }
    if ring.count < capacity {
      ring.append(request)
    } else {
      ring[Int((next - base) % Int64(capacity))] = request
    }
    next += 1
    bodies.append(body, of: request.sequence)
    return request.sequence
  }

  /// Stores the body of an answer, unless the request's bodies are no longer kept.
  mutating func add(_ answer: RecordedBody?, to sequence: Int64) { bodies.add(answer, to: sequence) }

  /// A request and its bodies; nil if it is no longer stored.
  func request(_ sequence: Int64) -> (request: JournaledRequest, bodies: RequestBodyLog.Bodies?)? {
    place(of: sequence).map { (ring[$0], bodies[sequence]) }
  }

  mutating func change(_ sequence: Int64, _ change: (inout JournaledRequest) -> Void) {
    guard let place = place(of: sequence) else { return }
    change(&ring[place])
  }

  /// The requests that match `filter`, oldest first. If there are more than `limit`, the newest ones.
  func requests(_ filter: RequestFilter, limit: Int) -> [JournaledRequest] {
    var found: [JournaledRequest] = []
    var sequence = next - 1
    let oldest = max(first, (filter.after ?? 0).addingReportingOverflow(1).partialValue)
    while sequence >= oldest, found.count < limit {
      if let place = place(of: sequence), filter.admits(ring[place]) { found.append(ring[place]) }
      sequence -= 1
    }
    return found.reversed()
  }

  /// Removes all requests, and returns their number. If a removed request is answered later, its outcome is not
  /// recorded.
  mutating func clear() -> Int {
    defer {
      (first, base) = (next, next)
      ring = []
      dropped = 0
      bodies = RequestBodyLog()
    }
    return count
  }
}
