import Foundation
import HTTPTypes
import Hummingbird
import StoreModel

/// A request that is refused, with words that say what to do. Its body is `{"error": {"code": …, "message": …}}`.
struct DoorRefusal: Error {
  let status: HTTPResponse.Status
  let refusal: StoreRefusal

  init(_ status: HTTPResponse.Status, _ code: String, _ message: String) {
    self.status = status
    refusal = StoreRefusal(StoreRefusal.Code(code), message)
  }

  init(_ status: HTTPResponse.Status, _ refusal: StoreRefusal) {
    self.status = status
    self.refusal = refusal
  }

  var response: Response {
    // Two strings always encode.
    let body = (try? DeviceDoor.encoder().encode(DeviceDoor.Refused(error: refusal))) ?? Data()
    return .json(body, status: status)
  }
}

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

extension Request {
  /// The body as JSON of `type`.
  ///
  /// - Throws: ``DoorRefusal``, naming what does not fit.
  func decoded<Value: Decodable>(_ type: Value.Type, upTo limit: Int = 1 << 20) async throws -> Value {
    let body = try await body.collect(upTo: limit)
    do {
      return try JSONDecoder().decode(type, from: Data(buffer: body))
    } catch let error as DecodingError {
      throw DoorRefusal(.badRequest, "malformedRequest", "The JSON does not fit: \(error.whatIsWrong)")
    }
  }
}

extension DecodingError {
  /// Where and why, in a sentence.
  var whatIsWrong: String {
    let context: Context
    switch self {
    case .typeMismatch(_, let found), .valueNotFound(_, let found), .dataCorrupted(let found): context = found
    case .keyNotFound(let key, let found):
      return "\(key.stringValue) is missing\(found.codingPath.isEmpty ? "" : " in \(path(found.codingPath))")."
    @unknown default: return "\(self)"
    }
    let place = context.codingPath.isEmpty ? "" : "\(path(context.codingPath)): "
    return "\(place)\(context.debugDescription)"
  }

  private func path(_ keys: [any CodingKey]) -> String { keys.map(\.stringValue).joined(separator: ".") }
}
