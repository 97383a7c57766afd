import Foundation
import HTTPTypes
import Hummingbird

/// How large a body may be, in bytes. Each endpoint takes the least of them that it can do with.
package enum BodyLimit {
  /// A few fields of an operator or customer.
  package static let fields = 16 << 10
  /// A payment, a form, or an order to the emulator, whose names may be long.
  package static let form = 64 << 10
  /// A list of names, or texts in many languages.
  package static let list = 1 << 20
  /// Base64 of a receipt with some 20,000 purchases.
  package static let receipt = 12 << 20
}

extension Request {
  /// The whole body. What has come of it counts against the server's ``BodyBudget`` until the request is answered.
  ///
  /// - Parameter limit: in bytes. A body that is announced to be larger is refused before it is read.
  /// - Throws: ``ErrorResponse`` with 413, or 503 where the budget does not suffice; whatever the connection throws.
  package func collectedBody(upTo limit: Int) async throws -> ByteBuffer {
    let tooLarge = ErrorResponse(
      .contentTooLarge, "tooLarge", "The body is larger than is taken here, which is \(limit) bytes.")
    if let announced = headers[.contentLength].flatMap({ Int($0) }) {
      guard announced <= limit else { throw tooLarge }
      try BodyReservation.current?.checkRoom(for: announced)
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
