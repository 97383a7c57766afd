import APIDescription
import Foundation
import Hummingbird
import StoreModel

extension Request {
  /// The body as JSON of `type`.
  ///
  /// - Parameter keys: the keys that `type` knows; another is refused, because a misspelt one would be passed over.
  /// - Throws: ``ErrorResponse``, naming what does not fit.
  package func decoded<Value: Decodable>(
    _ type: Value.Type, keys: Set<String>? = nil, upTo limit: Int = BodyLimit.form
  ) async throws -> Value {
    let known = keys.map { JSONKeys.object(Dictionary(uniqueKeysWithValues: $0.map { ($0, .anything) })) }
    return try await decoded(type, knowing: known ?? .anything, upTo: limit)
  }

  /// The body as JSON of `type`.
  ///
  /// - Parameters:
  ///   - keys: the keys that `type` knows, and those in it; another is refused.
  ///   - limit: in bytes; a larger body is refused with 413.
  /// - Throws: ``ErrorResponse``, naming what does not fit.
  package func decoded<Value: Decodable>(
    _ type: Value.Type, knowing keys: JSONKeys, upTo limit: Int = BodyLimit.form
  ) async throws -> Value {
    let body = Data(buffer: try await collectedBody(upTo: limit))
    let document: Any?
    do {
      document = try BoundedJSON.object(from: body)
    } catch let fault as BoundedJSON.Fault {
      throw ErrorResponse(.badRequest, "malformedRequest", "The JSON does not fit: \(fault.description).")
    } catch {
      // The decoder's error has the reason.
      document = nil
    }
    if let value = document {
      if let fault = keys.fault(in: value) { throw ErrorResponse(.badRequest, "malformedRequest", fault) }
      guard !JSONKeys.hasNull(value) else {
        throw ErrorResponse(.badRequest, "malformedRequest", "A text has the character U+0000, which cannot be kept.")
      }
    }
    do {
      return try JSONDecoder().decode(type, from: body)
    } catch let error as DecodingError {
      let members = document.map { UnwholeNumbers.paths(in: $0) } ?? []
      // Of a number that does not fit the decoder says that the JSON is invalid, and names no member.
      if case .dataCorrupted(let context) = error, context.codingPath.isEmpty, !members.isEmpty {
        throw ErrorResponse(
          .badRequest, "malformedRequest",
          "The JSON does not fit: \(members.joined(separator: " or ")) is no whole number, or is too large.")
      }
      throw ErrorResponse(.badRequest, "malformedRequest", "The JSON does not fit: \(error.whatIsWrong)")
    }
  }
}
