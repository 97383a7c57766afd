import Foundation
import Hummingbird

extension RequestContext {
  /// The part of the path that the route calls `name`. The router leaves it percent-encoded.
  package func pathParameter(_ name: String) throws -> String {
    let text = try parameters.require(name)
    guard let decoded = text.removingPercentEncoding else {
      throw DoorRefusal(.badRequest, "malformedRequest", "\(text) is not percent-encoded UTF-8.")
    }
    return decoded
  }
}
