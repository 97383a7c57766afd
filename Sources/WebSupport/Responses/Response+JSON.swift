import Foundation
import HTTPTypes
import Hummingbird

extension Response {
  package static func json(_ body: Data, status: HTTPResponse.Status = .ok) -> Response {
    json(ByteBuffer(bytes: body), status: status)
  }

  package static func json(_ body: [UInt8], status: HTTPResponse.Status = .ok) -> Response {
    json(ByteBuffer(bytes: body), status: status)
  }

  private static func json(_ body: ByteBuffer, status: HTTPResponse.Status) -> Response {
    Response(
      status: status, headers: [.contentType: "application/json; charset=utf-8", .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: body))
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
