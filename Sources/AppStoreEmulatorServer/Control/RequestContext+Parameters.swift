import Foundation
import Hummingbird
import StoreModel

extension BasicRequestContext {
  /// The part of the path that the route calls `name`. The router leaves it percent-encoded.
  func pathParameter(_ name: String) throws -> String {
    let text = try parameters.require(name)
    guard let decoded = text.removingPercentEncoding else {
      throw DoorRefusal(.badRequest, "malformedRequest", "\(text) is not percent-encoded UTF-8.")
    }
    return decoded
  }
}

extension StoreEnvironment {
  /// The environment that a path or a query names.
  ///
  /// - Throws: ``DoorRefusal``.
  init(doorName text: String) throws(DoorRefusal) {
    guard let environment = StoreEnvironment(rawValue: text) ?? StoreEnvironment(lowercaseName: text) else {
      throw DoorRefusal(.badRequest, "malformedRequest", "\(text) is no environment; use production or sandbox.")
    }
    self = environment
  }
}
