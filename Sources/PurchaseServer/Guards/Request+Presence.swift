import HTTPTypes
import Hummingbird
import WebSupport

extension Request {
  /// The same request, which counts only for its caller while its body is read.
  func counting(with permit: RequestPresence.Permit) -> Request {
    // No handler reads the body of these requests.
    guard method != .get, method != .head else { return self }
    return Request(head: head, body: RequestBody(asyncSequence: CountedBody(body: body, permit: permit)))
  }
}

/// Reports to a permit when the reading of a body begins, and when the body has arrived.
private struct CountedBody: AsyncSequence, Sendable {
  typealias Element = ByteBuffer

  let body: RequestBody
  let permit: RequestPresence.Permit

  func makeAsyncIterator() -> Iterator { Iterator(parts: body.makeAsyncIterator(), permit: permit) }

  struct Iterator: AsyncIteratorProtocol {
    var parts: RequestBody.AsyncIterator
    let permit: RequestPresence.Permit

    mutating func next() async throws -> ByteBuffer? {
      permit.awaitsBody()
      if let part = try await parts.next() { return part }
      do {
        try permit.bodyArrived()
      } catch {
        throw error.errorResponse
      }
      return nil
    }
  }
}

extension RequestPresence.Refusal {
  var errorResponse: ErrorResponse {
    switch self {
    case .shareIsUsed:
      ErrorResponse(
        .tooManyRequests, "tooManyRequests", "That is more than one caller may ask at once. Wait for the answers.",
        headers: [.retryAfter: "1"])
    case .overloaded:
      ErrorResponse(
        .serviceUnavailable, "overloaded", "The server has too much to do. Ask again.", headers: [.retryAfter: "1"])
    }
  }
}
