import Foundation
import HTTPTypes
import Hummingbird
import StoreModel

extension Response {
  static func json(_ body: Data, status: HTTPResponse.Status = .ok) -> Response {
    Response(
      status: status, headers: [.contentType: "application/json; charset=utf-8", .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
  }

  static func json(_ value: some Encodable, status: HTTPResponse.Status = .ok) throws -> Response {
    json(try DeviceDoor.encoder().encode(value), status: status)
  }
}
