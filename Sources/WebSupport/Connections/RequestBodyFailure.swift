import HTTPTypes
import Hummingbird
import NIOCore

/// Thrown when a request's body could not be received: its framing is broken, or the client has closed the connection.
///
/// The client caused the failure, so the status is not 500, and no error is logged.
package struct RequestBodyFailure: Error, CustomStringConvertible {
  package let underlying: any Error

  package var description: String { "The request's body was not received: \(underlying)" }

  /// The response, in case the client can still read it.
  package var refusal: ErrorResponse {
    ErrorResponse(
      .badRequest, "malformedRequest",
      "The request's body ended early, or its chunks cannot be read. Send the request again.")
  }
}

extension Request {
  /// The same request, whose body throws ``RequestBodyFailure`` if it cannot be received.
  ///
  /// Requests with GET and HEAD are unchanged: no handler reads their body, and a live stream needs the original body
  /// to detect that the client has closed the connection.
  package var markingBodyFailures: Request {
    guard method != .get, method != .head else { return self }
    return Request(head: head, body: RequestBody(asyncSequence: MarkedBody(body: body)))
  }
}

/// Converts the errors of a body to ``RequestBodyFailure``. So they differ from the errors of the code that reads the
/// body.
private struct MarkedBody: AsyncSequence, Sendable {
  typealias Element = ByteBuffer

  let body: RequestBody

  func makeAsyncIterator() -> Iterator { Iterator(parts: body.makeAsyncIterator()) }

  struct Iterator: AsyncIteratorProtocol {
    var parts: RequestBody.AsyncIterator

    mutating func next() async throws -> ByteBuffer? {
      do {
        return try await parts.next()
      } catch is CancellationError {
        throw CancellationError()
      } catch {
        throw RequestBodyFailure(underlying: error)
      }
    }
  }
}
