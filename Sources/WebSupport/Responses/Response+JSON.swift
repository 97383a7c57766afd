import Foundation
import HTTPTypes
import Hummingbird

extension Response {
  package static func json(
    _ body: some RandomAccessCollection<UInt8> & Sendable, status: HTTPResponse.Status = .ok
  ) -> Response {
    Response(
      status: status, headers: [.contentType: "application/json; charset=utf-8", .cacheControl: "no-store"],
      body: .inPieces(body))
  }

  package static func json(_ value: some Encodable, status: HTTPResponse.Status = .ok) throws -> Response {
    json(try encoder().encode(value), status: status)
  }

  /// An encoder with sorted keys, so that equal values are always the same bytes.
  package static func encoder() -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }
}

extension ResponseBody {
  /// A body that is sent in pieces. Each piece is copied while the client receives the piece before it, which saves time for
  /// answers of many megabytes.
  fileprivate static func inPieces(_ bytes: some RandomAccessCollection<UInt8> & Sendable) -> ResponseBody {
    let pieceSize = 1 << 18
    guard bytes.count > pieceSize else { return ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)) }
    return ResponseBody(contentLength: bytes.count) { writer in
      var rest = bytes[...]
      while !rest.isEmpty {
        try await writer.write(ByteBuffer(bytes: rest.prefix(pieceSize)))
        rest = rest.dropFirst(pieceSize)
      }
      try await writer.finish(nil)
    }
  }
}
