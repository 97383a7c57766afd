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
  /// The same request, whose body throws ``RequestBodyFailure`` if it cannot be received. When the body is read, a client that
  /// waits for the status 100 gets it.
  ///
  /// Requests with GET and HEAD are unchanged: no handler reads their body, and a live stream needs the original body
  /// to detect that the client has closed the connection.
  ///
  /// - Parameter channel: the connection of the request.
  package func markingBodyFailures(on channel: any Channel) -> Request {
    guard method != .get, method != .head else { return self }
    let waiting = headers[.expect] == nil ? nil : channel
    return Request(head: head, body: RequestBody(asyncSequence: MarkedBody(body: body, waiting: waiting)))
  }
}

/// Converts the errors of a body to ``RequestBodyFailure``. So they differ from the errors of the code that reads the
/// body.
private struct MarkedBody: AsyncSequence, Sendable {
  typealias Element = ByteBuffer

  let body: RequestBody
  /// The connection of a client that may wait for the status 100.
  let waiting: (any Channel)?

  func makeAsyncIterator() -> Iterator { Iterator(parts: body.makeAsyncIterator(), waiting: waiting) }

  struct Iterator: AsyncIteratorProtocol {
    var parts: RequestBody.AsyncIterator
    var waiting: (any Channel)?

    mutating func next() async throws -> ByteBuffer? {
      waiting?.triggerUserOutboundEvent(ExpectContinueHandler.BodyIsRead(), promise: nil)
      waiting = nil
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
