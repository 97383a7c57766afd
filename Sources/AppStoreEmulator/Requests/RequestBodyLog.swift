/// The bodies of the newest requests.
///
/// The memory is bounded. Bodies with receipts or lists are counted with their approximate sizes, at most 32 MiB
/// together. Every other body is counted as 1 KiB. Over HTTP, such a body may have 64 KiB, so the bodies of 500
/// requests have at most 32 MiB. A purchase and its answer have about 8 KiB, so the log usually has about 4 MiB.
struct RequestBodyLog: Sendable {
  static let largestNumber = 500
  static let largestSize = 32 << 20

  struct Bodies: Sendable {
    let request: RecordedBody
    var answer: RecordedBody?

    var heldBytes: Int { request.heldBytes + (answer?.heldBytes ?? 0) }
  }

  private var bodies: [Int64: Bodies] = [:]
  /// The number of the oldest request with bodies. All later requests have bodies.
  private var oldest: Int64 = 0
  private(set) var heldBytes = 0

  var count: Int { bodies.count }

  /// - Parameter sequence: the request's number: one more than the number of the previous request.
  mutating func append(_ request: RecordedBody, of sequence: Int64) {
    if bodies.isEmpty { oldest = sequence }
    bodies[sequence] = Bodies(request: request)
    heldBytes += request.heldBytes
    removeOldest()
  }

  mutating func add(_ answer: RecordedBody?, to sequence: Int64) {
    guard let answer, bodies[sequence] != nil else { return }
    bodies[sequence]?.answer = answer
    heldBytes += answer.heldBytes
    removeOldest()
  }

  subscript(_ sequence: Int64) -> Bodies? { bodies[sequence] }

  private mutating func removeOldest() {
    while bodies.count > Self.largestNumber || heldBytes > Self.largestSize {
      heldBytes -= bodies.removeValue(forKey: oldest)?.heldBytes ?? 0
      oldest += 1
    }
  }
}
