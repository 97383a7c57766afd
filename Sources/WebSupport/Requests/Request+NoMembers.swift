import Foundation
import Hummingbird
import StoreModel

extension Request {
  /// Refuses a request whose body has members, because they would be ignored.
  ///
  /// - Throws: ``ErrorResponse`` unless the body is empty, or an object without members.
  package func expectNoMembers() async throws {
    let body = Data(buffer: try await collectedBody(upTo: BodyLimit.fields))
    guard !BoundedJSON.isBlank(body) else { return }
    guard let object = try? BoundedJSON.object(from: body) as? [String: Any] else {
      throw ErrorResponse(.badRequest, "malformedRequest", "The body is no JSON object. Leave it empty here.")
    }
    if let name = object.keys.min() {
      throw ErrorResponse(
        .badRequest, "malformedRequest", "\(name.prefix(80)) is not known here; the body is to be empty, or {}.")
    }
  }
}
