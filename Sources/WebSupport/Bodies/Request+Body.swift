import Foundation
import HTTPTypes
import Hummingbird

/// The maximum sizes of bodies, in bytes. Each endpoint uses the smallest one that suffices.
package enum BodyLimit {
  /// A few fields about an operator or customer.
  package static let fields = 16 << 10
  /// A payment, a form, or a command to the emulator, which may contain long names.
  package static let form = 64 << 10
  /// A list of names, or texts in many languages.
  package static let list = 1 << 20
  /// A receipt with about 15,000 purchases, in base64.
  package static let receipt = 12 << 20
}

extension Request {
  /// Returns the whole body. Its bytes count against the server's ``BodyBudget`` until the response is sent.
  ///
  /// - Parameter limit: the maximum size in bytes. If `Content-Length` is larger, the body is refused before it is
  ///   read.
  /// - Throws: ``ErrorResponse`` with status 413, 408 if the body takes too long, or 503 if the budget is used up;
  ///   errors of the connection.
  package func collectedBody(upTo limit: Int) async throws -> ByteBuffer {
    let tooLarge = ErrorResponse(
      .contentTooLarge, "tooLarge", "The body is larger than is taken here, which is \(limit) bytes.")
    if let announced = headers[.contentLength].flatMap({ Int($0) }) {
      guard announced <= limit else { throw tooLarge }
      try BodyReservation.current?.checkCapacity(for: announced)
    }
    var collected = ByteBuffer()
    for try await chunk in body {
      let size = collected.readableBytes + chunk.readableBytes
      guard size <= limit else { throw tooLarge }
      try BodyReservation.current?.hold(size)
      var chunk = chunk
      collected.writeBuffer(&chunk)
    }
    return collected
  }
}
