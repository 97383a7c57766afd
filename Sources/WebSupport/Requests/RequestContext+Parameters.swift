import Foundation
import Hummingbird
import StoreModel

extension RequestContext {
  /// Returns a parameter of the route's path, decoded. The router leaves it percent-encoded.
  ///
  /// - Throws: ``ErrorResponse`` if it is not valid.
  package func pathParameter(_ name: String) throws -> String {
    let text = try parameters.require(name)
    guard let decoded = text.removingPercentEncoding, !decoded.utf8.contains(0), decoded.isStreamSafe else {
      throw ErrorResponse(
        .badRequest, "malformedRequest", "\(text.prefix(80)) is not percent-encoded UTF-8 without U+0000.")
    }
    return decoded
  }
}
