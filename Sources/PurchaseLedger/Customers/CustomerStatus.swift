/// A customer's row: the subject, and whether the customer was erased or joined to another.
struct CustomerStatus: Hashable, Sendable {
  let customer: CustomerID
  /// The customer's name in the operator's identity system; nil for an anonymous customer.
  let subject: String?
  let isErased: Bool
  /// The customer to whom this anonymous customer was joined. That customer has its tokens now.
  let joinedTo: CustomerID?

  /// Whether the customer was neither erased nor joined to another.
  var isActive: Bool { !isErased && joinedTo == nil }
  /// Whether the customer is known only by the tokens of installations.
  var isAnonymous: Bool { isActive && subject == nil }
}

extension LedgerTransaction {
  /// Returns nil if the customer never existed. The customer's lock is not required: an anonymous customer never gets a subject.
  func status(of customer: CustomerID) throws -> CustomerStatus? {
    try row("SELECT subject, erased, joined_to FROM customer WHERE id = $1", customer).map { row in
      CustomerStatus(
        customer: customer, subject: try row.optionalText("subject"),
        isErased: try row.optionalInteger("erased") != nil,
        joinedTo: try row.optionalText("joined_to") == nil ? nil : try row.customer("joined_to"))
    }
  }

  /// Returns the status of a customer, who stays available until the transaction ends. Call it before writing anything for them.
  ///
  /// - Throws: ``LedgerError/unknownCustomer(_:)`` if the customer does not exist, was erased, or was joined to another.
  func expect(_ customer: CustomerID) throws -> CustomerStatus {
    try require(.customer(customer))
    guard let status = try status(of: customer), status.isActive else {
      throw LedgerError.unknownCustomer(customer)
    }
    return status
  }
}
