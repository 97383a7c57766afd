import Foundation
import SignedData
import StoreModel

/// Checks and parses the JSON of a request's body. Every body of this project's own APIs is read by it.
///
/// Foundation's decoders accept more than JSON, and do not look at the members that a type does not have. So a body is checked
/// before it is decoded.
package enum JSONBody {
  /// Returns the document as Foundation dictionaries, arrays, strings and numbers.
  ///
  /// - Parameter allowsNull: whether a text may have U+0000: for the contents of files that may have it.
  /// - Throws: ``ErrorResponse`` with status 400 and the code `malformedRequest` if the body is not JSON (RFC 8259), exceeds
  ///   `bounds`, has an object with a name twice, a number that is too large for a double, or, unless it is allowed, a text with
  ///   U+0000.
  package static func document(
    in body: Data, within bounds: BoundedJSON.Bounds = .request, allowsNull: Bool = false
  ) throws(ErrorResponse) -> Any {
    // The bounds come first, because the other checks take time and memory in proportion to what they limit.
    do {
      try BoundedJSON.check(body, within: bounds)
    } catch {
      throw refusal(error.description)
    }
    if let problem = JSONCheck.problem(in: body, allowsNull: allowsNull) { throw refusal(problem) }
    guard let document = try? JSONSerialization.jsonObject(with: body, options: .fragmentsAllowed) else {
      throw refusal("it has a number that cannot be read")
    }
    return document
  }

  private static func refusal(_ reason: String) -> ErrorResponse {
    ErrorResponse(.badRequest, "malformedRequest", "The JSON does not fit: \(reason).")
  }
}
