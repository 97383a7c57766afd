import APIDescription
import Foundation
import Hummingbird
import StoreModel

extension Request {
  /// Decodes the body from JSON. An empty body is read as an object without members.
  ///
  /// - Parameters:
  ///   - keys: the keys of `type`. Other keys are refused, because `JSONDecoder` would ignore a misspelt key. Nil to
  ///     allow all keys.
  ///   - limit: the maximum size in bytes. Larger bodies are refused with status 413.
  /// - Throws: ``ErrorResponse``, which names the invalid value.
  package func decoded<Value: Decodable>(
    _ type: Value.Type, keys: Set<String>? = nil, upTo limit: Int = BodyLimit.form
  ) async throws -> Value {
    let known = keys.map { AllowedJSON.object(Dictionary(uniqueKeysWithValues: $0.map { ($0, .anything) })) }
    return try await decoded(type, knowing: known ?? .anything, upTo: limit)
  }

  /// Decodes the body from JSON. An empty body is read as an object without members. Others are checked by ``JSONBody``.
  ///
  /// - Parameters:
  ///   - keys: the keys of `type` and of the objects in it; others are refused.
  ///   - limit: the maximum size in bytes. Larger bodies are refused with status 413.
  /// - Throws: ``ErrorResponse``, which names the invalid value.
  package func decoded<Value: Decodable>(
    _ type: Value.Type, knowing keys: AllowedJSON, upTo limit: Int = BodyLimit.form
  ) async throws -> Value {
    let sent = Data(buffer: try await collectedBody(upTo: limit))
    let body = BoundedJSON.isBlank(sent) ? Data("{}".utf8) : sent
    let document = try JSONBody.document(in: body)
    if let fault = keys.fault(in: document) { throw ErrorResponse(.badRequest, "malformedRequest", fault) }
    do {
      return try JSONDecoder().decode(type, from: body)
    } catch let error as DecodingError {
      if let fault = keys.fault(in: document, checksValues: true) {
        throw ErrorResponse(.badRequest, "malformedRequest", fault, member: error.member)
      }
      let members = UnwholeNumbers.paths(in: document)
      // If a number does not fit into an integer, the decoder reports that all of the JSON is invalid, and names no
      // member.
      if case .dataCorrupted(let context) = error, context.codingPath.isEmpty, !members.isEmpty {
        throw ErrorResponse(
          .badRequest, "malformedRequest",
          "The JSON does not fit: \(members.joined(separator: " or ")) is no whole number, or is too large.",
          member: members.first)
      }
      throw ErrorResponse(
        .badRequest, "malformedRequest", "The JSON does not fit: \(error.explanation)", member: error.member)
    }
  }
}

extension Request {
  /// Refuses a request whose body has members, because they would be ignored.
  ///
  /// - Throws: ``ErrorResponse`` unless the body is empty, or an object without members.
  package func expectNoMembers() async throws {
    let body = Data(buffer: try await collectedBody(upTo: BodyLimit.fields))
    guard !BoundedJSON.isBlank(body) else { return }
    guard let object = try JSONBody.document(in: body) as? [String: Any] else {
      throw ErrorResponse(.badRequest, "malformedRequest", "The body is no JSON object. Leave it empty here.")
    }
    if let name = object.keys.min() {
      throw ErrorResponse(
        .badRequest, "malformedRequest", "\(name.prefix(80)) is not known here; the body is to be empty, or {}.")
    }
  }
}
