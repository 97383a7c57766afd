import Foundation
import Hummingbird

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
