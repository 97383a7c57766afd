import StoreModel

/// The newest requests, in the order in which they arrived. A ring: what does not fit takes the place of the oldest.
struct RequestLog: Sendable {
  let capacity: Int
  private var ring: [JournaledRequest] = []
  /// The number of the request in the ring's first place, when it was there first.
  private var base: Int64 = 1
  /// The number of the oldest request kept.
  private var first: Int64 = 1
  private(set) var next: Int64 = 1
  /// How many were dropped because they did not fit. Clearing does not count.
  private(set) var dropped: Int64 = 0

  init(capacity: Int) {
    precondition(capacity > 0)
    self.capacity = capacity
  }

  var count: Int { Int(next - first) }

  /// The place of a request in the ring; nil if it is not there any more.
  private func place(of sequence: Int64) -> Int? {
    guard (first..<next).contains(sequence) else { return nil }
    return Int((sequence - base) % Int64(capacity))
  }

  /// Keeps a request, and says its number.
  mutating func append(_ metadata: RequestMetadata, date: StoreDate) -> Int64 {
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
    return request.sequence
  }

  mutating func change(_ sequence: Int64, _ change: (inout JournaledRequest) -> Void) {
    guard let place = place(of: sequence) else { return }
    change(&ring[place])
  }

  /// The requests that `filter` admits, oldest first: the newest of them, if there are more than `limit`.
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

  /// Forgets them all, and says how many there were. What is under way ends unrecorded.
  mutating func clear() -> Int {
    defer {
      (first, base) = (next, next)
      ring = []
      dropped = 0
    }
    return count
  }
}
