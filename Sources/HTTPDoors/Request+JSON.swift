import Foundation
import Hummingbird

extension Request {
  /// The body as JSON of `type`.
  ///
  /// - Parameter keys: the keys that `type` knows; another is refused, because a misspelt one would be passed over.
  /// - Throws: ``DoorRefusal``, naming what does not fit.
  package func decoded<Value: Decodable>(
    _ type: Value.Type, keys: Set<String>? = nil, upTo limit: Int = 1 << 20
  ) async throws -> Value {
    let body = try await body.collect(upTo: limit)
    if let keys, let object = try? JSONSerialization.jsonObject(with: Data(buffer: body)) as? [String: Any],
      let unknown = object.keys.filter({ !keys.contains($0) }).min()
    {
      throw DoorRefusal(
        .badRequest, "malformedRequest",
        "\(unknown) is not known here; there are \(keys.sorted().joined(separator: ", ")).")
    }
    do {
      return try JSONDecoder().decode(type, from: Data(buffer: body))
    } catch let error as DecodingError {
      throw DoorRefusal(.badRequest, "malformedRequest", "The JSON does not fit: \(error.whatIsWrong)")
    }
  }
}
