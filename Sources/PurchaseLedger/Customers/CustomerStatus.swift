/// Who a customer is, and whether anybody can still ask in their name.
struct CustomerStatus: Hashable, Sendable {
  let customer: CustomerID
  /// What the operator's identity system calls them; nil for an anonymous one.
  let subject: String?
  let isErased: Bool
  /// Whom an anonymous customer turned out to be; who holds their tokens is that one.
  let joinedTo: CustomerID?

  var isHere: Bool { !isErased && joinedTo == nil }
  /// Whether nobody but an installation's token names them.
  var isAnonymous: Bool { isHere && subject == nil }
}

extension LedgerTransaction {
  /// Nil for who never was. Who is anonymous and who is not stays so, hence without their lock.
  func standing(of customer: CustomerID) throws -> CustomerStatus? {
    try row("SELECT subject, erased, joined_to FROM customer WHERE id = $1", customer).map { row in
      CustomerStatus(
        customer: customer, subject: try row.optionalText("subject"),
        isErased: try row.optionalInteger("erased") != nil,
        joinedTo: try row.optionalText("joined_to") == nil ? nil : try row.customer("joined_to"))
    }
  }

  /// Makes sure that somebody is here, until the transaction ends.
  ///
  /// - Throws: ``LedgerError/unknownCustomer(_:)`` for who is not, or no longer, here. Nothing may be written for them:
  ///   nobody could ask for it.
  func expect(_ customer: CustomerID) throws -> CustomerStatus {
    try require(.customer(customer))
    guard let standing = try standing(of: customer), standing.isHere else {
      throw LedgerError.unknownCustomer(customer)
    }
    return standing
  }
}
