import HTTPDoors
import StoreModel

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
