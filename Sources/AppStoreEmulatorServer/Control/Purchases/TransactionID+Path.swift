import HTTPDoors
import Hummingbird
import StoreModel

extension TransactionID {
  /// The transaction that a request's path names.
  ///
  /// - Throws: ``DoorRefusal``.
  init(in context: BasicRequestContext) throws {
    let text = try context.pathParameter("transactionId")
    guard let id = TransactionID(rawValue: text) else {
      throw DoorRefusal(.badRequest, "malformedRequest", "\(text) is no transaction id; those are decimal digits.")
    }
    self = id
  }
}
